"""KG proximity (RFC-091): present, tested and dormant.

Insights near an entity in the graph, scored by inverse hop distance. Measured as a retrieval signal
it does not help (``docs/rfc/091-kg-proximity.md``), so nothing in production fills the slot that
:class:`podcast_scraper.search.retrieval.RetrievalLayer` has for it; the evaluation can.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from podcast_scraper.identity.names import normalise
from podcast_scraper.search.backend import Filters, ScoredResult
from podcast_scraper.search.graph.arrays import NO_NODE
from podcast_scraper.search.relations import statements
from podcast_scraper.search.relations.assemble import day_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from podcast_scraper.search.corpus_graph import CorpusGraph
    from podcast_scraper.search.graph.records import GraphNode

RETRIEVABLE: Final = ("insight", "segment")
BATCH: Final = 500


class KGProximitySearch:
    """Breadth-first search from an entity over all typed edges, at most ``max_hops`` away."""

    def __init__(self, graph: CorpusGraph, *, max_hops: int = 3) -> None:
        self._graph = graph
        self._max_hops = max_hops

    def search(
        self, entity_id: str, k: int = 20, filters: Filters | None = None
    ) -> list[ScoredResult]:
        """Return up to ``k`` insights and segments, score ``1 / (hop + 1)``, ranks from 1.

        Equal scores stand by id. An unknown entity, or a ``k`` below 1, gives an empty list.
        """
        reached = self._graph.bfs(entity_id, self._max_hops)
        near = [i for i in reached if self._graph.node_type(i) in RETRIEVABLE]
        near.sort(key=lambda node_id: (reached[node_id], node_id))
        results: list[ScoredResult] = []
        for node in self._read(near):
            if len(results) >= k:
                break
            if self._passes(node, filters or Filters()):
                results.append(
                    ScoredResult(
                        doc_id=node.id,
                        score=1.0 / (reached[node.id] + 1),
                        rank=len(results) + 1,
                        payload=node.payload,
                        signal="kg",
                        source_tier=node.type,
                    )
                )
        return results

    def _read(self, node_ids: Sequence[str]) -> Iterator[GraphNode]:
        # Hubs reach tens of thousands of nodes, of which a page is wanted.
        for start in range(0, len(node_ids), BATCH):
            yield from self._graph.get_nodes(node_ids[start : start + BATCH]).values()

    def _passes(self, node: GraphNode, filters: Filters) -> bool:
        if not filters:
            return True
        graph = self._graph
        number = graph.number(node.id)
        assert number is not None
        own = np.array([number])
        home = int(graph.columns.home[number])
        show = NO_NODE if home == NO_NODE else int(graph.columns.home[home])
        day = day_text(graph, number)
        text = f" {normalise(str(node.payload.get('text', '')))} "
        return (
            _any(filters.shows, [] if show == NO_NODE else [graph.ids[show]])
            and _any(filters.episodes, [] if home == NO_NODE else [graph.ids[home]], "episode:")
            and _any(filters.persons, self._ids(statements.speakers_of(graph, own)[1]))
            and _any(filters.mentions, self._ids(statements.mentioned_in(graph, own)[1]))
            and _any(filters.topics, self._ids(graph.typed(number, "ABOUT")))
            and _any(filters.insight_types, [str(node.payload.get("insight_type", "unknown"))])
            and (filters.since is None or (day is not None and day >= filters.since))
            and (filters.until is None or (day is not None and day <= filters.until))
            and all(f" {normalise(phrase)} " in text for phrase in filters.phrases)
            and not any(f" {normalise(word)} " in text for word in filters.excluded)
        )

    def _ids(self, numbers: Iterable[int]) -> list[str]:
        return [self._graph.ids[number] for number in numbers]


def _any(wanted: Sequence[str], held: Sequence[str], prefix: str = "") -> bool:
    """Tell whether one of the alternatives is held; no alternatives ask for nothing."""
    return not wanted or any(
        value.removeprefix(prefix) in wanted or value in wanted for value in held
    )
