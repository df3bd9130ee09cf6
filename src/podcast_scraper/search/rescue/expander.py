"""The bounded rescore of the base over its own KG columns.

A candidate that is linked to the head of the base gains a few ranks. It never passes the top 1:
that one takes its own bonus first, and every other value is capped at it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from podcast_scraper.search.rescue.kg_columns import KgColumns, read_columns

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from podcast_scraper.search.rescue.records import Candidate


@dataclass(frozen=True, slots=True)
class Expansion:
    """The rescored base, best 1.0 again, and by id what each part of a bonus was."""

    base: tuple[Candidate, ...]
    bonuses: Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Expander:
    """Anchors are the first ``seed_top_k`` candidates. Weights are in units of a base of best 1.0.

    ``hop_weight`` counts once per linked anchor (a shared node, or a node of one among the
    neighbours of the other), ``community_weight`` once if any anchor shares a community,
    ``centrality_weight`` times the candidate's peak centrality. An anchor is not linked to itself.
    """

    seed_top_k: int = 5
    hop_weight: float = 0.05
    community_weight: float = 0.01
    centrality_weight: float = 0.05

    def expand(self, base: Sequence[Candidate]) -> Expansion:
        """Rescore ``base`` (best first, scores > 0 and at most 1.0); ties keep the base order.

        Without any bonus the very same candidates come back.
        """
        columns = [_Nodes(read_columns(one.id, one.metadata)) for one in base]
        bonuses: dict[str, dict[str, float]] = {}
        for place, candidate in enumerate(base):
            parts = self._bonus(place, columns)
            if parts:
                bonuses[candidate.id] = parts
        if not bonuses:
            return Expansion(tuple(base), {})
        values = [(one.score or 0.0) + sum(bonuses.get(one.id, {}).values()) for one in base]
        top = values[0]
        # A stable sort by value alone keeps the base order of ties, the capped ones included.
        ranked = sorted(
            zip(base, (min(value, top) for value in values), strict=True),
            key=lambda pair: -pair[1],
        )
        return Expansion(
            tuple(candidate.with_score(value / top) for candidate, value in ranked), bonuses
        )

    def _bonus(self, place: int, columns: Sequence[_Nodes]) -> dict[str, float]:
        own = columns[place]
        anchors = [
            anchor for other, anchor in enumerate(columns[: self.seed_top_k]) if other != place
        ]
        linked = sum(own.links(anchor) for anchor in anchors)
        shares = any(not own.communities.isdisjoint(anchor.communities) for anchor in anchors)
        parts = {
            "links": self.hop_weight * linked,
            "community": self.community_weight * shares,
            "centrality": self.centrality_weight * own.peak,
        }
        return {name: value for name, value in parts.items() if value > 0}


class _Nodes:
    """Columns as sets, made once a query."""

    __slots__ = ("communities", "neighbors", "nodes", "peak")

    def __init__(self, columns: KgColumns) -> None:
        self.nodes = frozenset(columns.node_ids)
        self.neighbors = frozenset(columns.neighbors)
        self.communities = frozenset(columns.communities)
        self.peak = columns.peak_centrality

    def links(self, other: _Nodes) -> bool:
        return not (
            self.nodes.isdisjoint(other.nodes)
            and self.nodes.isdisjoint(other.neighbors)
            and other.nodes.isdisjoint(self.neighbors)
        )
