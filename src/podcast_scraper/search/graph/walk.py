"""Walking the compressed adjacency: whole frontiers at once, in node numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from podcast_scraper.search.graph.arrays import Adjacency


def typed_row(adjacency: Adjacency, node: int, code: int) -> slice:
    """Return the part of a node's row that holds one edge type (rows are sorted by it)."""
    start, end = int(adjacency.indptr[node]), int(adjacency.indptr[node + 1])
    kinds = adjacency.edge_type[start:end]
    low, high = np.searchsorted(kinds, [code, code + 1])
    return slice(start + int(low), start + int(high))


@dataclass(frozen=True, slots=True)
class Relation:
    """The rows of one edge type alone."""

    indptr: NDArray[np.int64]
    neighbor: NDArray[np.int32]


def one_type(adjacency: Adjacency, code: int) -> Relation:
    """Return the part of the adjacency that is of one edge type."""
    kept = adjacency.edge_type == code
    ends = np.concatenate([[0], np.cumsum(kept, dtype=np.int64)])
    return Relation(ends[adjacency.indptr], adjacency.neighbor[kept])


def expand(
    indptr: NDArray[np.int64], nodes: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return all row entries of ``nodes``: the position in ``nodes``, and the entry's position."""
    starts = indptr[nodes]
    counts = indptr[nodes + 1] - starts
    owner = np.repeat(np.arange(nodes.size), counts)
    ends = np.cumsum(counts)
    entry = np.arange(owner.size) + np.repeat(starts - (ends - counts), counts)
    return owner, entry


def hops_from(
    adjacency: Adjacency, start: int, max_hops: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Breadth-first search: the nodes reached, by hop and then number, and their hops."""
    seen = np.zeros(len(adjacency), dtype=np.bool_)
    seen[start] = True
    frontier = np.array([start], dtype=np.int64)
    levels = [frontier]
    for _ in range(max_hops):
        _, entry = expand(adjacency.indptr, frontier)
        reached = np.zeros(len(adjacency), dtype=np.bool_)
        reached[adjacency.neighbor[entry]] = True
        frontier = np.flatnonzero(reached & ~seen)
        if not frontier.size:
            break
        seen[frontier] = True
        levels.append(frontier)
    sizes = [level.size for level in levels]
    return np.concatenate(levels), np.repeat(np.arange(len(levels)), sizes)
