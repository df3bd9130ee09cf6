"""Search engines that follow the records from elsewhere.

A follower is told what the outbox of the records holds (:mod:`podcast_scraper.storage.outbox`), in
order and in batches. It is told at least once: a batch after which the worker died comes again, and
gives the same documents. A new follower is filled from the documents as they are; what changes
meanwhile waits in the outbox. Whether it holds what it was told, :mod:`.completeness` finds out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from podcast_scraper.search.completeness import Completeness
from podcast_scraper.search.followed import FollowedRecords
from podcast_scraper.storage.outbox import CHANGES_A_BATCH, Outbox

if TYPE_CHECKING:
    from collections.abc import Sequence

    import sqlalchemy as sa

    from podcast_scraper.search.followed import Followed
    from podcast_scraper.storage.outbox import Change


class Follower:
    """An engine that follows the records of a generation, under a name.

    One worker at a time tells it, in whatever process.
    """

    def __init__(
        self,
        records: sa.Engine,
        followed: Followed,
        name: str,
        *,
        batch: int = CHANGES_A_BATCH,
    ) -> None:
        self.name = name
        self.completeness = Completeness(records, followed, name)
        self._records = FollowedRecords(records)
        self._outbox = Outbox(records)
        self._followed = followed
        self._batch = batch

    def catch_up(self) -> int:
        """Tell the engine everything that it lacks; return how many changes were told.

        Raises IndexLockedError where another worker is telling it.
        """
        with self._outbox.telling(self.name):
            told = self._filled()
            for changes in self._outbox.batches(self.name, self._batch):
                self._tell(changes)
                told += len(changes)
        return told

    def look(self) -> tuple[str, ...]:
        """Return what is wrong with the engine, and keep it beside the outbox."""
        reasons = self.completeness.look().reasons
        self._outbox.looked(self.name, reasons)
        return reasons

    def lag(self) -> int:
        """Return how many changes the engine has yet to be told."""
        return sum(self._outbox.behind(self.name).values())

    def start_over(self) -> None:
        """Let the engine be filled anew by the next :meth:`catch_up`."""
        self._outbox.forget(self.name)

    def _filled(self) -> int:
        """Give a new follower the documents that are there, from the beginning if broken off."""
        found = next((one for one in self._outbox.targets() if one.name == self.name), None)
        if found is not None and found.filled:
            return 0
        head = self._outbox.head() if found is None else found.seq
        # From here on the outbox keeps what changes.
        self._outbox.advance(self.name, head, filled=False)
        self._followed.begin()
        after, told = 0, 0
        while keys := self._records.keys_after(after, self._batch):
            self._followed.tell((), self._records.payload(keys))
            after, told = keys[-1], told + len(keys)
        self._outbox.advance(self.name, head)
        return told

    def _tell(self, changes: Sequence[Change]) -> None:
        gone = [change for change in changes if change.op == "delete"]
        written = [change.key for change in changes if change.op == "upsert"]
        self._followed.tell(gone, self._records.payload(written))
