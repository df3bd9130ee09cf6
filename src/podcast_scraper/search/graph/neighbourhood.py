"""The surroundings of a node, small enough to draw: what is near, the most central first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection

    from podcast_scraper.search.corpus_graph import CorpusGraph

# Quotes only prove what insights say; who spoke them stands in STATES.
DRAWN_TYPES: Final = ("person", "org", "topic", "insight", "episode", "podcast")
LABEL: Final = 90


@dataclass(frozen=True, slots=True)
class DrawnNode:
    """A node with its name (an insight's is its text) and its distance in hops."""

    id: str
    type: str
    label: str
    hop: int


@dataclass(frozen=True, slots=True)
class DrawnEdge:
    """An edge between two drawn nodes."""

    source: str
    target: str
    type: str


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """Nodes by hop, edges by their ends; ``left_out`` counts nodes beyond the limit."""

    nodes: tuple[DrawnNode, ...]
    edges: tuple[DrawnEdge, ...]
    left_out: int


def neighbourhood(
    graph: CorpusGraph,
    node_id: str,
    *,
    hops: int = 1,
    limit: int = 60,
    types: Collection[str] = DRAWN_TYPES,
) -> Neighbourhood:
    """Return what lies within ``hops`` edges of a node, at most ``limit`` nodes.

    Nearer nodes go first, then more central ones. Empty for an unknown id.
    """
    wanted = {node_id} if node_id in graph else set()
    near = {
        other: hop
        for other, hop in graph.bfs(node_id, hops).items()
        if other in wanted or graph.node_type(other) in types
    }
    order = sorted(near, key=lambda other: (near[other], -graph.centrality(other), other))
    kept = order[:limit]
    texts = graph.get_nodes(other for other in kept if graph.node_type(other) == "insight")
    nodes = tuple(
        DrawnNode(
            other,
            graph.node_type(other) or "",
            _short(str(texts[other].payload.get("text", "")) if other in texts else "")
            or graph.label(other)
            or other,
            near[other],
        )
        for other in kept
    )
    drawn = graph.to_networkx(kept)
    edges = sorted({(s, t, kind) for s, t, kind in drawn.edges(keys=True)})
    return Neighbourhood(
        nodes, tuple(DrawnEdge(*edge) for edge in edges), max(0, len(order) - len(kept))
    )


def _short(text: str) -> str:
    return text if len(text) <= LABEL else f"{text[: LABEL - 1].rstrip()}…"
