"""The retrieval layer (RFC-090): stages, fusion, rerank, gated tail, compound results.

::

    search_bm25 ─┐
                 ├─ fusion ─ neighbours? ─ scale ─ rerank? ─ gate ─ rescue tail ─ compound results
    search_vector┘

The constructor's defaults are those of RFC-090 (RRF, no rerank, no tail);
:func:`podcast_scraper.search.default_layer.default_layer` is what the product runs.

The third-list slot for KG proximity exists for the evaluation alone; nothing in the product fills
it (RFC-091). The rescue tail is appended and never reorders the base.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, get_args

from podcast_scraper.errors import UsageError
from podcast_scraper.search.backend import Filters, ScoredResult, SearchBackend, SearchQuery, Tier
from podcast_scraper.search.dedup import Card, deduplicate, first_occurrences
from podcast_scraper.search.documents import payload_of
from podcast_scraper.search.fusion import (
    Contribution,
    Fused,
    Fusion,
    max_normalise,
    rank_scores,
    rrf,
    words_first,
)
from podcast_scraper.search.neighbours import add_shares, shares_of_neighbours
from podcast_scraper.search.router import (
    INTENTS,
    Intent,
    classify_query,
    signal_weights_for,
    tier_weights_for,
)
from podcast_scraper.search.stages import Clock, FirstStages, Ranked
from podcast_scraper.search.tail import (
    GateState,
    Reranker,
    RerankQuery,
    RescueTail,
    Tail,
    TailQuery,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from podcast_scraper.search.rescue.records import RescueRetrieval

    Embedding = NDArray[np.float32] | Callable[[], NDArray[np.float32] | None] | None

Signals = Literal["hybrid", "bm25", "vector"]

POOL_K: Final = 100
AGREEMENT_K: Final = 10
MAX_K: Final = 1000
BESIDE: Final = 2  # queries of which BM25 runs beside the rest, at the same time


class ProximitySearch(Protocol):
    """The third-list slot (``KGProximitySearch``), used by the evaluation alone."""

    def search(self, entity_id: str, k: int = 20, filters: Any = None) -> list[ScoredResult]: ...


class NameResolver(Protocol):
    """``EntityResolver``, as far as retrieval needs it."""

    def resolve(self, text: str) -> str | None: ...


@dataclass(frozen=True, slots=True)
class Retrieval:
    """Everything that one query gave, before it is cut to a page.

    ``bm25`` and ``vector`` are the raw stages (None: not run). ``base`` is the whole fused list,
    best 1.0, with payloads; ``cards`` the same as compound results; ``rescued`` the appended tail.
    ``neighbours`` is what neighbouring documents added to a fused score, before it was scaled.
    ``union`` gives what selectors spend budgets over, where there is a rescue tail.
    """

    intent: Intent
    bm25: Sequence[ScoredResult] | None
    vector: Sequence[ScoredResult] | None
    base: Sequence[ScoredResult]
    cards: Sequence[Card]
    rescued: Sequence[ScoredResult]
    rescued_cards: Sequence[Card]
    contributions: Mapping[str, tuple[Contribution, ...]]
    rerank: Mapping[str, Mapping[str, Any]]
    bonuses: Mapping[str, Mapping[str, Any]]
    gate: GateState
    lanes: Mapping[str, Mapping[str, Any]]
    timings_ms: Mapping[str, float]
    neighbours: Mapping[str, float] = field(default_factory=dict)
    union: Callable[[], RescueRetrieval] | None = None


class RetrievalLayer:
    """Runs a query through the stages of one backend."""

    def __init__(
        self,
        backend: SearchBackend,
        *,
        kg_proximity: ProximitySearch | None = None,
        entity_resolver: NameResolver | None = None,
        router: Callable[[str], Intent] | None = None,
        known_name: Callable[[str], bool] | None = None,
        fusion: Fusion | None = None,
        reranker: Reranker | None = None,
        rescue: RescueTail | None = None,
        neighbours: Callable[[Filters], Sequence[float]] | None = None,
        pool_k: int = POOL_K,
        agreement_k: int = AGREEMENT_K,
    ) -> None:
        self.backend = backend
        self._kg_proximity = kg_proximity
        self._entity_resolver = entity_resolver
        self._router = router if router is not None else classify_query
        self._known_name = known_name if known_name is not None else lambda _: False
        self._fusion = fusion if fusion is not None else rrf
        self._neighbours = neighbours
        self._reranker = reranker
        self._rescue = rescue
        self._pool_k = pool_k
        self._agreement_k = agreement_k
        self._beside = ThreadPoolExecutor(BESIDE, "bm25")  # starts no thread before it is needed

    def retrieve(
        self,
        text: str,
        embedding: NDArray[np.float32] | None,
        *,
        filters: Filters | None = None,
        k: int = 20,
        intent: Intent | None = None,
        signals: Signals = "hybrid",
        tier: Tier = "all",
    ) -> list[Card]:
        """Return the top ``k`` cards (1 ≤ k ≤ 1000) of the base; see :meth:`run` for all of it."""
        if not 1 <= k <= MAX_K:
            raise UsageError(f"k is {k}.", mend=f"Give a k between 1 and {MAX_K}.", subject=k)
        found = self.run(
            text, embedding, filters=filters, intent=intent, signals=signals, tier=tier
        )
        return list(found.cards[:k])

    def run(
        self,
        text: str,
        embedding: Embedding,
        *,
        filters: Filters | None = None,
        intent: Intent | None = None,
        signals: Signals = "hybrid",
        tier: Tier = "all",
        graph: str | None = None,
        signal_weights: Mapping[str, float] | None = None,
        tier_weights: Mapping[str, float] | None = None,
    ) -> Retrieval:
        """Run one query.

        Where ``embedding`` is a function, it is called while BM25 runs in another thread. ``graph``
        overrides the rescue mode (off, auto, force). The weights override those of the intent.
        A known name over a corpus, unless an intent or weights are given, is ranked by BM25; what
        meaning found follows, and neighbours and rerank are left out (RFC-100).
        Raises UsageError for a signal or an intent that does not exist.
        """
        _check(signals, intent)
        clock = Clock()
        filters = filters if filters is not None else Filters()
        free = intent is None and signal_weights is None and len(filters.episodes) != 1
        by_words = free and self._known_name(text)
        chosen: Intent = intent or ("entity_lookup" if by_words else self._router(text))
        query = SearchQuery(text, None, filters, self._pool_k, tier)
        stages = self._first_stages(query, embedding, signals, clock)
        lists = [x for x in (stages.vector, stages.bm25, self._proximity(text, filters)) if x]
        weights = (
            signal_weights or signal_weights_for(chosen),
            tier_weights or tier_weights_for(chosen),
        )
        ranked = self._ranked(query, lists, weights, clock, by_words=by_words)
        tail = self._extend(stages, ranked.base, query, graph, fused=ranked.rrf_scale)
        clock.stamp("rescue")
        return _retrieval(chosen, stages, ranked, tail, clock)

    def browse(self, filters: Filters, *, tier: Tier = "all") -> Retrieval:
        """List what satisfies filters, newest first: the answer to a query without words."""
        clock = Clock()
        listed = self._hydrate(self.backend.browse(SearchQuery("", None, filters, MAX_K, tier)))
        clock.stamp("browse")
        base = [result.moved(1.0, result.rank) for result in listed]
        return Retrieval(
            "semantic",
            None,
            None,
            base,
            deduplicate(first_occurrences(base)),
            (),
            (),
            {},
            {},
            {},
            GateState(),
            {},
            clock.timings,
        )

    def _fuse(
        self,
        lists: Sequence[Sequence[ScoredResult]],
        signal_weights: Mapping[str, float],
        tier_weights: Mapping[str, float],
    ) -> Fused:
        if len(lists) != 1:
            return self._fusion(lists, signal_weights=signal_weights, tier_weights=tier_weights)
        # One list alone is not fused: its own order and scores stand, and no weight applies.
        (alone,) = lists
        contributions = {
            one.doc_id: (Contribution(one.signal, one.rank, one.score, 1.0, 1.0, one.score),)
            for one in alone
        }
        return Fused(list(alone), contributions)

    def _ranked(
        self,
        query: SearchQuery,
        lists: Sequence[Sequence[ScoredResult]],
        weights: tuple[Mapping[str, float], Mapping[str, float]],
        clock: Clock,
        *,
        by_words: bool,
    ) -> Ranked:
        """Fuse by ``weights`` (of signals, of tiers), fetch, apply neighbours and rerank."""
        two = by_words and len(lists) > 1
        fused = words_first(lists) if two else self._fuse(lists, *weights)
        clock.stamp("fusion")
        base = self._hydrate(fused.results)
        clock.stamp("fetch")
        base, shares = self._with_neighbours(base, query.filters, alone=by_words or len(lists) < 2)
        clock.stamp("neighbours")
        notes: Mapping[str, Mapping[str, Any]] = {}
        if self._reranker is not None and base and not by_words:
            asked = RerankQuery(query.text, base, fused.contributions, query.filters)
            base, notes = self._reranker.rerank(asked)
            clock.stamp("rerank")
        rrf_scale = len(lists) > 1 and self._fusion is rrf and not shares and not notes
        keeps_scores = rrf_scale or (len(lists) < 2 and not notes)
        base = max_normalise(base) if keeps_scores else rank_scores(base)
        return Ranked(base, fused.contributions, shares, notes, rrf_scale)

    def _with_neighbours(
        self, base: list[ScoredResult], filters: Filters, *, alone: bool
    ) -> tuple[list[ScoredResult], Mapping[str, float]]:
        """Let neighbours share their fused scores; a list that was not fused stays as it is."""
        if alone or self._neighbours is None:
            return base, {}
        shares = shares_of_neighbours(base, self._neighbours(filters))
        return (add_shares(base, shares) if shares else base), shares

    def _hydrate(self, results: Sequence[ScoredResult]) -> list[ScoredResult]:
        """Give results their payloads in one read; a document deleted meanwhile drops out."""
        documents = self.backend.fetch([result.doc_id for result in results])
        return [
            ScoredResult(
                result.doc_id,
                result.score,
                result.rank,
                {**result.payload, **payload_of(documents[result.doc_id])},
                result.signal,
                result.source_tier,
            )
            for result in results
            if result.doc_id in documents
        ]

    def _proximity(self, text: str, filters: Filters) -> list[ScoredResult]:
        if self._kg_proximity is None or self._entity_resolver is None:
            return []
        entity = self._entity_resolver.resolve(text)
        if entity is None:
            return []
        return self._kg_proximity.search(entity, k=self._pool_k, filters=filters)

    def _first_stages(
        self, query: SearchQuery, embedding: Embedding, signals: Signals, clock: Clock
    ) -> FirstStages:
        """Run both stages. What BM25 took is what it made the query wait for."""
        pending = bm25 = vector = None
        if callable(embedding):
            if signals != "vector":
                pending = self._beside.submit(self.backend.search_bm25, query)
            embedding = embedding() if signals != "bm25" else None
            clock.stamp("encode")
        elif signals != "vector":
            bm25 = self.backend.search_bm25(query)
            clock.stamp("bm25")
        if signals != "bm25" and embedding is not None:
            vector = self.backend.search_vector(replace(query, embedding=embedding))
            clock.stamp("dense")
        if pending is not None:
            bm25 = pending.result()
            clock.stamp("bm25")
        return FirstStages(bm25, vector, embedding)

    def _extend(
        self,
        stages: FirstStages,
        base: Sequence[ScoredResult],
        query: SearchQuery,
        graph: str | None,
        *,
        fused: bool,
    ) -> Tail:
        asked = TailQuery(
            query.text,
            stages.embedding,
            base,
            agreement_of(stages.bm25, stages.vector, k=self._agreement_k),
            stages.vector[0].score if stages.vector else None,
            query.filters,
            graph,
            fused=fused,
            tier=query.tier,
        )
        if self._rescue is None:
            gate = GateState(agreement=asked.agreement, confidence=asked.confidence)
            return Tail(base=base, gate=gate)
        return self._rescue.extend(asked)


def _retrieval(
    intent: Intent, stages: FirstStages, ranked: Ranked, tail: Tail, clock: Clock
) -> Retrieval:
    cards = deduplicate(first_occurrences(tail.base))
    rescued_cards = deduplicate(first_occurrences(tail.rescued))
    clock.stamp("compound")
    return Retrieval(
        intent,
        stages.bm25,
        stages.vector,
        tail.base,
        cards,
        tail.rescued,
        rescued_cards,
        ranked.contributions,
        ranked.notes,
        tail.bonuses,
        tail.gate,
        tail.lanes,
        clock.timings,
        ranked.shares,
        tail.union,
    )


def agreement_of(
    bm25: Sequence[ScoredResult] | None,
    vector: Sequence[ScoredResult] | None,
    *,
    k: int = AGREEMENT_K,
) -> float | None:
    """Return the Jaccard overlap (0..1) of the two top-k id sets; None where a list is empty."""
    if not bm25 or not vector:
        return None
    first = {result.doc_id for result in bm25[:k]}
    second = {result.doc_id for result in vector[:k]}
    return len(first & second) / len(first | second)


def _check(signals: str, intent: str | None) -> None:
    if signals not in get_args(Signals):
        raise UsageError(
            f"There are no signals {signals!r}.",
            mend=f"Choose one of: {', '.join(get_args(Signals))}.",
            subject=signals,
        )
    if intent is not None and intent not in INTENTS:
        raise UsageError(
            f"There is no intent {intent!r}.",
            mend=f"Choose one of: {', '.join(INTENTS)}.",
            subject=intent,
        )
