"""RFC-091's experiment: KG proximity as a third list of RRF, and as a rerank of the base.

Both are built on RRF over the first stages (``hybrid:rrf`` is their baseline), since that is the
fusion in which the RFC proposed the signal.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from podcast_scraper.evaluate.corpus_workbench import CorpusWorkbench, entity_of
from podcast_scraper.evaluate.product_systems import LayerSystem, layer_over
from podcast_scraper.evaluate.set_workbench import SetWorkbench
from podcast_scraper.evaluate.speaker_graph import speaker_graph
from podcast_scraper.evaluate.systems import GateOutcome, NotApplicable, register
from podcast_scraper.search.kg_proximity import KGProximitySearch

if TYPE_CHECKING:
    from collections.abc import Mapping

    from podcast_scraper.evaluate.sets import SetItem
    from podcast_scraper.evaluate.systems import Ranking, System
    from podcast_scraper.evaluate.workbench import Workbench
    from podcast_scraper.identity.resolver import EntityResolver
    from podcast_scraper.search.backend import ScoredResult
    from podcast_scraper.search.retrieval import RetrievalLayer
    from podcast_scraper.search.tail import RerankQuery


class EntityOfQuery:
    """The entity that a text names, else the one it mentions alone; None for several."""

    def __init__(self, resolver: EntityResolver) -> None:
        self._resolver = resolver

    def resolve(self, text: str) -> str | None:
        """Return its id, or None."""
        return entity_of(self._resolver, text)


class ProximityReranker:
    """Orders the base by graph distance to the entity of the query; the unreached come last."""

    name = "kg-proximity"

    def __init__(self, entities: EntityOfQuery, proximity: KGProximitySearch, pool_k: int) -> None:
        self._entities = entities
        self._proximity = proximity
        self._pool_k = pool_k

    def rerank(
        self, query: RerankQuery
    ) -> tuple[list[ScoredResult], Mapping[str, Mapping[str, Any]]]:
        """Return the base by proximity score, equal ones in base order."""
        entity = self._entities.resolve(query.text)
        if entity is None:
            return list(query.base), {}
        near = self._proximity.search(entity, k=self._pool_k, filters=query.filters)
        scores = {one.doc_id: one.score for one in near}
        ordered = sorted(query.base, key=lambda one: (-scores.get(one.doc_id, 0.0), one.rank))
        return ordered, {}


class ProximitySystem:
    """A system that also reports on how many queries the signal fired."""

    def __init__(self, system: LayerSystem, entities: EntityOfQuery) -> None:
        self._system = system
        self._entities = entities

    def rank(self, query: SetItem, k: int) -> Ranking:
        """Answer, with the entity as the reason of a gate that fired."""
        entity = self._entities.resolve(query.text)
        ranking = self._system.rank(query, k)
        reasons = () if entity is None else (entity.partition(":")[0],)
        return replace(ranking, gate=GateOutcome(entity is not None, reasons))


@register("hybrid+kg-union", "KG proximity as a third list of RRF (RFC-091)")
def union(workbench: Workbench, parameter: str | None) -> System:
    entities, proximity = _parts(workbench)
    layer = _layer(workbench, kg_proximity=proximity, entity_resolver=entities)
    return ProximitySystem(LayerSystem(workbench, layer), entities)


@register("hybrid+kg-rerank", "RRF reordered by KG proximity (RFC-091)")
def rerank(workbench: Workbench, parameter: str | None) -> System:
    entities, proximity = _parts(workbench)
    reranker = ProximityReranker(entities, proximity, workbench.pool_k)
    layer = _layer(workbench, reranker=reranker)
    return ProximitySystem(LayerSystem(workbench, layer), entities)


def _layer(workbench: Workbench, **parts: Any) -> RetrievalLayer:
    """RRF with the weights of the baseline: those of a query without an intent."""
    return layer_over(workbench, router=lambda _: "semantic", **parts)


def _parts(workbench: Workbench) -> tuple[EntityOfQuery, KGProximitySearch]:
    if isinstance(workbench, CorpusWorkbench):
        graph, resolver = workbench.corpus.graph, workbench.corpus.index.resolver
        return EntityOfQuery(resolver), KGProximitySearch(graph)
    found = speaker_graph(workbench) if isinstance(workbench, SetWorkbench) else None
    if found is None:
        raise NotApplicable("The set has no artifact corpus and names no speakers: no graph.")
    return EntityOfQuery(found[1]), KGProximitySearch(found[0])
