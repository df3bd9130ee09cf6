"""The traversal lane: activation that spread over the graph, summed over each document's nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from podcast_scraper.search.graph.strings import places_of
from podcast_scraper.search.rescue.activation import (
    EDGE_WEIGHTS,
    Activation,
    ActivationGraph,
    SpreadOptions,
    TypedEdge,
    typed_arrays,
)
from podcast_scraper.search.rescue.incidence import BUDGET, Numbering, Rows, Sparse, best_of, only
from podcast_scraper.search.rescue.lanes import LaneRanking

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from podcast_scraper.search.rescue.seeds import Seeds


# Where an active node has too many documents to read, so many of those found are scored in full.
RESCORED: Final = 2048


class Traversal:
    """A graph and the documents that lie on its nodes, held as arrays.

    A document scores ``Σ activation(n) / log2(2 + df(n))`` over its nodes, where ``df`` is the
    number of documents on a node: what is everywhere says little. Of nodes with very many documents
    only the score is taken, and their documents are found by rarer ones (:data:`BUDGET`): a bound
    may lose a document and never misstates a score. Built once an index generation; safe to share
    between threads.
    """

    def __init__(
        self,
        node_ids: Sequence[str],
        graph: ActivationGraph,
        documents: Numbering,
        nodes_of_doc: Rows,
    ) -> None:
        """Take a graph over ``node_ids`` and, for each document, the numbers of its nodes.

        Both lists of ids are sorted; :meth:`over` takes ids in any order.
        """
        self._node_ids = node_ids
        self._places = places_of(node_ids)
        self._graph = graph
        self._documents = documents
        self._nodes_of_doc = nodes_of_doc
        self._docs_of_node = nodes_of_doc.transposed(len(node_ids))
        self._share = 1.0 / np.log2(2.0 + self._docs_of_node.lengths)

    @classmethod
    def over(
        cls,
        edges: Iterable[TypedEdge],
        nodes_of: Mapping[str, Sequence[str]],
        *,
        edge_weights: Mapping[str, float] = EDGE_WEIGHTS,
        options: SpreadOptions | None = None,
    ) -> Traversal:
        """Take typed edges and, by document id, the ids of its own nodes, all in any order."""
        walked = [edge for edge in edges if edge_weights.get(edge[1], 0.0) > 0]
        named = {node for nodes in nodes_of.values() for node in nodes}
        named.update(edge[0] for edge in walked)
        named.update(edge[2] for edge in walked)
        node_ids = sorted(named)
        places = places_of(node_ids)
        graph = ActivationGraph.build(
            typed_arrays(walked, places, edge_weights),
            len(node_ids),
            options if options is not None else SpreadOptions(),
        )
        doc_ids = sorted(nodes_of)
        return cls(
            node_ids,
            graph,
            Numbering(doc_ids),
            Rows.from_lists([nodes_of[doc] for doc in doc_ids], places),
        )

    def search(
        self, seeds: Seeds, k: int, *, allowed: Collection[str] | None = None
    ) -> LaneRanking:
        """Return the ``k`` best documents; seeds that the graph does not hold are passed over."""
        known = {self._places[node]: value for node, value in seeds.items() if node in self._places}
        if not known:
            return LaneRanking((), lambda _: ())
        activation = self._graph.spread(known)
        nodes = activation.values
        shares = Sparse(nodes.places, nodes.values * self._share[nodes.places])
        scores = self._scores(shares, k, allowed)
        hits = best_of(scores, self._documents, k, allowed=allowed)
        return LaneRanking(hits, lambda doc_id: self._path(activation, doc_id))

    def _scores(self, shares: Sparse, k: int, allowed: Collection[str] | None) -> Sparse:
        if allowed is not None and len(allowed) <= RESCORED:
            documents = np.flatnonzero(self._documents.mask(allowed))
            return Sparse(documents, self._nodes_of_doc.sums(documents, shares))
        found, complete = self._docs_of_node.spread(shares, BUDGET)
        if complete:
            return found
        found = only(found, self._documents, allowed).top(max(k, RESCORED))
        return Sparse(found.places, self._nodes_of_doc.sums(found.places, shares))

    def _path(self, activation: Activation, doc_id: str) -> tuple[str, ...]:
        nodes = np.sort(self._nodes_of_doc.row(self._documents.places[doc_id]))
        strongest = nodes[np.argmax(activation.values.at(nodes) * self._share[nodes])]
        return tuple(self._node_ids[place] for place in activation.path_to(int(strongest)))
