"""Noticing that an engine elsewhere answers with a part of its documents and no error.

A cluster that lost its replicas has answered with one row in nineteen, for minutes, and called it
success. So what an engine finds is compared with what the records say it was given: how many
documents each tier has, and whether some, evenly from the oldest to the newest, are among them.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Final

from podcast_scraper.errors import PodcastScraperError
from podcast_scraper.search.backend import BackendHealth
from podcast_scraper.search.documents import TIERS
from podcast_scraper.search.followed import FollowedRecords
from podcast_scraper.storage.outbox import Outbox

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import sqlalchemy as sa

    from podcast_scraper.search.followed import Followed
    from podcast_scraper.storage.outbox import Op

SENTINELS: Final = 16
SECONDS: Final = 30.0


class Completeness:
    """Compares an engine that follows under a name with the records. Thread-safe."""

    def __init__(self, records: sa.Engine, followed: Followed, name: str) -> None:
        self._records = FollowedRecords(records)
        self._outbox = Outbox(records)
        self._followed = followed
        self._name = name
        self._lock = threading.Lock()
        self._last: tuple[float, BackendHealth] | None = None

    def look(self) -> BackendHealth:
        """Count what the engine finds and say what is missing, or why it does not answer."""
        documents: Mapping[str, int] = {}
        reasons: tuple[str, ...]
        try:
            health = self._followed.health()
            documents = health.documents
            reasons = (*health.reasons, *self._differences(documents))
        except PodcastScraperError as error:
            reasons = (error.message,)
        found = {tier: documents.get(tier, 0) for tier in TIERS}
        looked = BackendHealth(found, degraded=bool(reasons), reasons=reasons)
        self._last = (time.monotonic(), looked)
        return looked

    def recent(self) -> BackendHealth:
        """Return a finding that is at most :data:`SECONDS` old.

        One caller looks anew when it is older; the others take the old one meanwhile.
        """
        last = self._last
        if last is not None and time.monotonic() - last[0] < SECONDS:
            return last[1]
        if not self._lock.acquire(blocking=last is None) and last is not None:
            return last[1]
        try:
            # Whoever waited for the first look takes it.
            return self._last[1] if last is None and self._last is not None else self.look()
        finally:
            self._lock.release()

    def _differences(self, found: Mapping[str, int]) -> Iterator[str]:
        # Changes that it has yet to be told may be missing, and may be there when they are told.
        behind: Mapping[tuple[str, Op], int] = self._outbox.behind(self._name)
        expected = self._records.counts()
        for tier in TIERS:
            there, here = expected.get(tier, 0), found.get(tier, 0)
            fewest = there - behind.get((tier, "upsert"), 0)
            most = there + behind.get((tier, "delete"), 0)
            if not fewest <= here <= most:
                yield f"{there} {tier} documents but {here} in {self._name}"
            elif not behind:
                missing = self._followed.lacks(self._records.spread(tier, SENTINELS))
                if missing:
                    yield f"{tier} documents are not found in {self._name}: {', '.join(missing)}"
