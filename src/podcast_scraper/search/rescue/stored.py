"""What graph rescue keeps in an index generation: columns, walkable graph, hyperedges.

::

    rescue/rescue.json              version, counts
    rescue/*.npy                    documents, their nodes and neighbours, the cut graph, hyperedges
    rescue/graph-hyperedges.kv      see :mod:`podcast_scraper.search.rescue.hyperedge_store`

Written once when an index is built, checked when it is opened.
"""

from __future__ import annotations

import json
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from podcast_scraper.errors import IndexDamagedError, IndexMismatchError
from podcast_scraper.search.graph.arrays import directed_edges
from podcast_scraper.search.graph.files import StoredGraph
from podcast_scraper.search.graph.strings import Strings, pack, places_of, taken
from podcast_scraper.search.rescue.activation import (
    EDGE_WEIGHTS,
    ActivationGraph,
    EdgeArrays,
    SpreadOptions,
)
from podcast_scraper.search.rescue.column_builder import neighbours_of
from podcast_scraper.search.rescue.decoration import ReadTogether
from podcast_scraper.search.rescue.document_nodes import read_document_nodes
from podcast_scraper.search.rescue.hyperedge_store import (
    FILE_NAME,
    write_hyperedges,
)
from podcast_scraper.search.rescue.hyperedges import hyperedges_of
from podcast_scraper.search.rescue.hypergraph import HyperedgeArrays, Hypergraph, numbered
from podcast_scraper.search.rescue.incidence import Chosen, Numbering, Rows
from podcast_scraper.search.rescue.kg_columns import KgColumns
from podcast_scraper.search.rescue.traversal import Traversal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    import sqlalchemy as sa
    from numpy.typing import NDArray

    from podcast_scraper.search.graph.arrays import CompiledGraph

DIRECTORY: Final = "rescue"
VERSION: Final = 2
COLUMNS_KEPT: Final = 4096

_REBUILD: Final = "Build the index again with `podcast-scraper index`."


def write_rescue(generation_dir: Path, engine: sa.Engine, compiled: CompiledGraph) -> None:
    """Write a generation's columns, graph and hyperedges, after documents and graph are written."""
    directory = generation_dir / DIRECTORY
    directory.mkdir(exist_ok=True)
    documents = read_document_nodes(engine)
    graph = walkable(compiled)
    numbers = places_of(compiled.ids)
    doc_ids = sorted(documents.nodes)
    nodes = Rows.from_lists(
        [[one for one in documents.nodes[doc] if one in numbers] for doc in doc_ids], numbers
    )
    neighbours = neighbours_of(nodes, graph.rows)
    arrays: dict[str, NDArray[Any]] = {
        "doc_keys": np.array([documents.keys[doc] for doc in doc_ids], dtype=np.int64),
        "node_starts": nodes.starts,
        "node_items": nodes.items.astype(np.int32),
        "neighbour_starts": neighbours.starts,
        "neighbour_items": neighbours.items.astype(np.int32),
        "graph_starts": graph.rows.starts,
        "graph_items": graph.rows.items.astype(np.int32),
        "graph_weights": graph.weights,
        "graph_damping": graph.damping,
    }
    arrays["doc_ids"], arrays["doc_id_offsets"] = pack(doc_ids)
    hyperedges = hyperedges_of(documents.statements)
    arrays |= _hyperedge_arrays(numbered(hyperedges, Numbering(doc_ids)))
    for name, array in arrays.items():
        np.save(directory / f"{name}.npy", array, allow_pickle=False)
    write_hyperedges(directory / FILE_NAME, hyperedges)
    description = {"version": VERSION, "documents": len(doc_ids), "nodes": len(compiled.ids)}
    (directory / "rescue.json").write_text(json.dumps(description), encoding="utf-8")


def _hyperedge_arrays(edges: HyperedgeArrays) -> dict[str, NDArray[Any]]:
    ids, id_offsets = pack(edges.ids)
    node_ids, node_id_offsets = pack(edges.node_ids)
    return {
        "edge_ids": ids,
        "edge_id_offsets": id_offsets,
        "edge_node_ids": node_ids,
        "edge_node_id_offsets": node_id_offsets,
        "edge_weights": edges.weights,
        "edge_nodes_starts": edges.nodes_of_edge.starts,
        "edge_nodes_items": edges.nodes_of_edge.items.astype(np.int32),
        "edge_docs_starts": edges.docs_of_edge.starts,
        "edge_docs_items": edges.docs_of_edge.items.astype(np.int32),
    }


def walkable(compiled: CompiledGraph) -> ActivationGraph:
    """Return the graph that is walked: meaning-bearing edges with derived speaker links."""
    # scipy is needed by a build alone; a search should not wait for its import.
    from podcast_scraper.search.graph.speaker_links import with_speaker_links

    edges = directed_edges(with_speaker_links(compiled).adjacency)
    weights = np.array([EDGE_WEIGHTS.get(name, 0.0) for name in compiled.edge_types])
    arrays = EdgeArrays(
        edges.source.astype(np.int64), edges.target.astype(np.int64), weights[edges.edge_type]
    )
    return ActivationGraph.build(arrays, len(compiled.ids), SpreadOptions())


class StoredRescue:
    """The rescue part of a generation, opened. Thread-safe; parts are read when first used."""

    def __init__(self, generation_dir: Path) -> None:
        """Open and check. Raises IndexDamagedError or, for another version, IndexMismatchError."""
        self._generation_dir = generation_dir
        self._directory = generation_dir / DIRECTORY
        try:
            text = (self._directory / "rescue.json").read_text(encoding="utf-8")
            description = json.loads(text)
            if description["version"] != VERSION:
                raise IndexMismatchError(
                    f"The rescue files in {self._directory} have version"
                    f" {description['version']}; this version reads {VERSION}.",
                    mend=_REBUILD,
                    subject=self._directory,
                )
            self.documents = Numbering(
                Strings(self._array("doc_ids"), self._array("doc_id_offsets"))
            )
            self.doc_keys: NDArray[np.int64] = self._array("doc_keys")
            self._nodes = self._rows("node", description["nodes"])
            self._neighbours = self._rows("neighbour", description["nodes"])
            complete = (
                len(self.documents.ids) == len(self.doc_keys) == description["documents"]
                and len(self._nodes.starts) == len(self._neighbours.starts)
                and len(self._nodes.starts) == len(self.documents.ids) + 1
            )
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise self._damaged() from error
        if not complete:
            raise self._damaged()

    @property
    def doc_ids(self) -> Sequence[str]:
        """The ids of the documents, sorted."""
        return self.documents.ids

    @cached_property
    def graph(self) -> StoredGraph:
        """Ids, centralities and communities of the nodes."""
        return StoredGraph(self._generation_dir)

    @cached_property
    def traversal(self) -> Traversal:
        """The traversal lane over the stored graph."""
        ids = self.graph.compiled.ids
        graph = ActivationGraph(
            self._rows("graph", len(ids)),
            self._array("graph_weights"),
            self._array("graph_damping"),
            SpreadOptions(),
        )
        if len(graph.damping) != len(ids) or len(graph.weights) != len(graph.rows.items):
            raise self._damaged()
        return Traversal(ids, graph, self.documents, self._nodes)

    @property
    def hyperedge_path(self) -> Path:
        return self._directory / FILE_NAME

    @cached_property
    def hypergraph(self) -> Hypergraph:
        """The hypergraph lane over the stored hyperedges."""
        try:
            edge_ids = Strings(self._array("edge_ids"), self._array("edge_id_offsets"))
            node_ids = Strings(self._array("edge_node_ids"), self._array("edge_node_id_offsets"))
            edges = HyperedgeArrays(
                edge_ids,
                node_ids,
                self._array("edge_weights"),
                self._rows("edge_nodes", len(node_ids)),
                self._rows("edge_docs", len(self.documents.ids)),
            )
        except (OSError, ValueError) as error:
            raise self._damaged() from error
        counts = {len(edges.weights), len(edges.nodes_of_edge.lengths), len(edge_ids)}
        if counts != {len(edges.docs_of_edge.lengths)}:
            raise self._damaged()
        return Hypergraph(edges, self.documents)

    @cached_property
    def columns(self) -> Mapping[str, Mapping[str, Any]]:
        """The KG columns of every document, by id."""
        return _StoredColumns(self.documents, self._nodes, self._neighbours, self.graph)

    def with_keys(self, keys: NDArray[np.int64]) -> Chosen:
        """Return the documents with these keys."""
        return Chosen(self.documents, np.isin(self.doc_keys, keys))

    def _rows(self, name: str, item_count: int) -> Rows:
        rows = Rows(self._array(f"{name}_starts"), self._array(f"{name}_items"))
        in_bounds = not len(rows.items) or (
            int(rows.items.min()) >= 0 and int(rows.items.max()) < item_count
        )
        if not in_bounds or rows.starts[-1] != len(rows.items) or (rows.lengths < 0).any():
            raise self._damaged()
        return rows

    def _array(self, name: str) -> NDArray[Any]:
        mapped = np.load(self._directory / f"{name}.npy", mmap_mode="r", allow_pickle=False)
        return np.asarray(mapped)

    def _damaged(self) -> IndexDamagedError:
        return IndexDamagedError(
            f"The rescue files in {self._directory} cannot be read.",
            mend=_REBUILD,
            subject=self._directory,
        )


class _StoredColumns(ReadTogether):
    """Columns made from arrays when asked for; what was made is kept until it is too much."""

    def __init__(
        self, documents: Numbering, nodes: Rows, neighbours: Rows, graph: StoredGraph
    ) -> None:
        self._documents = documents
        self._nodes = nodes
        self._neighbours = neighbours
        self._graph = graph
        self._kept: dict[str, Mapping[str, Any]] = {}

    def __getitem__(self, doc_id: str) -> Mapping[str, Any]:
        kept = self._kept.get(doc_id)
        return kept if kept is not None else self._make([doc_id])[doc_id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._documents.ids)

    def __len__(self) -> int:
        return len(self._documents.ids)

    def read(self, doc_ids: Iterable[str]) -> None:
        """Make the columns of many documents at once; unknown ids are passed over."""
        missing = [one for one in doc_ids if one not in self._kept]
        self._make([one for one in missing if one in self._documents.places])

    def _make(self, doc_ids: Sequence[str]) -> dict[str, Mapping[str, Any]]:
        if not doc_ids:
            return {}
        places = [self._documents.places[one] for one in doc_ids]
        own = [self._nodes.row(place) for place in places]
        rows = [*own, *(self._neighbours.row(place) for place in places)]
        ids = iter(taken(self._graph.compiled.ids, np.concatenate(rows)))
        named = [tuple(islice(ids, len(row))) for row in rows]
        nodes = np.concatenate(own)
        communities = iter(self._graph.community[nodes].tolist())
        centralities = iter(self._graph.centrality[nodes].tolist())
        made: dict[str, Mapping[str, Any]] = {
            doc_id: KgColumns(
                ids_of_doc,
                around,
                tuple(islice(communities, len(ids_of_doc))),
                tuple(islice(centralities, len(ids_of_doc))),
            ).as_metadata()
            for doc_id, ids_of_doc, around in zip(
                doc_ids, named[: len(own)], named[len(own) :], strict=True
            )
        }
        if len(self._kept) > COLUMNS_KEPT:
            self._kept = {}
        self._kept.update(made)
        return made
