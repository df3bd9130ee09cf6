"""A graph for a query set from ready (subject, relation, object) triples: ``openie.jsonl[.gz]``.

One line a document: ``{"id", "entities": [names], "triples": [[subject, relation, object]]}``.
Every name becomes a node, every triple an edge of type ``RELATES`` and a hyperedge, as an insight
is in a podcast; a document lies on all nodes that its line names. Nothing here calls a model.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scipy.sparse import coo_array

from podcast_scraper.errors import EvaluationError
from podcast_scraper.evaluate.sets import read_jsonl
from podcast_scraper.identity.slugify import slugify
from podcast_scraper.search.graph.analysis import communities, pagerank
from podcast_scraper.search.graph.strings import places_of
from podcast_scraper.search.rescue.activation import (
    ActivationGraph,
    SpreadOptions,
    TypedEdge,
    typed_arrays,
)
from podcast_scraper.search.rescue.column_builder import neighbours_of
from podcast_scraper.search.rescue.hyperedges import Hyperedge, Statement, hyperedges_of
from podcast_scraper.search.rescue.incidence import Rows
from podcast_scraper.search.rescue.kg_columns import KgColumns

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

RELATES: Final = "RELATES"
EDGE_WEIGHTS: Final = {RELATES: 1.0}


@dataclass(frozen=True, slots=True)
class TripleGraph:
    """What the lanes of graph rescue read of a set.

    ``nodes_of`` and ``columns`` are by document, ``aliases`` maps the names of entities to nodes.
    """

    edges: tuple[TypedEdge, ...]
    nodes_of: Mapping[str, tuple[str, ...]]
    columns: Mapping[str, Mapping[str, Any]]
    hyperedges: tuple[Hyperedge, ...]
    aliases: Mapping[str, tuple[str, ...]]


def read_triples(path: Path) -> TripleGraph:
    """Build the graph of a triples file. Raises EvaluationError that names a wrong line."""
    edges: list[TypedEdge] = []
    statements: list[Statement] = []
    nodes_of: dict[str, tuple[str, ...]] = {}
    aliases: dict[str, tuple[str, ...]] = {}
    for number, row in read_jsonl(path):
        try:
            doc_id, entities, triples = row["id"], row["entities"], row["triples"]
            pairs = [(_node(subject), _node(object_)) for subject, _, object_ in triples]
            named = {name: _node(name) for name in entities}
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise EvaluationError(
                f"{path} line {number} is not a line of entities and triples.", subject=path
            ) from error
        aliases |= {name: (node,) for name, node in named.items()}
        edges += [(subject, RELATES, object_, 1.0) for subject, object_ in pairs]
        statements += [
            Statement(f"{doc_id}#{place}", doc_id, pair, (doc_id,))
            for place, pair in enumerate(pairs)
        ]
        nodes = {*named.values(), *(node for pair in pairs for node in pair)}
        nodes_of[doc_id] = tuple(sorted(nodes))
    return TripleGraph(
        tuple(edges), nodes_of, _columns(edges, nodes_of), tuple(hyperedges_of(statements)), aliases
    )


def _node(name: str) -> str:
    return f"entity:{slugify(name)}"


def _columns(
    edges: Sequence[TypedEdge], nodes_of: Mapping[str, Iterable[str]]
) -> dict[str, Mapping[str, Any]]:
    node_ids = sorted({node for nodes in nodes_of.values() for node in nodes})
    places = places_of(node_ids)
    arrays = typed_arrays(edges, places, EDGE_WEIGHTS)
    graph = ActivationGraph.build(arrays, len(node_ids), SpreadOptions())
    rows = np.concatenate((arrays.source, arrays.target))
    columns = np.concatenate((arrays.target, arrays.source))
    size = len(node_ids)
    matrix = coo_array((np.ones(len(rows)), (rows, columns)), shape=(size, size)).tocsr()
    centrality, community = pagerank(matrix), communities(matrix)
    nodes = Rows.from_lists([list(nodes) for nodes in nodes_of.values()], places)
    neighbours = neighbours_of(nodes, graph.rows)
    return {
        doc_id: KgColumns(
            tuple(node_ids[node] for node in nodes.row(place).tolist()),
            tuple(node_ids[node] for node in neighbours.row(place).tolist()),
            tuple(community[nodes.row(place)].tolist()),
            tuple(centrality[nodes.row(place)].tolist()),
        ).as_metadata()
        for place, doc_id in enumerate(nodes_of)
    }
