"""What is imported: shows, and episodes with the bytes of their transcript."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from datetime import datetime

    from podcast_scraper.ingest.feeds.records import FeedPerson

EXTRACTION_VERSION: Final = "3"
"""Raised with every change of what is extracted, so that a re-import makes episodes anew."""


@dataclass(frozen=True, slots=True)
class ShowInput:
    """A show. ``slug`` names its folder and its canonical id."""

    slug: str
    title: str
    description: str | None = None
    url: str | None = None
    image: str | None = None
    publisher: str | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True)
class EpisodeInput:
    """An episode to import; ``origin`` is the path or address of its transcript.

    ``published`` is aware UTC, ``duration`` seconds; ``keys`` are further names under which a
    later import knows the episode again.
    """

    episode_id: str
    show: ShowInput
    stem: str
    title: str
    origin: str
    data: bytes
    published: datetime | None = None
    duration: float | None = None
    media_url: str | None = None
    description: str | None = None
    people: tuple[FeedPerson, ...] = ()
    keys: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def stem_path(self) -> str:
        """Where the episode's artifacts lie, relative to the corpus and without suffix."""
        return f"feeds/{self.show.slug}/metadata/{self.stem}"

    @staticmethod
    def numbered(name: str) -> str:
        """Return six hex digits that tell a name from others of the same slug."""
        return hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:6]

    def fingerprint(self, method: str) -> str:
        """Return the SHA-256 of all that the artifacts depend on but the rest of the corpus."""
        digest = hashlib.sha256(self.data)
        stated = (
            EXTRACTION_VERSION, method, self.episode_id, self.show, self.stem, self.title,
            self.published, self.duration, self.media_url, self.description, self.people,
        )  # fmt: skip
        digest.update(repr(stated).encode())
        return digest.hexdigest()
