"""Appending: what the lanes found and the base lacks goes below the base, which stays as it is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from podcast_scraper.search.backend import ScoredResult
from podcast_scraper.search.fusion import rrf_fuse

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from podcast_scraper.search.rescue.lanes import LaneRanking
    from podcast_scraper.search.rescue.records import Candidate, LaneName


@dataclass(frozen=True, slots=True)
class Appended:
    """A document that only the graph found: by lane its 1-based rank and the lane's score."""

    id: str
    lanes: Mapping[LaneName, Mapping[str, float]]


def choose_appended(
    base_ids: Sequence[str], rankings: Mapping[LaneName, LaneRanking], *, cap: int
) -> list[Appended]:
    """Fuse the lanes with each other (RRF, k = 60), drop what the base has, keep ``cap``."""
    in_base = frozenset(base_ids)
    lists = [
        [
            ScoredResult(hit, score, rank, {}, lane, "")
            for rank, (hit, score) in enumerate(ranking.hits, start=1)
        ]
        for lane, ranking in rankings.items()
    ]
    by_lane: dict[str, dict[LaneName, dict[str, float]]] = {}
    for lane, ranked in zip(rankings, lists, strict=True):
        for result in ranked:
            by_lane.setdefault(result.doc_id, {})[lane] = {
                "rank": result.rank,
                "score": result.score,
            }
    fused = (result.doc_id for result in rrf_fuse(lists) if result.doc_id not in in_base)
    return [Appended(doc_id, by_lane[doc_id]) for doc_id, _ in zip(fused, range(cap), strict=False)]


def stamp(
    candidate: Candidate, appended: Appended, paths: Mapping[LaneName, tuple[str, ...]]
) -> Candidate:
    """Mark a candidate as rescued: no score, and in ``metadata["rescue"]`` how it was found."""
    explanation = {
        "lanes": {lane: dict(found) for lane, found in appended.lanes.items()},
        "paths": dict(paths),
    }
    metadata = {**candidate.metadata, "rescued": True, "rescue": explanation}
    return replace(candidate, id=appended.id, score=None, metadata=metadata)


def unite(
    base: Sequence[Candidate], appended: Sequence[Candidate], *, rank_score_k: int = 60
) -> tuple[Candidate, ...]:
    """Return base and appendix with a ``selection_score`` of ``1 / (rank_score_k + rank)``."""
    return tuple(
        replace(candidate, selection_score=1.0 / (rank_score_k + rank))
        for rank, candidate in enumerate((*base, *appended), start=1)
    )
