"""What a feed says: a show, its people, and its items with their transcripts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, slots=True)
class FeedPerson:
    """A ``podcast:person``; ``role`` is lower case, ``host`` where the feed states none."""

    name: str
    role: str = "host"


@dataclass(frozen=True, slots=True)
class TranscriptLink:
    """A ``podcast:transcript``: absolute URL, MIME type and language as stated."""

    url: str
    type: str = ""
    language: str | None = None


@dataclass(frozen=True, slots=True)
class FeedItem:
    """One item. ``published`` is aware UTC or None, ``duration`` seconds or None.

    ``people`` is the item's own list where it has one, else the channel's.
    """

    guid: str
    title: str
    published: datetime | None = None
    duration: float | None = None
    media_url: str | None = None
    link: str | None = None
    description: str | None = None
    transcripts: tuple[TranscriptLink, ...] = ()
    people: tuple[FeedPerson, ...] = ()


@dataclass(frozen=True, slots=True)
class Feed:
    """A show and its items in the order of the feed.

    ``notes`` say what was repaired or guessed while reading, one sentence each.
    """

    url: str
    title: str
    items: tuple[FeedItem, ...]
    description: str | None = None
    link: str | None = None
    image: str | None = None
    language: str | None = None
    publisher: str | None = None
    people: tuple[FeedPerson, ...] = ()
    notes: tuple[str, ...] = ()
