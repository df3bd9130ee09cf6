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
        columns = [read_columns(one.id, one.metadata) for one in base]
        anchors = _Anchors(columns[: self.seed_top_k])
        bonuses: dict[str, dict[str, float]] = {}
        for place, candidate in enumerate(base):
            parts = self._bonus(place, columns[place], anchors)
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

    def _bonus(self, place: int, own: KgColumns, anchors: _Anchors) -> dict[str, float]:
        parts = {
            "links": self.hop_weight * anchors.linked(place, own),
            "community": self.community_weight * anchors.share_community(place, own),
            "centrality": self.centrality_weight * own.peak_centrality,
        }
        return {name: value for name, value in parts.items() if value > 0}


class _Anchors:
    """Which anchors have a node or a community: one bit an anchor."""

    __slots__ = ("_communities", "_nodes", "_reached")

    def __init__(self, anchors: Sequence[KgColumns]) -> None:
        self._nodes: dict[str, int] = {}
        self._reached: dict[str, int] = {}
        self._communities: dict[int | str, int] = {}
        for place, anchor in enumerate(anchors):
            bit = 1 << place
            for node in anchor.node_ids:
                self._nodes[node] = self._nodes.get(node, 0) | bit
            for node in (*anchor.node_ids, *anchor.neighbors):
                self._reached[node] = self._reached.get(node, 0) | bit
            for community in anchor.communities:
                self._communities[community] = self._communities.get(community, 0) | bit

    def linked(self, place: int, own: KgColumns) -> int:
        """Count the anchors that the candidate at ``place`` is linked to, itself left out."""
        bits = 0
        for node in self._reached.keys() & own.node_ids:
            bits |= self._reached[node]
        for node in self._nodes.keys() & own.neighbors:
            bits |= self._nodes[node]
        return (bits & ~(1 << place)).bit_count()

    def share_community(self, place: int, own: KgColumns) -> bool:
        """Tell whether any other anchor has a community of this candidate."""
        bits = 0
        for community in own.communities:
            bits |= self._communities.get(community, 0)
        return bits & ~(1 << place) != 0
