"""What the stages of one query hand on to each other, and how long each took."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from podcast_scraper.search.backend import ScoredResult
    from podcast_scraper.search.fusion import Contribution


@dataclass(frozen=True, slots=True)
class FirstStages:
    """The raw lists (None: not run) and the vector that was searched for."""

    bm25: list[ScoredResult] | None
    vector: list[ScoredResult] | None
    embedding: NDArray[np.float32] | None


@dataclass(frozen=True, slots=True)
class Ranked:
    """The base in its final order, best 1.0; ``rrf_scale`` tells whether RRF made its scores."""

    base: list[ScoredResult]
    contributions: Mapping[str, tuple[Contribution, ...]]
    shares: Mapping[str, float]
    notes: Mapping[str, Mapping[str, Any]]
    rrf_scale: bool


class Clock:
    """Milliseconds between stamps, by stage."""

    def __init__(self) -> None:
        self.timings: dict[str, float] = {}
        self._last = time.perf_counter()

    def stamp(self, stage: str) -> None:
        now = time.perf_counter()
        self.timings[stage] = round((now - self._last) * 1000, 3)
        self._last = now
