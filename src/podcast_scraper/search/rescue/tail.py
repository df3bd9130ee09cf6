"""Graph rescue as the tail of the product's retrieval layer."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Protocol

from podcast_scraper.search.backend import ScoredResult
from podcast_scraper.search.documents import payload_of
from podcast_scraper.search.rescue.gate import FirstStageSignals
from podcast_scraper.search.rescue.records import Candidate, QueryBundle
from podcast_scraper.search.tail import Tail

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from podcast_scraper.search.backend import Filters, SearchBackend, Tier
    from podcast_scraper.search.rescue.lanes import DocumentResolver, LaneRanking
    from podcast_scraper.search.rescue.seeds import SeedMatch, Seeds
    from podcast_scraper.search.rescue.stage import Extension, RescueStage
    from podcast_scraper.search.rescue.traversal import Traversal
    from podcast_scraper.search.tail import TailQuery


class SeedFinder(Protocol):
    """Finds the graph nodes that a query names."""

    def seed(self, text: str) -> SeedMatch: ...


@dataclass(frozen=True, slots=True)
class IndexedTraversal:
    """The traversal lane over arrays, its documents from the index."""

    traversal: Traversal
    documents: DocumentResolver

    def search(
        self, seeds: Seeds, k: int, *, allowed: Collection[str] | None = None
    ) -> LaneRanking:
        """Return the ``k`` best documents."""
        return self.traversal.search(seeds, k, allowed=allowed)


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
        """Return the base, its order changed by the expander alone, and the rescued.

        A base whose gate stays closed is handed back as it came.
        """
        seeds = self._seeder.seed(query.text)
        bundle = QueryBundle(query.text, None, seeds.node_ids, seeds.mentions)
        signals = FirstStageSignals(query.agreement, query.confidence)
        gate = self._stage.decide(bundle, signals, mode=query.mode)
        if not gate.fired:
            states = self._stage.unasked()
            return Tail(
                base=query.base,
                gate=gate,
                lanes={lane: asdict(state) for lane, state in states.items()},
                union=lambda: self._stage.retrieval(self._extend(query, bundle, signals)),
            )
        found = self._extend(query, bundle, signals)
        by_id = {result.doc_id: result for result in query.base}
        return Tail(
            base=[
                _ranked(by_id[one.id], one.score or 0.0, rank)
                for rank, one in enumerate(found.base, start=1)
            ],
            rescued=[_rescued(one, rank) for rank, one in enumerate(found.appended, start=1)],
            gate=gate,
            lanes={lane: asdict(state) for lane, state in found.run.states.items()},
            bonuses=found.bonuses,
            union=lambda: self._stage.retrieval(found),
        )

    def _extend(
        self, query: TailQuery, bundle: QueryBundle, signals: FirstStageSignals
    ) -> Extension:
        return self._stage.extend(
            bundle,
            [candidate_of(one) for one in query.base],
            signals,
            fused=query.fused,
            mode=query.mode,
            allowed=self._allowed(query.filters, query.tier),
        )


def candidate_of(result: ScoredResult) -> Candidate:
    """Return a result of the index as a candidate; its payload is the metadata."""
    return Candidate(result.doc_id, result.score, result.payload["text"], result.payload)


def documents_of(backend: SearchBackend) -> DocumentResolver:
    """Return what gives candidates from an index by id."""

    def resolve(doc_ids: Sequence[str]) -> Mapping[str, Candidate]:
        found = backend.fetch(doc_ids)
        return {
            doc_id: Candidate(doc_id, None, document.text, payload_of(document))
            for doc_id, document in found.items()
        }

    return resolve


def _ranked(result: ScoredResult, score: float, rank: int) -> ScoredResult:
    return ScoredResult(
        result.doc_id, score, rank, result.payload, result.signal, result.source_tier
    )


def _rescued(candidate: Candidate, rank: int) -> ScoredResult:
    # The place in the tail is its only order: a rescued document has no score to show.
    tier = str(candidate.metadata.get("tier") or "")
    return ScoredResult(candidate.id, 0.0, rank, candidate.metadata, "rescue", tier)
