"""Feeds as episodes: what is new or changed in them, with the best transcript of each item."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from podcast_scraper.errors import IngestError
from podcast_scraper.identity.slugify import slugify
from podcast_scraper.ingest.feeds.alternatives import choose
from podcast_scraper.ingest.feeds.identity import identify
from podcast_scraper.ingest.feeds.rss import parse_feed
from podcast_scraper.ingest.records import EpisodeInput, ShowInput

if TYPE_CHECKING:
    from collections.abc import Iterator

    from podcast_scraper.ingest.feeds.http import Client
    from podcast_scraper.ingest.feeds.identity import ItemIdentity
    from podcast_scraper.ingest.feeds.records import Feed, FeedItem
    from podcast_scraper.ingest.state import ImportState


@dataclass(frozen=True, slots=True)
class FeedOutcome:
    """One item: its episode id and fingerprint, and what there is to do.

    ``episode`` is None for an item without transcript or without change; ``error`` says why a
    stated transcript could not be had.
    """

    episode_id: str
    item: str
    status: str
    episode: EpisodeInput | None = None
    error: IngestError | None = None


def read_feed(
    url: str, client: Client, state: ImportState
) -> tuple[Feed | None, tuple[str | None, str | None]]:
    """Return a feed and its validators, or None where the server says that nothing changed."""
    etag, last_modified = state.validators(url)
    fetched = client.get(url, etag, last_modified)
    if fetched.body is None:
        return None, (etag, last_modified)
    feed = parse_feed(fetched.body, fetched.url, fetched.charset)
    return feed, (fetched.etag, fetched.last_modified)


def feed_outcomes(
    feed: Feed, source: str, client: Client, state: ImportState, show: str | None = None
) -> Iterator[FeedOutcome]:
    """Yield the outcome of each item; transcripts are fetched for new and changed items only."""
    title = show or feed.title
    slug = slugify(title)
    made = ShowInput(
        slug,
        title,
        feed.description,
        feed.link or source,
        feed.image,
        feed.publisher,
        feed.language,
    )
    for item, identity in zip(feed.items, identify(feed.items), strict=True):
        episode_id = state.find(source, identity.keys) or identity.episode_id(slug)
        fingerprint = hashlib.sha256(repr((item, made)).encode()).hexdigest()
        known = state.episode(episode_id)
        if not item.transcripts:
            yield FeedOutcome(episode_id, fingerprint, "without transcript")
        elif state.is_removed(episode_id):
            yield FeedOutcome(episode_id, fingerprint, "removed by the user")
        elif known is not None and known.item == fingerprint:
            yield FeedOutcome(episode_id, fingerprint, "unchanged")
        else:
            yield _fetched(episode_id, fingerprint, item, identity, made, client)


def _fetched(
    episode_id: str,
    fingerprint: str,
    item: FeedItem,
    identity: ItemIdentity,
    show: ShowInput,
    client: Client,
) -> FeedOutcome:
    def fetch(url: str) -> bytes:
        return client.get(url).body or b""

    try:
        chosen = choose(item.transcripts, show.language, fetch)
    except IngestError as error:
        return FeedOutcome(episode_id, fingerprint, "failed", error=error)
    assert chosen is not None
    episode = EpisodeInput(
        episode_id=episode_id,
        show=show,
        stem=f"{slugify(item.title)[:60].strip('-')}-{episode_id[-6:]}",
        title=item.title or episode_id,
        origin=chosen.url,
        data=chosen.data,
        published=item.published,
        duration=item.duration,
        media_url=item.media_url,
        description=item.description,
        people=item.people,
        keys=identity.keys,
        notes=(f"identity by {identity.reason}", *chosen.passed_over),
    )
    return FeedOutcome(episode_id, fingerprint, "new", episode)
