"""Appending: what the lanes found and the base lacks goes below the base, which stays as it is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from podcast_scraper.search.fusion import RRF_K

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from podcast_scraper.search.rescue.lanes import LaneRanking
    from podcast_scraper.search.rescue.records import Candidate, LaneName


@dataclass(frozen=True, slots=True)
class Appended:
    """A document that only the graph found: by lane its 1-based rank and the lane's score."""

    id: str
    lanes: Mapping[LaneName, Mapping[str, float]]

    @property
    def best_lane(self) -> LaneName:
        """The lane that ranked it highest, of equals the first."""
        return min(self.lanes, key=lambda lane: self.lanes[lane]["rank"])


def choose_appended(
    base_ids: Sequence[str], rankings: Mapping[LaneName, LaneRanking], *, cap: int
) -> list[Appended]:
    """Fuse the lanes with each other (RRF, k = 60), drop what the base has, keep ``cap``."""
    in_base = frozenset(base_ids)
    scores: dict[str, float] = {}
    for ranking in rankings.values():
        for rank, (doc_id, _) in enumerate(ranking.hits, start=1):
            if doc_id not in in_base:
                scores[doc_id] = scores.get(doc_id, 0.0) + 1.0 / (RRF_K + rank)
    chosen = sorted(scores, key=lambda doc_id: (-scores[doc_id], doc_id))[:cap]
    found: dict[str, dict[LaneName, dict[str, float]]] = {doc_id: {} for doc_id in chosen}
    for lane, ranking in rankings.items():
        for rank, (doc_id, score) in enumerate(ranking.hits, start=1):
            if doc_id in found:
                found[doc_id][lane] = {"rank": rank, "score": score}
    return [Appended(doc_id, found[doc_id]) for doc_id in chosen]


def stamp(candidate: Candidate, appended: Appended, path: tuple[str, ...]) -> Candidate:
    """Mark a candidate as rescued: no score, and in ``metadata["rescue"]`` how it was found."""
    explanation = {
        "lane": appended.best_lane,
        "path": path,
        "lanes": {lane: dict(found) for lane, found in appended.lanes.items()},
    }
    metadata = {**candidate.metadata, "rescued": True, "rescue": explanation}
    return replace(candidate, id=appended.id, score=None, metadata=metadata)


def unite(
    base: Sequence[Candidate], appended: Sequence[Candidate], *, rank_score_k: int = 60
) -> tuple[Candidate, ...]:
    """Return base and appendix with a ``selection_score`` of ``1 / (rank_score_k + rank)``."""
    return tuple(
        candidate.with_selection_score(1.0 / (rank_score_k + rank))
        for rank, candidate in enumerate((*base, *appended), start=1)
    )
