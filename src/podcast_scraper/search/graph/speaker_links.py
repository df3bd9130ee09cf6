"""STATES: a person's direct link to what that person said (RFC-091's SPEAKER_OF)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from podcast_scraper.search.graph.arrays import Edges, build_adjacency, directed_edges
from podcast_scraper.search.graph.edge_types import STATES

if TYPE_CHECKING:
    from podcast_scraper.search.graph.arrays import CompiledGraph


def with_speaker_links(compiled: CompiledGraph) -> CompiledGraph:
    """Add STATES (person → insight) wherever a person spoke a quote that supports the insight."""
    every = directed_edges(compiled.adjacency)
    size = len(compiled.ids)
    code = compiled.edge_types.index

    def matrix(edge_type: str, *, certain: bool) -> sparse.csr_array:
        kept = every.edge_type == code(edge_type)
        if certain:
            kept &= every.certain
        pairs = (every.source[kept], every.target[kept])
        return sparse.coo_array((np.ones(kept.sum(), np.int32), pairs), shape=(size, size)).tocsr()

    spoken = (matrix("SUPPORTED_BY", certain=False) @ matrix("SPOKEN_BY", certain=False)).tocoo()
    sure = (matrix("SUPPORTED_BY", certain=True) @ matrix("SPOKEN_BY", certain=True)).tocoo()
    insight, person = spoken.row.astype(np.int32), spoken.col.astype(np.int32)
    pair, sure_pair = (m.row.astype(np.int64) * size + m.col for m in (spoken, sure))
    certain = np.isin(pair, sure_pair)
    edges = Edges(
        np.concatenate([every.source, person]),
        np.concatenate([every.target, insight]),
        np.concatenate([every.edge_type, np.full(person.size, code(STATES), np.uint8)]),
        np.concatenate([every.certain, certain]),
    )
    return replace(compiled, adjacency=build_adjacency(size, edges))
