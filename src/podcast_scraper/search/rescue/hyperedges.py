"""Hyperedges: what one insight joins, and the entities that join episodes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

KIND_WEIGHTS: Final = {"insight": 1.0, "bridge": 0.5}
BRIDGE_PREFIX: Final = "bridge:"

_BRIDGE_NODES: Final = 8
# An entity that lies on more documents than this joins nothing in particular.
_BRIDGE_DOCUMENTS: Final = 64


@dataclass(frozen=True, slots=True)
class Hyperedge:
    """``nodes`` that belong together, and the ids of the ``documents`` that say so.

    ``kind`` is ``insight`` (speakers, topics and mentioned entities of one insight) or ``bridge``
    (an entity that several episodes share, with those it occurs with most).
    """

    id: str
    kind: str
    nodes: tuple[str, ...]
    documents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Statement:
    """What one insight joins: the input of hyperedges. ``episode`` says where it was made."""

    id: str
    episode: str
    nodes: tuple[str, ...]
    documents: tuple[str, ...]


def hyperedges_of(statements: Iterable[Statement]) -> list[Hyperedge]:
    """Return one hyperedge a statement with nodes, and the bridges between episodes, by id.

    A bridge joins an entity of at least two episodes (and at most 64 documents) with the up to
    seven entities it shares most statements with, ties by id.
    """
    stated = [one for one in statements if one.nodes]
    edges = [
        Hyperedge(one.id, "insight", _distinct(one.nodes), _distinct(one.documents))
        for one in stated
    ]
    by_node: dict[str, list[Statement]] = {}
    for one in stated:
        for node in _distinct(one.nodes):
            by_node.setdefault(node, []).append(one)
    edges += [
        bridge for node, around in by_node.items() if (bridge := _bridge(node, around)) is not None
    ]
    return sorted(edges, key=lambda edge: edge.id)


def _bridge(node: str, around: Sequence[Statement]) -> Hyperedge | None:
    documents = _distinct([document for one in around for document in one.documents])
    episodes = {one.episode for one in around}
    if len(episodes) < 2 or len(documents) > _BRIDGE_DOCUMENTS:
        return None
    partners = Counter(other for one in around for other in set(one.nodes) if other != node)
    closest = sorted(partners, key=lambda other: (-partners[other], other))[: _BRIDGE_NODES - 1]
    return Hyperedge(BRIDGE_PREFIX + node, "bridge", _distinct([node, *closest]), documents)


def _distinct(ids: Sequence[str]) -> tuple[str, ...]:
    return tuple(sorted(set(ids)))
