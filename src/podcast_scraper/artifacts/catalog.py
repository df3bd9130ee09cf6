"""The catalog layer (``*.metadata.json``) and the identity layer (``*.bridge.json``)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from podcast_scraper.artifacts.canon import canonical_reference, podcast_node_id
from podcast_scraper.artifacts.loading import inside
from podcast_scraper.artifacts.values import (
    first_name,
    mapping,
    name_of,
    names_in,
    seconds,
    text_of,
)
from podcast_scraper.errors import ArtifactError
from podcast_scraper.identity.canonical import bare_episode_id

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class CatalogSpeaker:
    """A speaker as the catalog lists it; ``id`` is local to the file (``speaker_1``)."""

    id: str | None
    name: str
    role: str | None


@dataclass(frozen=True, slots=True)
class Catalog:
    """What a metadata file says; everything may be absent."""

    feed_id: str | None = None
    other_feed_ids: tuple[str, ...] = ()
    show_title: str | None = None
    show_description: str | None = None
    show_url: str | None = None
    show_publisher: str | None = None
    image_path: str | None = None
    image_url: str | None = None
    episode_id: str | None = None
    title: str | None = None
    published: object = None
    duration: float | None = None
    media_url: str | None = None
    language: str | None = None
    transcript_path: str | None = None
    speakers: tuple[CatalogSpeaker, ...] = ()
    summary_title: str | None = None
    summary_bullets: tuple[str, ...] = ()
    summary_text: str | None = None
    times_may_drift: bool = False


@dataclass(frozen=True, slots=True)
class BridgeIdentity:
    """A canonical id of a bridge with its names, the display name first."""

    id: str
    names: tuple[str, ...]


def read_catalog(document: Mapping[str, Any]) -> Catalog:
    """Return what a metadata file says; a part of a wrong type is as if it were absent."""
    feed, episode = mapping(document.get("feed")), mapping(document.get("episode"))
    content, summary = mapping(document.get("content")), document.get("summary")
    parts = mapping(summary)
    duration = seconds(episode.get("duration_seconds"))
    others = [podcast_node_id(other) for other in names_in(feed.get("other_ids"))]
    return Catalog(
        feed_id=podcast_node_id(feed.get("feed_id")),
        other_feed_ids=tuple(other for other in others if other),
        show_title=name_of(feed.get("title")),
        show_description=text_of(feed.get("description")),
        show_url=web_url(feed.get("url")),
        show_publisher=name_of(feed.get("publisher")),
        image_path=text_of(feed.get("image_local_relpath")),
        image_url=text_of(feed.get("image_url")),
        episode_id=_episode_id(episode.get("episode_id")),
        title=name_of(episode.get("title")),
        published=episode.get("published_date"),
        duration=duration if duration is not None and duration > 0 else None,
        media_url=text_of(content.get("media_url")),
        language=first_name(episode, "language") or first_name(feed, "language"),
        transcript_path=text_of(content.get("transcript_file_path")),
        speakers=_speakers(content.get("speakers")),
        summary_title=name_of(parts.get("title")),
        summary_bullets=tuple(names_in(parts.get("bullets"))),
        summary_text=text_of(parts.get("raw_text")) or text_of(summary),
        times_may_drift=content.get("times_may_drift") is True,
    )


def _episode_id(value: object) -> str | None:
    name = name_of(value)
    return (bare_episode_id(name).strip() or None) if name else None


def _speakers(value: object) -> tuple[CatalogSpeaker, ...]:
    found = []
    for item in value if isinstance(value, list) else ():
        fields = mapping(item)
        name = first_name(fields, "name", "label") or (
            name_of(item) if isinstance(item, str) else None
        )
        if name:
            role = name_of(fields.get("role"))
            speaker_id = name_of(fields.get("id"))
            found.append(CatalogSpeaker(speaker_id, name, role.lower() if role else None))
    return tuple(found)


def read_bridge(document: Mapping[str, Any]) -> tuple[BridgeIdentity, ...]:
    """Return the identities of a bridge, a list or an object keyed by id; others are skipped."""
    identities = document.get("identities")
    if isinstance(identities, dict):
        identities = [{"id": key, **mapping(value)} for key, value in identities.items()]
    found = []
    for item in identities if isinstance(identities, list) else ():
        fields = mapping(item)
        identifier = name_of(fields.get("id"))
        if identifier:
            name = first_name(fields, "display_name", "name", "canonical_name", "label")
            names = [*([name] if name else []), *names_in(fields.get("aliases"))]
            found.append(
                BridgeIdentity(canonical_reference(identifier), tuple(dict.fromkeys(names)))
            )
    return tuple(found)


def web_url(value: object) -> str | None:
    """Return an http(s) URL with a host, or None."""
    text = name_of(value)
    if text is None:
        return None
    try:
        parts = urlsplit(text)
    except ValueError:
        return None
    return text if parts.scheme in ("http", "https") and parts.netloc else None


def local_file(root: Path, value: str | None) -> str | None:
    """Return the path, relative to the corpus, of an existing file that a relative URL names."""
    if not value:
        return None
    for name in dict.fromkeys((value, unquote(value))):
        relative = name.replace("\\", "/").lstrip("/")
        try:
            real = inside(root, root / relative)
        except ArtifactError:
            continue
        return real.relative_to(root).as_posix()
    return None


def media_of(root: Path, *urls: object) -> str | None:
    """Return the first http(s) URL or existing file of the corpus among the media URLs."""
    for url in urls:
        found = web_url(url) or local_file(root, text_of(url))
        if found:
            return found
    return None
