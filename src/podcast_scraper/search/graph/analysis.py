"""Centrality and communities, computed once when an index is built."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from scipy import sparse

from podcast_scraper.search.graph.edge_types import MEANING_BEARING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from podcast_scraper.search.graph.arrays import Adjacency

DAMPING: Final = 0.85
TOLERANCE: Final = 1e-9
MAX_ITERATIONS: Final = 200
SWEEPS: Final = 30
BATCHES: Final = 4
SEED: Final = 20_240_229


def meaning_matrix(adjacency: Adjacency, edge_types: Sequence[str]) -> sparse.csr_array:
    """Return the symmetric matrix of meaning-bearing edges, weighted by their number."""
    size = len(adjacency)
    codes = [number for number, name in enumerate(edge_types) if name in MEANING_BEARING]
    kept = np.isin(adjacency.edge_type, codes)
    row = np.repeat(np.arange(size, dtype=np.int32), np.diff(adjacency.indptr))[kept]
    matrix = sparse.coo_array(
        (np.ones(row.size), (row, adjacency.neighbor[kept])), shape=(size, size)
    )
    return matrix.tocsr()


def pagerank(matrix: sparse.csr_array) -> NDArray[np.float32]:
    """Return PageRank (damping 0.85, power iteration; Page et al. 1999) divided by its maximum.

    A node without edges spreads its rank evenly.
    """
    size = matrix.shape[0]
    if not size:
        return np.empty(0, np.float32)
    degree = np.asarray(matrix.sum(axis=1)).ravel()
    dangling = degree == 0
    share = np.divide(1.0, degree, out=np.zeros(size), where=~dangling)
    rank = np.full(size, 1.0 / size)
    for _ in range(MAX_ITERATIONS):
        spread = matrix @ (rank * share) + rank[dangling].sum() / size
        following = DAMPING * spread + (1 - DAMPING) / size
        moved = np.abs(following - rank).sum()
        rank = following
        if moved < TOLERANCE:
            break
    scaled: NDArray[np.float32] = (rank / rank.max()).astype(np.float32)
    return scaled


def communities(matrix: sparse.csr_array, seed: int = SEED) -> NDArray[np.int32]:
    """Return a community number per node by label propagation (Raghavan et al. 2007).

    Nodes take the label of most of their neighbours, batch by batch in an order that ``seed``
    fixes; a label among the most frequent ones is kept. Communities are numbered by their first
    node, so that the same graph always gives the same numbers.
    """
    size = matrix.shape[0]
    labels = np.random.default_rng(seed).permutation(size).astype(np.int64)
    batch_of = np.random.default_rng(seed + 1).integers(0, BATCHES, size)
    batches = [_edges_of(matrix, np.flatnonzero(batch_of == b)) for b in range(BATCHES)]
    for _ in range(SWEEPS):
        changed = 0
        for row, neighbor, weight in batches:
            changed += _adopt(labels, row, neighbor, weight)
        if not changed:
            break
    first = np.full(size, size, dtype=np.int64)
    np.minimum.at(first, labels, np.arange(size))
    return np.unique(first[labels], return_inverse=True)[1].astype(np.int32)


_Triples = tuple["NDArray[np.int64]", "NDArray[np.int64]", "NDArray[np.float64]"]


def _edges_of(matrix: sparse.csr_array, nodes: NDArray[np.int64]) -> _Triples:
    part = matrix[nodes].tocoo()
    return nodes[part.row], part.col.astype(np.int64), part.data


def _adopt(
    labels: NDArray[np.int64],
    row: NDArray[np.int64],
    neighbor: NDArray[np.int64],
    weight: NDArray[np.float64],
) -> int:
    """Give each node of a batch its neighbours' most frequent label; return how many changed."""
    if not row.size:
        return 0
    size = labels.size
    keys, place = np.unique(row * size + labels[neighbor], return_inverse=True)
    votes = np.bincount(place, weights=weight)
    voter, label = keys // size, keys % size
    kept = label == labels[voter]
    order = np.lexsort((label, ~kept, -votes, voter))
    first = np.ones(order.size, dtype=np.bool_)
    first[1:] = voter[order][1:] != voter[order][:-1]
    winners = order[first]
    nodes, new = voter[winners], label[winners]
    changed = int((labels[nodes] != new).sum())
    labels[nodes] = new
    return changed
