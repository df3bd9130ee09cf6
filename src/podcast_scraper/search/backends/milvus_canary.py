"""Noticing that a server answers with a part of its rows and no error.

A cluster that lost its replicas has answered with one row in nineteen, for minutes, and called it
success. So what it finds is compared with what the records say it was given: how many rows each
tier has, and whether some chosen ones are among them.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Final

from podcast_scraper.errors import EngineUnavailableError
from podcast_scraper.search.backend import BackendHealth
from podcast_scraper.search.documents import TIERS

if TYPE_CHECKING:
    from podcast_scraper.search.backends.engine_records import EngineRecords
    from podcast_scraper.search.backends.milvus_collections import Collections

SENTINELS: Final = 16
SECONDS: Final = 30.0


class Canary:
    """Compares the collections of a generation with its records. Thread-safe."""

    def __init__(self, records: EngineRecords, collections: Collections, consistency: str) -> None:
        self._records = records
        self._collections = collections
        self._consistency = consistency
        self._lock = threading.Lock()
        self._last: tuple[float, BackendHealth] | None = None

    def look(self) -> BackendHealth:
        """Count what the server finds of each tier and say what is missing."""
        health = self._compared()
        self._last = (time.monotonic(), health)
        return health

    def recent(self) -> BackendHealth:
        """Return a finding that is at most :data:`SECONDS` old.

        One caller looks anew when it is older; the others take the old one meanwhile.
        """
        last = self._last
        if last is not None and time.monotonic() - last[0] < SECONDS:
            return last[1]
        if last is not None and not self._lock.acquire(blocking=False):
            return last[1]
        if last is None:
            self._lock.acquire()
        try:
            return self.look()
        finally:
            self._lock.release()

    def _compared(self) -> BackendHealth:
        lag = self._records.lag()
        found: dict[str, int] = {}
        reasons: list[str] = []
        try:
            for tier, expected in self._records.queries.count().items():
                found[tier] = self._collections.count(tier, consistency=self._consistency)
                fewest = expected - lag.get((tier, False), 0)
                most = expected + lag.get((tier, True), 0)
                if not fewest <= found[tier] <= most:
                    reasons.append(f"{expected} {tier} documents but {found[tier]} in Milvus")
                elif not lag and (missing := self._missing(tier)):
                    reasons.append(f"{tier} documents {missing} are not found in Milvus")
        except EngineUnavailableError as error:
            reasons.append(error.message)
        documents = {tier: found.get(tier, 0) for tier in TIERS}
        return BackendHealth(documents, degraded=bool(reasons), reasons=tuple(reasons))

    def _missing(self, tier: str) -> list[int]:
        sentinels = self._records.queries.spread(tier, SENTINELS)
        present = self._collections.present(tier, sentinels, consistency=self._consistency)
        return [key for key in sentinels if key not in present]
