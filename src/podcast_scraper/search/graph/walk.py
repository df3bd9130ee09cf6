"""Walking the compressed adjacency: whole frontiers at once, in node numbers."""

from __future__ import annotations

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


def expand(
    adjacency: Adjacency, nodes: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return all row entries of ``nodes``: the position in ``nodes``, and the entry's position."""
    starts = adjacency.indptr[nodes]
    counts = adjacency.indptr[nodes + 1] - starts
    owner = np.repeat(np.arange(nodes.size), counts)
    ends = np.cumsum(counts)
    entry = np.arange(owner.size) + np.repeat(starts - (ends - counts), counts)
    return owner, entry


def typed_expand(
    adjacency: Adjacency, nodes: NDArray[np.int64], code: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Like :func:`expand` for one edge type, giving neighbours instead of entries."""
    owner, entry = expand(adjacency, nodes)
    kept = adjacency.edge_type[entry] == code
    return owner[kept], adjacency.neighbor[entry[kept]].astype(np.int64)


def hops_from(
    adjacency: Adjacency, start: int, max_hops: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Breadth-first search: the nodes reached, by hop and then number, and their hops."""
    seen = np.zeros(len(adjacency), dtype=np.bool_)
    seen[start] = True
    frontier = np.array([start], dtype=np.int64)
    levels = [frontier]
    for _ in range(max_hops):
        _, entry = expand(adjacency, frontier)
        reached = np.zeros(len(adjacency), dtype=np.bool_)
        reached[adjacency.neighbor[entry]] = True
        frontier = np.flatnonzero(reached & ~seen)
        if not frontier.size:
            break
        seen[frontier] = True
        levels.append(frontier)
    sizes = [level.size for level in levels]
    return np.concatenate(levels), np.repeat(np.arange(len(levels)), sizes)
