"""Making the KG columns: from what documents are on, and the graph around it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from podcast_scraper.search.rescue.incidence import Rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

# A document on a hub would otherwise neighbour half of the corpus. Rows of the graph come strongest
# first, so that the cut keeps what is closest.
NEIGHBOURS_A_NODE: Final = 16


def neighbours_of(nodes_of_doc: Rows, graph: Rows) -> Rows:
    """Return for each document the nodes that its own reach over one edge, its own left out.

    ``graph`` holds a row of neighbours for every node; of each at most 16 are taken.
    """
    rows = [_around(nodes_of_doc.row(place), graph) for place in range(len(nodes_of_doc.lengths))]
    starts = np.concatenate(([0], np.cumsum([len(row) for row in rows]))).astype(np.int64)
    items = np.concatenate(rows) if rows else np.zeros(0, dtype=np.int64)
    return Rows(starts, items)


def _around(nodes: NDArray[np.int64], graph: Rows) -> NDArray[np.int64]:
    own = set(nodes.tolist())
    reached = {
        item
        for node in own
        for item in graph.row(node)[:NEIGHBOURS_A_NODE].tolist()
        if item not in own
    }
    return np.array(sorted(reached), dtype=np.int64)
