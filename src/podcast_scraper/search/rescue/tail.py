"""Graph rescue as the tail of the product's retrieval layer."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Protocol

from podcast_scraper.search.backend import ScoredResult
from podcast_scraper.search.rescue.gate import FirstStageSignals
from podcast_scraper.search.rescue.records import Candidate, QueryBundle, RescueRetrieval
from podcast_scraper.search.tail import Tail

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from podcast_scraper.search.backend import Filters, Tier
    from podcast_scraper.search.rescue.seeds import SeedMatch
    from podcast_scraper.search.rescue.stage import RescueStage
    from podcast_scraper.search.tail import TailQuery


class SeedFinder(Protocol):
    """Finds the graph nodes that a query names."""

    def seed(self, text: str) -> SeedMatch: ...


class GraphTail:
    """A :class:`~podcast_scraper.search.tail.RescueTail` over a stage.

    ``allowed`` gives the ids of the documents that filters and tier leave, None for all: what
    restricts the base restricts the rescued too.
    """

    def __init__(
        self,
        stage: RescueStage,
        seeder: SeedFinder,
        allowed: Callable[[Filters, Tier], Collection[str] | None],
    ) -> None:
        self._stage = stage
        self._seeder = seeder
        self._allowed = allowed

    def extend(self, query: TailQuery) -> Tail:
        """Return the base, its order changed by the expander alone, and the rescued."""
        found = self.retrieve(query)
        by_id = {result.doc_id: result for result in query.base}
        # A base that nothing touched is handed back as it came.
        base = (
            [
                replace(by_id[one.id], score=one.score or 0.0, rank=rank)
                for rank, one in enumerate(found.base, start=1)
            ]
            if found.gate.fired
            else query.base
        )
        return Tail(
            base=base,
            rescued=[
                _rescued(one, rank)
                for rank, one in enumerate(found.union[len(found.base) :], start=1)
            ],
            gate=found.gate,
            lanes={lane: asdict(state) for lane, state in found.lanes.items()},
            bonuses=found.bonuses,
        )

    def retrieve(self, query: TailQuery) -> RescueRetrieval:
        """Return base and union of a query, from which selections can be made."""
        seeds = self._seeder.seed(query.text)
        return self._stage.extend(
            QueryBundle(query.text, None, seeds.node_ids, seeds.mentions),
            [
                Candidate(one.doc_id, one.score, one.payload["text"], one.payload)
                for one in query.base
            ],
            FirstStageSignals(query.agreement, query.confidence),
            fused=query.fused,
            mode=query.mode,
            allowed=self._allowed(query.filters, query.tier),
        )


def _rescued(candidate: Candidate, rank: int) -> ScoredResult:
    """The score of a rescued result orders the tail and is shown nowhere."""
    tier = str(candidate.metadata.get("tier") or "")
    return ScoredResult(candidate.id, 0.0, rank, candidate.metadata, "rescue", tier)
