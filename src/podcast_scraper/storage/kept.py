"""Searches that people keep or made lately, and their corrections of an episode's times."""

from __future__ import annotations

import hashlib
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

import sqlalchemy as sa

from podcast_scraper.errors import NotFoundError, UsageError
from podcast_scraper.storage.state import RecentSearch, SavedSearch, StateStore, TimeOffset

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_NAME: Final = 200
MAX_SAVED: Final = 1_000
RECENT: Final = 30
MAX_OFFSET: Final = 3_600.0


@dataclass(frozen=True, slots=True)
class Kept:
    """A search: the query string of its address; ``name`` is empty for one that was only made."""

    uid: str
    created: str
    query: str
    name: str = ""


class KeptSearches:
    """Saved and recent searches of one installation."""

    def __init__(
        self, store: StateStore, *, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._store = store
        self._clock = clock

    def saved(self) -> list[Kept]:
        """Return the saved searches by name."""
        rows = sa.select(SavedSearch).order_by(SavedSearch.name, SavedSearch.uid)
        with self._store.reading() as session:
            found = [] if session is None else session.scalars(rows).all()
            return [Kept(row.uid, row.created, row.query, row.name) for row in found]

    def one(self, uid: str) -> Kept:
        """Return a saved search. Raises NotFoundError."""
        found = next((kept for kept in self.saved() if kept.uid == uid), None)
        if found is None:
            raise NotFoundError(
                f"There is no saved search {uid[:100]!r}.",
                mend="/api/saved lists them.",
                subject=uid,
            )
        return found

    def save(self, name: str, query: str) -> Kept:
        """Keep a search under a name. Raises UsageError for an empty or very long name."""
        name = " ".join(name.split())
        if not 0 < len(name) <= MAX_NAME:
            raise UsageError("A saved search needs a name.", mend=f"Give up to {MAX_NAME} letters.")
        kept = Kept(uuid.uuid4().hex, self._now(), query, name)
        with self._store.writing() as session:
            count = session.scalar(sa.select(sa.func.count()).select_from(SavedSearch)) or 0
            if count >= MAX_SAVED:
                raise UsageError(f"{MAX_SAVED} searches are saved already.", mend="Remove some.")
            session.add(SavedSearch(uid=kept.uid, created=kept.created, name=name, query=query))
        return kept

    def remove(self, uid: str) -> None:
        """Forget a saved search. Raises NotFoundError."""
        self.one(uid)
        with self._store.writing() as session:
            session.execute(sa.delete(SavedSearch).where(SavedSearch.uid == uid))

    def recent(self) -> list[Kept]:
        """Return the searches that were made last, the newest first."""
        rows = sa.select(RecentSearch).order_by(RecentSearch.created.desc(), RecentSearch.uid)
        with self._store.reading() as session:
            found = [] if session is None else session.scalars(rows.limit(RECENT)).all()
            return [Kept(row.uid, row.created, row.query) for row in found]

    def remember(self, query: str) -> None:
        """Note that a search was made; only the last ones are kept."""
        uid = hashlib.sha256(query.encode()).hexdigest()
        newest = sa.select(RecentSearch.uid).order_by(RecentSearch.created.desc(), RecentSearch.uid)
        with self._store.writing() as session:
            session.execute(sa.delete(RecentSearch).where(RecentSearch.uid == uid))
            session.add(RecentSearch(uid=uid, created=self._now(), query=query))
            session.flush()
            kept = session.scalars(newest.limit(RECENT)).all()
            session.execute(sa.delete(RecentSearch).where(RecentSearch.uid.not_in(kept)))

    def forget_recent(self) -> None:
        """Forget every recent search."""
        with self._store.writing() as session:
            session.execute(sa.delete(RecentSearch))

    def _now(self) -> str:
        return self._clock().isoformat(timespec="microseconds")


class TimeOffsets:
    """Corrections of an episode's times: seconds by which the sound runs behind the transcript."""

    def __init__(self, store: StateStore) -> None:
        self._store = store

    def of(self, episode_id: str) -> float:
        """Return the offset of an episode, 0 where none was set."""
        row = sa.select(TimeOffset.seconds).where(TimeOffset.uid == episode_id)
        with self._store.reading() as session:
            return 0.0 if session is None else session.scalar(row) or 0.0

    def set(self, episode_id: str, seconds: float) -> None:
        """Set the offset of an episode. Raises UsageError beyond an hour."""
        if not -MAX_OFFSET <= seconds <= MAX_OFFSET:
            raise UsageError(
                f"An offset of {seconds} seconds is too far.",
                mend=f"Give -{MAX_OFFSET:g} to {MAX_OFFSET:g}.",
                subject=seconds,
            )
        created = datetime.now(UTC).isoformat(timespec="seconds")
        with self._store.writing() as session:
            session.execute(sa.delete(TimeOffset).where(TimeOffset.uid == episode_id))
            if seconds:
                session.add(TimeOffset(uid=episode_id, created=created, seconds=seconds))
