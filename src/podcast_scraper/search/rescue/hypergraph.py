"""The hypergraph lane: one diffusion step from seeds over hyperedges to documents.

::

    a(e)  = w(e) · mean of a(n) over the nodes of e
    a'(n) = 0.35 · a(n) + 0.65 · mean of a(e) over the hyperedges of n
    a'(e) = w(e) · mean of a'(n) over the nodes of e

with w = 1 for insights and 0.5 for bridges. A document scores the largest a'(e) of its hyperedges
plus a tenth of the sum of the others. In both halves the 1 024 most active hyperedges hand
activation on, and those of nodes with very many hyperedges are found by rarer nodes
(:data:`~podcast_scraper.search.rescue.incidence.BUDGET`): that bounds the cost of a query. The
bounds choose which hyperedges take part; each of these has the activation that its nodes give it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from podcast_scraper.search.graph.strings import places_of
from podcast_scraper.search.rescue.hyperedges import KIND_WEIGHTS, Hyperedge
from podcast_scraper.search.rescue.incidence import (
    BUDGET,
    Numbering,
    Rows,
    Sparse,
    best_of,
    merged,
)
from podcast_scraper.search.rescue.lanes import LaneRanking
from podcast_scraper.search.rescue.records import HyperedgeSignal, HypergraphSignals

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from numpy.typing import NDArray

    from podcast_scraper.search.rescue.seeds import Seeds

KEEP: Final = 0.35
TAKE: Final = 0.65
OTHERS: Final = 0.1
ACTIVE: Final = 1024


@dataclass(frozen=True, slots=True)
class Diffusion:
    """Activations of one query: nodes before and after, the hyperedges that handed on, and after.

    ``edges`` are the most active; of any other ask :meth:`Hypergraph.activations`.
    """

    nodes_before: Sparse
    nodes: Sparse
    edges_before: Sparse
    edges: Sparse


@dataclass(frozen=True, slots=True)
class HyperedgeArrays:
    """Hyperedges by number: ids (both lists sorted), weights, and what each holds.

    ``nodes_of_edge`` are numbers of ``node_ids``, ``docs_of_edge`` those of a numbering of
    documents.
    """

    ids: Sequence[str]
    node_ids: Sequence[str]
    weights: NDArray[np.float64]
    nodes_of_edge: Rows
    docs_of_edge: Rows


def numbered(hyperedges: Iterable[Hyperedge], documents: Numbering) -> HyperedgeArrays:
    """Return hyperedges as arrays; documents without a number are passed over.

    The order of ``hyperedges`` never matters; their ids are distinct.
    """
    edges = sorted(hyperedges, key=lambda edge: edge.id)
    node_ids = sorted({node for edge in edges for node in edge.nodes})
    known = documents.places
    return HyperedgeArrays(
        [edge.id for edge in edges],
        node_ids,
        np.array([KIND_WEIGHTS[edge.kind] for edge in edges], dtype=np.float64),
        Rows.from_lists([edge.nodes for edge in edges], places_of(node_ids)),
        Rows.from_lists([[d for d in edge.documents if d in known] for edge in edges], known),
    )


class Hypergraph:
    """Hyperedges as rows of numbers. Built once an index generation; safe between threads."""

    def __init__(self, edges: HyperedgeArrays, documents: Numbering) -> None:
        """Take arrays over numbered documents; :meth:`over` takes hyperedges as they are."""
        self._edge_ids = edges.ids
        self._node_ids = edges.node_ids
        self._places = places_of(edges.node_ids)
        self._documents = documents
        self._nodes_of_edge = edges.nodes_of_edge
        self._edges_of_node = self._nodes_of_edge.transposed(len(self._node_ids))
        self._docs_of_edge = edges.docs_of_edge
        self._edges_of_doc = self._docs_of_edge.transposed(len(documents.ids))
        self._weights = edges.weights
        self._size_of_edge = np.maximum(self._nodes_of_edge.lengths, 1)
        self._none = np.empty(0, dtype=np.int64)
        self._degree = np.maximum(self._edges_of_node.lengths, 1)

    @classmethod
    def over(cls, hyperedges: Iterable[Hyperedge]) -> Hypergraph:
        """Take hyperedges in any order, over the documents that they name."""
        edges = list(hyperedges)
        documents = Numbering(sorted({doc for edge in edges for doc in edge.documents}))
        return cls(numbered(edges, documents), documents)

    def search(
        self, seeds: Seeds, k: int, *, allowed: Collection[str] | None = None
    ) -> HypergraphRanking:
        """Return the ``k`` best documents; seeds that no hyperedge holds are passed over."""
        known = {node: value for node, value in seeds.items() if node in self._places}
        if not known:
            return HypergraphRanking((), lambda _: (), known, lambda _: ())
        diffusion = self.diffuse(known)
        hits = best_of(
            self._scores(diffusion.edges),
            self._documents,
            k,
            allowed=allowed,
        )
        return HypergraphRanking(
            hits,
            lambda doc_id: self._path(diffusion, doc_id),
            known,
            lambda doc_ids: self._signals(diffusion, doc_ids),
        )

    def diffuse(self, seeds: Seeds) -> Diffusion:
        """Spread the activation of ``seeds``, all of them nodes of the hypergraph, one step."""
        before = Sparse.of({self._places[node]: value for node, value in seeds.items()})
        touched = self._most_active(before, self._none)
        sums, _ = self._nodes_of_edge.spread(touched, len(self._nodes_of_edge.items))
        places = merged(before.places, sums.places)
        taken = sums.at(places) / self._degree[places]
        nodes = Sparse(places, KEEP * before.at(places) + TAKE * taken)
        return Diffusion(before, nodes, touched, self._most_active(nodes, touched.places))

    def activations(self, edges: NDArray[np.int64], nodes: Sparse) -> NDArray[np.float64]:
        """Return ``w(e) · mean of a(n)`` of hyperedges under activations of nodes."""
        sums = self._nodes_of_edge.sums(edges, nodes)
        return np.asarray(self._weights[edges] * sums / self._size_of_edge[edges])

    def _most_active(self, nodes: Sparse, known: NDArray[np.int64]) -> Sparse:
        """Return the most active hyperedges of ``nodes``; ``known`` ones always take part."""
        sums, complete = self._edges_of_node.spread(nodes, BUDGET)
        edges = sums.places
        found = Sparse(edges, self._weights[edges] * sums.values / self._size_of_edge[edges])
        if complete:
            return found.top(ACTIVE)
        edges = merged(found.top(ACTIVE).places, known)
        return Sparse(edges, self.activations(edges, nodes)).top(ACTIVE)

    def _scores(self, edges: Sparse) -> Sparse:
        rows = self._docs_of_edge
        lengths = rows.starts[edges.places + 1] - rows.starts[edges.places]
        values = np.repeat(edges.values, lengths)
        documents = rows.items[rows.positions(edges.places)]
        distinct, inverse = np.unique(documents, return_inverse=True)
        sums = np.bincount(inverse, weights=values, minlength=len(distinct))
        largest = np.zeros(len(distinct))
        np.maximum.at(largest, inverse, values)
        return Sparse(distinct.astype(np.int64), largest + OTHERS * (sums - largest))

    def _path(self, diffusion: Diffusion, doc_id: str) -> tuple[str, ...]:
        """Seed, hyperedge; or seed, hyperedge, shared node, hyperedge."""
        edges = self._edges_of_doc.row(self._documents.places[doc_id])
        best = np.argmax(self.activations(edges, diffusion.nodes)) if len(edges) > 1 else 0
        edge = int(edges[best])
        nodes = self._nodes_of_edge.row(edge)
        seed = _strongest(nodes, diffusion.nodes_before)
        if diffusion.nodes_before.at(np.array([seed]))[0] > 0:
            return self._node_ids[seed], self._edge_ids[edge]
        node = _strongest(nodes, diffusion.nodes)
        through = _strongest(self._handed_on(diffusion, node), diffusion.edges_before)
        seed = _strongest(self._nodes_of_edge.row(through), diffusion.nodes_before)
        return (
            self._node_ids[seed],
            self._edge_ids[through],
            self._node_ids[node],
            self._edge_ids[edge],
        )

    def _handed_on(self, diffusion: Diffusion, node: int) -> NDArray[np.int64]:
        """Return the hyperedges that handed activation on to ``node``; its own may be very many."""
        touched = diffusion.edges_before.places
        row = self._edges_of_node.row(node)
        found = np.minimum(np.searchsorted(row, touched), len(row) - 1)
        held: NDArray[np.int64] = touched[row[found] == touched]
        return held

    def _signals(self, diffusion: Diffusion, doc_ids: Sequence[str]) -> tuple[HyperedgeSignal, ...]:
        wanted: dict[int, list[str]] = {}
        for doc_id in sorted(set(doc_ids) & self._documents.places.keys()):
            for edge in self._edges_of_doc.row(self._documents.places[doc_id]).tolist():
                wanted.setdefault(edge, []).append(doc_id)
        edges = np.array(sorted(wanted), dtype=np.int64)
        return tuple(
            HyperedgeSignal(
                self._edge_ids[edge],
                tuple(self._node_ids[node] for node in self._nodes_of_edge.row(edge).tolist()),
                activation,
                tuple(wanted[edge]),
            )
            for edge, activation in zip(
                edges.tolist(), self.activations(edges, diffusion.nodes).tolist(), strict=True
            )
            if activation > 0
        )


@dataclass(frozen=True, slots=True)
class HypergraphRanking(LaneRanking):
    """A ranking that also carries what ``coe`` selects by."""

    seeds: Seeds
    signals_of: Any

    def signals(self, doc_ids: Sequence[str]) -> HypergraphSignals:
        """Return the hyperedges of these documents that were reached, and the seeds."""
        return HypergraphSignals(dict(self.seeds), self.signals_of(doc_ids))


def _strongest(places: NDArray[np.signedinteger[Any]], values: Sparse) -> int:
    ordered = np.sort(places)
    return int(ordered[np.argmax(values.at(ordered))])
