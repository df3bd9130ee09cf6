"""The base: dense and BM25, fused with each other and with nothing else."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from podcast_scraper.errors import UsageError
from podcast_scraper.search.backend import ScoredResult
from podcast_scraper.search.fusion import max_normalise, rrf_fuse
from podcast_scraper.search.rescue.gate import FirstStageSignals
from podcast_scraper.search.retrieval import agreement_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from podcast_scraper.search.rescue.lanes import FirstStage
    from podcast_scraper.search.rescue.records import Candidate, QueryBundle


@dataclass(frozen=True, slots=True)
class Base:
    """The base of one query, best 1.0; ``fused`` tells whether RRF made its scores."""

    candidates: tuple[Candidate, ...]
    signals: FirstStageSignals
    fused: bool


@dataclass(frozen=True, slots=True)
class FirstStages:
    """The engines. Either may be missing or find nothing; the other's order then stands."""

    dense: FirstStage | None
    bm25: FirstStage | None
    pool_k: int = 100
    agreement_k: int = 10

    def search(self, bundle: QueryBundle) -> Base:
        """Ask both engines for ``pool_k`` documents and fuse them by RRF (k = 60)."""
        found = {
            signal: _ranked(engine.search(bundle, self.pool_k), signal, self.pool_k)
            for signal, engine in (("vector", self.dense), ("bm25", self.bm25))
            if engine is not None
        }
        dense, bm25 = found.get("vector", []), found.get("bm25", [])
        signals = FirstStageSignals(
            agreement_of(bm25, dense, k=self.agreement_k), dense[0].score if dense else None
        )
        filled = [ranked for ranked in (dense, bm25) if ranked]
        fused = len(filled) == 2
        results = rrf_fuse(filled) if fused else [one for ranked in filled for one in ranked]
        # The payload is the candidate itself, of the list that held it first.
        base = tuple(
            one.payload["candidate"].with_score(one.score) for one in max_normalise(results)
        )
        return Base(base, signals, fused)


def _ranked(candidates: Sequence[Candidate], signal: str, pool_k: int) -> list[ScoredResult]:
    best: dict[str, Candidate] = {}
    for candidate in sorted(candidates, key=_order):
        best.setdefault(candidate.id, candidate)
    return [
        ScoredResult(one.id, one.score or 0.0, rank, {"candidate": one}, signal, "")
        for rank, one in enumerate(list(best.values())[:pool_k], start=1)
    ]


def _order(candidate: Candidate) -> tuple[float, str]:
    if candidate.score is None or not math.isfinite(candidate.score):
        raise UsageError(
            f"An engine gave {candidate.id!r} the score {candidate.score!r}.",
            mend="Every first-stage score is a finite number.",
            subject=candidate.id,
        )
    return (-candidate.score, candidate.id)
