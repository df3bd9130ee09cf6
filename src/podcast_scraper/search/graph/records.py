"""What the graph hands out: nodes, edges, and where an episode's audio is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

# (bare episode id, media as the corpus has it) -> the URL that plays it, if any
MediaUrl = Callable[[str, str | None], str | None]


def web_address(_episode_id: str, media: str | None) -> str | None:
    """Return media that is an address on the web; a bare graph serves no local files."""
    is_address = media is not None and media.startswith(("http://", "https://"))
    return media if is_address else None


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A node. ``type`` is lower case; ``layers`` are those that held it (``gi``, ``kg``)."""

    id: str
    type: str
    payload: Mapping[str, Any]
    layers: frozenset[str]


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """A directed, typed edge. ``inferred`` edges rest on host reconciliation alone."""

    type: str
    source: str
    target: str
    inferred: bool = False
