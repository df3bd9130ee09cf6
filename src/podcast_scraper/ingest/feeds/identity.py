"""Which item is which episode, from feed to feed of the same show.

Guids are missing, shared between items, or change daily. The ladder takes the first name of an
item that is its own: guid, then the path of its audio (queries carry sessions and dates), then its
title and day. The rung and the reason are recorded.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from podcast_scraper.ingest.feeds.records import FeedItem


@dataclass(frozen=True, slots=True)
class ItemIdentity:
    """The name of an item in its show.

    ``key`` is ``rung:value``; ``keys`` are all names of the item that no other item of the feed
    has, the ladder's choice first. ``reason`` says why a rung was taken.
    """

    key: str
    keys: tuple[str, ...]
    reason: str

    def episode_id(self, show_slug: str) -> str:
        """Return the episode's id: the show and 12 hex digits of the SHA-256 of the key."""
        return f"{show_slug}-{hashlib.sha256(self.key.encode()).hexdigest()[:12]}"


def identify(items: Sequence[FeedItem]) -> list[ItemIdentity]:
    """Return the identity of each item of one feed."""
    guids = [_guid_key(item) for item in items]
    paths = [_path_key(item) for item in items]
    titles = [_title_key(item) for item in items]
    counts = Counter(key for keys in (guids, paths, titles) for key in keys if key)
    seen: Counter[str] = Counter()
    identities = []
    for item, guid, path, title in zip(items, guids, paths, titles, strict=True):
        own = tuple(key for key in (guid, path, title) if key and counts[key] == 1)
        if own:
            identities.append(ItemIdentity(own[0], own, _reason(item, guid, own[0], counts)))
            continue
        # Nothing tells the items apart but their order among their like.
        base = title or path or guid or "nothing:"
        seen[base] += 1
        key = f"{base}#{seen[base]}"
        identities.append(ItemIdentity(key, (key,), "nothing of its own; numbered among its like"))
    return identities


def _guid_key(item: FeedItem) -> str:
    """A guid that is a URL with a query is a session's address, not a name."""
    guid = item.guid.strip()
    if not guid:
        return ""
    return "" if _is_url(guid) and urlsplit(guid).query else f"guid:{guid}"


def _path_key(item: FeedItem) -> str:
    url = item.media_url or (item.guid if _is_url(item.guid) else None) or item.link
    if not url:
        return ""
    parts = urlsplit(url)
    return f"path:{parts.netloc.lower()}{parts.path}" if parts.path.strip("/") else ""


def _title_key(item: FeedItem) -> str:
    if not item.title:
        return ""
    day = item.published.date().isoformat() if item.published else ""
    return f"title:{' '.join(item.title.casefold().split())}|{day}"


def _is_url(text: str) -> bool:
    try:
        return urlsplit(text.strip()).scheme in ("http", "https")
    except ValueError:
        return False


def _reason(item: FeedItem, guid: str, chosen: str, counts: Counter[str]) -> str:
    if chosen == guid:
        return "its own guid"
    rung = "the path of its audio" if chosen.startswith("path:") else "its title and day"
    if not item.guid.strip():
        return f"{rung}: the item has no guid"
    if not guid:
        return f"{rung}: the guid is a URL with a query"
    return f"{rung}: {counts[guid]} items share the guid"
