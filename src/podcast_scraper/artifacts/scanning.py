"""The first look at each file of a corpus: which episode it belongs to, and what it counts."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from podcast_scraper.artifacts.canon import canonical_node, canonical_reference, podcast_node_id
from podcast_scraper.artifacts.catalog import Catalog, read_catalog
from podcast_scraper.artifacts.discovery import printable
from podcast_scraper.artifacts.envelope import check_version, episode_of, raw_id, statement_ids
from podcast_scraper.artifacts.loading import decode, load_bytes, parse_json
from podcast_scraper.artifacts.report import Issues
from podcast_scraper.artifacts.values import first_name, mapping, name_of, text_of
from podcast_scraper.errors import ArtifactError
from podcast_scraper.gi.reader import VERSIONS as GI_VERSIONS
from podcast_scraper.identity.canonical import bare_episode_id, base_id
from podcast_scraper.kg.reader import VERSIONS as KG_VERSIONS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from podcast_scraper.artifacts.discovery import CorpusFile
    from podcast_scraper.artifacts.loading import ReadLimits


@dataclass(frozen=True, slots=True)
class ScannedFile:
    """A readable file and what the plan needs of it.

    ``digest`` is the SHA-256 of its bytes, ``statements`` are base ids of insights and quotes.
    """

    file: CorpusFile
    digest: str
    episode_id: str | None = None
    podcast_ids: tuple[str, ...] = ()
    show_title: str | None = None
    statements: tuple[str, ...] = ()
    audio_url: str | None = None
    transcript_ref: str | None = None
    nodes: Counter[str] = field(default_factory=Counter)
    edges: Counter[str] = field(default_factory=Counter)
    catalog: Catalog | None = None


def scan_file(
    root: Path, file: CorpusFile, limits: ReadLimits, issues: Issues
) -> ScannedFile | None:
    """Read one file; where it cannot be read it is quarantined and None returned."""
    try:
        data = load_bytes(root, root / file.path, limits)
        digest = hashlib.sha256(data).hexdigest()
        text = decode(data)
        if file.role == "text":
            return ScannedFile(file, digest)
        value = parse_json(text).value
        if file.role == "segments":
            if not isinstance(value, list | dict):
                raise ArtifactError("is neither a list of segments nor an object")
            return ScannedFile(file, digest)
        if not isinstance(value, dict):
            raise ArtifactError(f"is not an object but {_json_type(value)}")
        return _scan_document(file, digest, value)
    except ArtifactError as error:
        issues.quarantine(printable(file.path), error)
        return None


def _json_type(value: object) -> str:
    if isinstance(value, list):
        return "a list"
    return "null" if value is None else f"a {type(value).__name__}"


def _scan_document(file: CorpusFile, digest: str, value: Mapping[str, Any]) -> ScannedFile:
    if file.role == "metadata":
        catalog = read_catalog(value)
        # The plan of a large corpus stays small: summaries are read with the episode.
        catalog = replace(catalog, summary_title=None, summary_bullets=(), summary_text=None)
        return ScannedFile(file, digest, episode_id=catalog.episode_id, catalog=catalog)
    if file.role == "bridge":
        own = name_of(value.get("episode_id"))
        return ScannedFile(file, digest, episode_id=bare_episode_id(own) if own else None)
    # Warnings are given once, when the episode is read; an unknown version must be known now.
    versions = GI_VERSIONS if file.role == "gi" else KG_VERSIONS
    check_version(value, versions, file.path, Issues())
    properties: dict[str, dict[str, Any]] = defaultdict(dict)
    podcasts: dict[str, None] = {}
    for node in _objects(value, "nodes"):
        given = mapping(node.get("properties"))
        identifier = raw_id(node.get("id"))
        if identifier is None or node.get("type") in ("Insight", "Quote", "Topic", "Person"):
            continue
        node_id, node_type = canonical_node(identifier, node.get("type"), given)
        if node_type == "episode":
            properties["episode"] |= {k: v for k, v in given.items() if v is not None}
        elif node_type == "podcast":
            podcasts[node_id] = None
            properties["podcast"] = dict(given)
    linked = {
        canonical_reference(source)
        for edge in _objects(value, "edges")
        if _type_name(edge).upper() == "HAS_EPISODE" and (source := raw_id(edge.get("from")))
    }
    shows = [name for name in podcasts if name in linked or len(podcasts) == 1]
    stated = podcast_node_id(properties["episode"].get("podcast_id"))
    ids = dict.fromkeys([*([stated] if stated else []), *shows])
    return ScannedFile(
        file,
        digest,
        episode_id=episode_of(value),
        podcast_ids=tuple(ids),
        show_title=first_name(properties["podcast"], "title", "name", "label"),
        statements=tuple(dict.fromkeys(base_id(name) for name in statement_ids(value))),
        audio_url=text_of(properties["episode"].get("audio_url")),
        transcript_ref=_transcript_ref(value),
        nodes=Counter(_type_name(node) for node in _objects(value, "nodes")),
        edges=Counter(_type_name(edge) for edge in _objects(value, "edges")),
    )


def _objects(document: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    items = document.get(key)
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def _type_name(item: Mapping[str, Any]) -> str:
    return name_of(item.get("type")) or "(none)"


def _transcript_ref(document: Mapping[str, Any]) -> str | None:
    stated = text_of(mapping(document.get("extraction")).get("transcript_ref"))
    if stated:
        return stated
    for node in _objects(document, "nodes"):
        found = text_of(mapping(node.get("properties")).get("transcript_ref"))
        if found:
            return found
    return None
