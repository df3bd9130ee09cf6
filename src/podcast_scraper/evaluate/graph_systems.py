"""Systems over a set with a graph: rescue as it ships, and the fusion that it replaces."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from podcast_scraper.errors import UsageError
from podcast_scraper.evaluate.corpus_workbench import CorpusWorkbench
from podcast_scraper.evaluate.openie import EDGE_WEIGHTS, TripleGraph, read_triples
from podcast_scraper.evaluate.product_systems import LayerSystem
from podcast_scraper.evaluate.systems import GateOutcome, NotApplicable, Ranking, register
from podcast_scraper.search.backend import ScoredResult
from podcast_scraper.search.default_layer import default_layer
from podcast_scraper.search.fusion import rrf_fuse
from podcast_scraper.search.rescue.config import RescueConfig
from podcast_scraper.search.rescue.decoration import KgColumnDecorator
from podcast_scraper.search.rescue.hypergraph import Hypergraph
from podcast_scraper.search.rescue.lane_run import Lanes
from podcast_scraper.search.rescue.records import QueryBundle
from podcast_scraper.search.rescue.seeds import AliasQuerySeeder, harvest_seeds
from podcast_scraper.search.rescue.selectors import Selectors
from podcast_scraper.search.rescue.stage import RescueStage
from podcast_scraper.search.rescue.tail import (
    GraphTail,
    IndexedTraversal,
    candidate_of,
    documents_of,
)
from podcast_scraper.search.rescue.traversal import Traversal
from podcast_scraper.search.rescue.words import UNICODE_WORDS
from podcast_scraper.search.retrieval import RetrievalLayer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from podcast_scraper.evaluate.sets import SetItem
    from podcast_scraper.evaluate.systems import System
    from podcast_scraper.evaluate.workbench import Workbench
    from podcast_scraper.search.rescue.tail import SeedFinder
    from podcast_scraper.search.retrieval import Retrieval, Signals

BUDGETS: Final = (500, 1_000, 2_000, 4_000, 8_000, 10_000, 16_000)

_OPTIONS: Final = ("off", "auto", "force", "plain", "packed", "coe")


@dataclass(frozen=True, slots=True)
class GraphOfSet:
    """A set's graph: the walk over it, the columns of its documents, the names it knows."""

    traversal: Traversal
    columns: Mapping[str, Mapping[str, Any]]
    seeder: SeedFinder
    config: RescueConfig
    tail: Callable[[RescueConfig], GraphTail]

    @classmethod
    def of(cls, workbench: Workbench) -> GraphOfSet:
        """Take the graph of a corpus, or the triples of a set; NotApplicable without either."""
        if isinstance(workbench, CorpusWorkbench):
            rescue = workbench.corpus.index.rescue
            stored = rescue.stored
            return cls(
                stored.traversal, stored.columns, rescue.seeder, rescue.config, rescue.tail_with
            )
        path = workbench.query_set.triples
        if path is None:
            raise NotApplicable("The set has no graph (openie.jsonl).", subject=path)
        return cls._from_triples(workbench, read_triples(path))

    @classmethod
    def _from_triples(cls, workbench: Workbench, triples: TripleGraph) -> GraphOfSet:
        traversal = Traversal.over(triples.edges, triples.nodes_of, edge_weights=EDGE_WEIGHTS)
        seeder = AliasQuerySeeder(triples.aliases)
        resolve = documents_of(workbench.backend)
        lanes = Lanes(
            IndexedTraversal(traversal, resolve), Hypergraph.over(triples.hyperedges), resolve
        )
        decorate = KgColumnDecorator(triples.columns)

        def tail(config: RescueConfig) -> GraphTail:
            return GraphTail(RescueStage(config, lanes, decorate=decorate), seeder, lambda *_: None)

        return cls(traversal, triples.columns, seeder, RescueConfig(), tail)


class RescueSystem:
    """The product's layer with graph rescue as its tail: base, then what the graph appended.

    The whole union is returned whatever the depth asked, since the tail is what is looked at.
    """

    def __init__(self, workbench: Workbench, signals: Signals, options: Sequence[str]) -> None:
        graph = GraphOfSet.of(workbench)
        mode = next((one for one in options if one in ("off", "auto", "force")), "auto")
        config = replace(graph.config, graph_mode=mode)
        if "plain" in options:
            config = replace(config, hop_weight=0.0, community_weight=0.0, centrality_weight=0.0)
        self._selector = next((one for one in options if one in ("packed", "coe")), None)
        self._selectors = Selectors(config, UNICODE_WORDS, has_hypergraph=True)
        self._layer = _layer(workbench, signals, rescue=graph.tail(config))
        self._workbench = workbench
        self._signals = signals

    def rank(self, query: SetItem, k: int) -> Ranking:
        found, timings = _run(self._workbench, self._layer, self._signals, query)
        rescued = [one.doc_id for one in found.rescued]
        union = [*(one.doc_id for one in found.base), *rescued]
        return Ranking(
            self._workbench.to_set_ids(union),
            timings,
            frozenset(self._workbench.to_set_ids(rescued)),
            GateOutcome(found.gate.fired, found.gate.reasons),
            self._curve(found),
        )

    def _curve(self, found: Retrieval) -> dict[int, tuple[str, ...]]:
        if self._selector is None or found.union is None:
            return {}
        union = found.union()
        return {
            budget: self._workbench.to_set_ids(
                one.id
                for one in self._selectors.select(
                    union, selector=self._selector, budget=budget
                ).candidates
            )
            for budget in BUDGETS
        }


class FusedGraphSystem:
    """What is not done: the traversal as one more list of the fusion, at a weight."""

    def __init__(self, workbench: Workbench, signals: Signals, weight: float) -> None:
        self._graph = GraphOfSet.of(workbench)
        self._layer = _layer(workbench, signals)
        self._workbench = workbench
        self._signals = signals
        self._weight = weight
        self._decorate = KgColumnDecorator(self._graph.columns)

    def rank(self, query: SetItem, k: int) -> Ranking:
        found, timings = _run(self._workbench, self._layer, self._signals, query)
        match = self._graph.seeder.seed(query.text)
        bundle = QueryBundle(query.text, None, match.node_ids, match.mentions)
        base = self._decorate([candidate_of(one) for one in found.base])
        hits = self._graph.traversal.search(
            harvest_seeds(bundle, base), self._workbench.pool_k
        ).hits
        listed = [
            ScoredResult(doc_id, score, rank, {}, "kg", "segment")
            for rank, (doc_id, score) in enumerate(hits, start=1)
        ]
        lists = [ranked for ranked in (found.vector, found.bm25) if ranked]
        if self._weight:
            lists.append(listed)
        fused = rrf_fuse(lists, signal_weights={"kg": self._weight})
        return Ranking(self._workbench.to_set_ids(one.doc_id for one in fused)[:k], timings)


def _layer(workbench: Workbench, signals: Signals, **parts: Any) -> RetrievalLayer:
    make = default_layer if signals == "hybrid" else RetrievalLayer
    return make(workbench.backend, **{"pool_k": workbench.pool_k, **parts})


def _run(
    workbench: Workbench, layer: RetrievalLayer, signals: Signals, query: SetItem
) -> tuple[Retrieval, dict[str, float]]:
    embedding, timings = None, {}
    if signals != "bm25":
        embedding, timings["encode"] = workbench.embed(query)
    started = time.perf_counter()
    found = layer.run(query.text, embedding, filters=workbench.filters_for(query), signals=signals)
    timings |= found.timings_ms
    timings["all"] = (time.perf_counter() - started) * 1000 + timings.get("encode", 0.0)
    return found, timings


def _options(parameter: str | None) -> list[str]:
    options = (parameter or "auto").split("+")
    unknown = [one for one in options if one not in _OPTIONS]
    if unknown:
        raise UsageError(
            f"Unknown options of a rescue system: {', '.join(unknown)}.",
            mend=f"Join some of {', '.join(_OPTIONS)} with '+'.",
            subject=unknown,
        )
    return options


def _weight(parameter: str | None) -> float:
    try:
        weight = float(parameter or "1")
    except ValueError:
        weight = -1.0
    if not 0 <= weight <= 100:
        raise UsageError(
            f"The weight of a fused graph is {parameter!r}.",
            mend="Give a number from 0 to 100.",
            subject=parameter,
        )
    return weight


_PARAMETER: Final = "off|auto|force[+plain][+packed|coe]"


@register("bm25+rescue", "BM25 and graph rescue", parameter=_PARAMETER)
def bm25_rescue(workbench: Workbench, parameter: str | None) -> System:
    return RescueSystem(workbench, "bm25", _options(parameter))


@register("hybrid+rescue", "the hybrid and graph rescue", parameter=_PARAMETER)
def hybrid_rescue(workbench: Workbench, parameter: str | None) -> System:
    return RescueSystem(workbench, "hybrid", _options(parameter))


@register("bm25+fused-graph", "BM25 and the traversal fused, at a weight", parameter="WEIGHT")
def bm25_fused_graph(workbench: Workbench, parameter: str | None) -> System:
    return FusedGraphSystem(workbench, "bm25", _weight(parameter))


@register("fused-graph", "BM25, dense and the traversal fused, at a weight", parameter="WEIGHT")
def fused_graph(workbench: Workbench, parameter: str | None) -> System:
    return FusedGraphSystem(workbench, "hybrid", _weight(parameter))


@register("bm25-deeper", "BM25 with deeper lists: the union's rival at equal depth", parameter="K")
def bm25_deeper(workbench: Workbench, parameter: str | None) -> System:
    return LayerSystem(workbench, _layer(workbench, "bm25", pool_k=_pool(parameter)), "bm25")


@register("hybrid-deeper", "the hybrid with deeper lists, for equal depth", parameter="K")
def hybrid_deeper(workbench: Workbench, parameter: str | None) -> System:
    return LayerSystem(workbench, _layer(workbench, "hybrid", pool_k=_pool(parameter)))


def _pool(parameter: str | None) -> int:
    if parameter is None or not parameter.isdecimal() or int(parameter) < 1:
        raise UsageError(
            f"The depth is {parameter!r}.",
            mend="Give a whole number, such as 150.",
            subject=parameter,
        )
    return int(parameter)
