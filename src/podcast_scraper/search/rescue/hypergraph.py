"""The hypergraph lane: one diffusion step from seeds over hyperedges to documents.

::

    a(e)  = w(e) · mean of a(n) over the nodes of e
    a'(n) = 0.35 · a(n) + 0.65 · mean of a(e) over the hyperedges of n
    a'(e) = w(e) · mean of a'(n) over the nodes of e

with w = 1 for insights and 0.5 for bridges. A document scores the largest a'(e) of its hyperedges
plus a tenth of the sum of the others. In both halves the 4 096 most active hyperedges hand
activation on, which bounds the cost of a query.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from podcast_scraper.search.graph.strings import places_of
from podcast_scraper.search.rescue.hyperedges import KIND_WEIGHTS, Hyperedge
from podcast_scraper.search.rescue.incidence import Numbering, Rows, best_of, most_active
from podcast_scraper.search.rescue.lanes import LaneRanking
from podcast_scraper.search.rescue.records import HyperedgeSignal, HypergraphSignals

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from numpy.typing import NDArray

    from podcast_scraper.search.rescue.seeds import Seeds

KEEP: Final = 0.35
TAKE: Final = 0.65
OTHERS: Final = 0.1
ACTIVE: Final = 4096


@dataclass(frozen=True, slots=True)
class Diffusion:
    """Activations of one query: nodes before and after, hyperedges before and after."""

    nodes_before: NDArray[np.float64]
    nodes: NDArray[np.float64]
    edges_before: NDArray[np.float64]
    edges: NDArray[np.float64]


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
    """Hyperedges as sparse matrices. Built once an index generation; safe between threads."""

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
        self._degree = np.maximum(self._edges_of_node.lengths, 1)
        self._to_edges = _matrix(self._nodes_of_edge, len(self._node_ids))

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
            self._score(diffusion.edges),
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
        places = np.array(sorted(self._places[node] for node in seeds), dtype=np.int64)
        given = np.array([seeds[self._node_ids[place]] for place in places.tolist()])
        before = np.zeros(len(self._node_ids))
        before[places] = given
        sums = self._edges_of_node.summed(places, given, len(self._edge_ids))
        edges_before = self._weights * sums / self._size_of_edge
        touched = most_active(np.flatnonzero(edges_before > 0), edges_before, ACTIVE)
        sums = self._nodes_of_edge.summed(touched, edges_before[touched], len(before))
        nodes = KEEP * before + TAKE * sums / self._degree
        return Diffusion(before, nodes, edges_before, self._weights * (self._to_edges @ nodes))

    def _score(self, edges: NDArray[np.float64]) -> NDArray[np.float64]:
        active = most_active(np.flatnonzero(edges > 0), edges, ACTIVE)
        rows = self._docs_of_edge
        values = np.repeat(edges[active], rows.starts[active + 1] - rows.starts[active])
        documents = rows.items[rows.positions(active)]
        sums = np.bincount(documents, weights=values, minlength=len(self._documents.ids))
        largest = np.zeros(len(self._documents.ids))
        np.maximum.at(largest, documents, values)
        scores: NDArray[np.float64] = largest + OTHERS * (sums - largest)
        return scores

    def _path(self, diffusion: Diffusion, doc_id: str) -> tuple[str, ...]:
        """Seed, hyperedge; or seed, hyperedge, shared node, hyperedge."""
        edges = self._edges_of_doc.row(self._documents.places[doc_id])
        edge = _strongest(edges, diffusion.edges)
        nodes = self._nodes_of_edge.row(edge)
        seed = _strongest(nodes, diffusion.nodes_before)
        if diffusion.nodes_before[seed] > 0:
            return self._node_ids[seed], self._edge_ids[edge]
        node = _strongest(nodes, diffusion.nodes)
        through = _strongest(self._edges_of_node.row(node), diffusion.edges_before)
        seed = _strongest(self._nodes_of_edge.row(through), diffusion.nodes_before)
        return (
            self._node_ids[seed],
            self._edge_ids[through],
            self._node_ids[node],
            self._edge_ids[edge],
        )

    def _signals(self, diffusion: Diffusion, doc_ids: Sequence[str]) -> tuple[HyperedgeSignal, ...]:
        wanted: dict[int, list[str]] = {}
        for doc_id in sorted(set(doc_ids) & self._documents.places.keys()):
            for edge in self._edges_of_doc.row(self._documents.places[doc_id]).tolist():
                wanted.setdefault(edge, []).append(doc_id)
        return tuple(
            HyperedgeSignal(
                self._edge_ids[edge],
                tuple(self._node_ids[node] for node in self._nodes_of_edge.row(edge).tolist()),
                float(diffusion.edges[edge]),
                tuple(documents),
            )
            for edge, documents in sorted(wanted.items())
            if diffusion.edges[edge] > 0
        )


@dataclass(frozen=True, slots=True)
class HypergraphRanking(LaneRanking):
    """A ranking that also carries what ``coe`` selects by."""

    seeds: Seeds
    signals_of: Any

    def signals(self, doc_ids: Sequence[str]) -> HypergraphSignals:
        """Return the hyperedges of these documents that were reached, and the seeds."""
        return HypergraphSignals(dict(self.seeds), self.signals_of(doc_ids))


def _matrix(rows: Rows, columns: int) -> Any:
    """Return the matrix that maps values of items to the mean of each row."""
    from scipy.sparse import csr_array

    shares = np.repeat(1.0 / np.maximum(rows.lengths, 1), rows.lengths)
    # Half the index bytes: the product is bound by memory.
    parts = (shares, rows.items.astype(np.int32), rows.starts.astype(np.int32))
    return csr_array(parts, shape=(len(rows.lengths), columns))


def _strongest(places: NDArray[np.signedinteger[Any]], values: NDArray[np.float64]) -> int:
    ordered = np.sort(places)
    return int(ordered[np.argmax(values[ordered])])
