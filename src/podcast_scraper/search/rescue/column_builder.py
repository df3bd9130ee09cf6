"""Making the KG columns: from what a document is on, and the graph around it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from podcast_scraper.search.rescue.kg_columns import CENTRALITY, COMMUNITY, NEIGHBORS, NODE_IDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from podcast_scraper.search.rescue.activation import ActivationGraph
    from podcast_scraper.search.rescue.incidence import Rows

# A document on a hub would otherwise neighbour half of the corpus. Rows of the graph come strongest
# first, so that the cut keeps what is closest.
NEIGHBORS_A_NODE: Final = 16


def columns_of(
    nodes: NDArray[np.int64],
    graph: ActivationGraph,
    node_ids: Sequence[str],
    *,
    centrality: NDArray[np.floating[Any]],
    community: NDArray[np.integer[Any]],
) -> dict[str, list[Any]]:
    """Return the four columns of a document on ``nodes``; all arrays are by node number."""
    return {
        NODE_IDS: [node_ids[node] for node in nodes.tolist()],
        NEIGHBORS: [node_ids[node] for node in _around(nodes, graph.rows).tolist()],
        COMMUNITY: community[nodes].tolist(),
        CENTRALITY: centrality[nodes].tolist(),
    }


def _around(nodes: NDArray[np.int64], rows: Rows) -> NDArray[np.int64]:
    parts = [rows.row(node)[:NEIGHBORS_A_NODE] for node in nodes.tolist()]
    around = np.unique(np.concatenate(parts)) if parts else np.zeros(0, dtype=np.int64)
    return np.setdiff1d(around, nodes, assume_unique=True)
