"""The graph as arrays: compressed sparse rows of a typed, undirected view (150 k nodes and 1 M
edges take about 30 MB), with what ranking needs of every node beside them.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Final

import numpy as np

from podcast_scraper.identity.canonical import base_id
from podcast_scraper.search.graph.edge_types import KNOWN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from podcast_scraper.search.graph.rows import GraphRows, NodeRow

OUT: Final = 1  # the edge leaves this row's node
IN: Final = 2  # the edge arrives at this row's node
CERTAIN: Final = 4  # at least one file states it; without this bit it is inferred
NO_NODE: Final = -1
NO_DAY: Final = -(2**31)


@dataclass(frozen=True, slots=True)
class Adjacency:
    """Rows ``indptr[i]:indptr[i+1]`` list the edges of node i, by edge type and neighbour.

    Each edge stands in both its rows. ``flags`` combine OUT, IN and CERTAIN.
    """

    indptr: NDArray[np.int64]
    neighbor: NDArray[np.int32]
    edge_type: NDArray[np.uint8]
    flags: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.indptr) - 1


@dataclass(frozen=True, slots=True)
class Edges:
    """Directed edges as parallel arrays; ``certain`` is false for inferred ones."""

    source: NDArray[np.int32]
    target: NDArray[np.int32]
    edge_type: NDArray[np.uint8]
    certain: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class NodeColumns:
    """One value per node, nodes in the order of their ids.

    ``home`` is the node of the episode of an insight or quote, and of the show of an episode.
    ``day`` counts days since 1970-01-01 (NO_DAY: unknown) of the episode, also for what is at home
    in it. ``base`` numbers the groups of insights and quotes whose id recurs over episodes.
    """

    node_type: NDArray[np.uint8]
    home: NDArray[np.int32]
    day: NDArray[np.int32]
    hint: NDArray[np.float32]
    grounded: NDArray[np.bool_]
    base: NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class CompiledGraph:
    """Everything that is computed from rows, ready to be walked or written."""

    ids: Sequence[str]
    labels: Sequence[str]
    node_types: tuple[str, ...]
    edge_types: tuple[str, ...]
    columns: NodeColumns
    adjacency: Adjacency


def compile_rows(rows: GraphRows) -> CompiledGraph:
    """Compile rows. Edges to unknown nodes and self-loops are left out, doubled edges are one."""
    ids = sorted(rows.nodes)
    index = {node_id: number for number, node_id in enumerate(ids)}
    nodes = [rows.nodes[node_id] for node_id in ids]
    node_types = tuple(sorted({node.type for node in nodes}))
    edge_types = (*KNOWN, *sorted({edge.type for edge in rows.edges} - set(KNOWN)))
    code = {name: number for number, name in enumerate(edge_types)}
    kept = [
        (index[e.source], index[e.target], code[e.type], (e.type, e.source, e.target))
        for e in rows.edges
        if e.source in index and e.target in index and e.source != e.target
    ]
    edges = Edges(
        np.array([k[0] for k in kept], dtype=np.int32),
        np.array([k[1] for k in kept], dtype=np.int32),
        np.array([k[2] for k in kept], dtype=np.uint8),
        np.array([k[3] not in rows.inferred for k in kept], dtype=np.bool_),
    )
    return CompiledGraph(
        ids,
        [node.label for node in nodes],
        node_types,
        edge_types,
        _columns(ids, nodes, index, node_types),
        build_adjacency(len(ids), edges),
    )


def build_adjacency(size: int, edges: Edges) -> Adjacency:
    """Sort edges into rows, each in both directions, doubled ones merged."""
    row = np.concatenate([edges.source, edges.target]).astype(np.int64)
    neighbor = np.concatenate([edges.target, edges.source]).astype(np.int64)
    kind = np.concatenate([edges.edge_type, edges.edge_type])
    certain = np.where(edges.certain, CERTAIN, 0).astype(np.uint8)
    flags = np.concatenate([certain | OUT, certain | IN])
    if not row.size:
        empty = np.empty(0, np.uint8)
        return Adjacency(np.zeros(size + 1, np.int64), np.empty(0, np.int32), empty, empty)
    order = np.lexsort((neighbor, kind, row))
    row, neighbor, kind, flags = row[order], neighbor[order], kind[order], flags[order]
    new = np.ones(row.size, dtype=np.bool_)
    new[1:] = (row[1:] != row[:-1]) | (neighbor[1:] != neighbor[:-1]) | (kind[1:] != kind[:-1])
    starts = np.flatnonzero(new)
    counts = np.bincount(row[starts], minlength=size)
    return Adjacency(
        np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        neighbor[starts].astype(np.int32),
        kind[starts],
        np.bitwise_or.reduceat(flags, starts).astype(np.uint8),
    )


def directed_edges(adjacency: Adjacency) -> Edges:
    """Return every edge once, in its own direction: the inverse of :func:`build_adjacency`."""
    row = np.repeat(np.arange(len(adjacency), dtype=np.int32), np.diff(adjacency.indptr))
    out = (adjacency.flags & OUT) > 0
    return Edges(
        row[out],
        adjacency.neighbor[out],
        adjacency.edge_type[out],
        (adjacency.flags[out] & CERTAIN) > 0,
    )


def _columns(
    ids: Sequence[str],
    nodes: Sequence[NodeRow],
    index: dict[str, int],
    node_types: tuple[str, ...],
) -> NodeColumns:
    code = {name: number for number, name in enumerate(node_types)}
    home = np.array([index.get(n.home or "", NO_NODE) for n in nodes], dtype=np.int32)
    day = np.array([_day(n.published) for n in nodes], dtype=np.int32)
    at_home = (home != NO_NODE) & (day == NO_DAY)
    day[at_home] = day[home[at_home]]
    return NodeColumns(
        np.array([code[n.type] for n in nodes], dtype=np.uint8),
        home,
        day,
        np.array(
            [np.nan if n.position_hint is None else n.position_hint for n in nodes], np.float32
        ),
        np.array([n.grounded for n in nodes], dtype=np.bool_),
        _recurrences(ids),
    )


def _day(published: str | None) -> int:
    if published is None:
        return NO_DAY
    return date.fromisoformat(published[:10]).toordinal() - date(1970, 1, 1).toordinal()


def _recurrences(ids: Sequence[str]) -> NDArray[np.int32]:
    groups: dict[str, list[int]] = defaultdict(list)
    for number, node_id in enumerate(ids):
        base = base_id(node_id)
        if base != node_id:
            groups[base].append(number)
    found = np.full(len(ids), NO_NODE, dtype=np.int32)
    for number, members in enumerate(groups.values()):
        found[members] = number
    return found
