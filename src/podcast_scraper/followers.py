"""What an open index says of the search engines that follow its records: lag, and what is wrong."""

from __future__ import annotations

import time
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, Final

from podcast_scraper.storage.dialects import on_postgresql
from podcast_scraper.storage.outbox import Outbox

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import sqlalchemy as sa

    from podcast_scraper.search.results import SearchResponse
    from podcast_scraper.storage.outbox import Target

SECONDS: Final = 1.0


class Followers:
    """The engines that follow, as they were at most :data:`SECONDS` ago. Thread-safe.

    A reader of a SQLite file sees what it saw first, so there they are not known; `outbox status`
    lists them. ``noticed`` says what is wrong with the engines that are being searched.
    """

    def __init__(
        self,
        engine: sa.Engine,
        noticed: Callable[[], Sequence[str]] = tuple,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._outbox = Outbox(engine) if on_postgresql(engine) else None
        self._noticed = noticed
        self._clock = clock
        self._seen: tuple[float, tuple[Target, ...]] | None = None

    def targets(self) -> tuple[Target, ...]:
        """Return the engines that follow, by name."""
        if self._outbox is None:
            return ()
        now, seen = self._clock(), self._seen
        if seen is None or now - seen[0] >= SECONDS:
            seen = self._seen = now, tuple(self._outbox.targets())
        return seen[1]

    @property
    def lag(self) -> int:
        """How many changes the slowest has yet to be told."""
        return max((target.lag for target in self.targets()), default=0)

    @property
    def reasons(self) -> list[str]:
        """What is wrong with them: as the worker found that tells them, and as was noticed here."""
        told = (reason for target in self.targets() for reason in target.reasons)
        return list(dict.fromkeys((*told, *self._noticed())))

    def health(self) -> dict[str, Any]:
        """Return what the health of an index says of them, as JSON values."""
        return {"index_lag": self.lag, "followers": [asdict(one) for one in self.targets()]}

    def marked(self, response: SearchResponse) -> SearchResponse:
        """Return an answer with the lag, degraded where a follower lacks something."""
        reasons = self.reasons
        if not reasons and not self.targets():
            return response
        return replace(
            response,
            index_lag=self.lag,
            degraded=response.degraded or bool(reasons),
            notes=(*response.notes, *reasons),
        )
