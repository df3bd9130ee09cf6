"""Fusing the ranked lists of the first stages into one (RFC-090).

``rrf_fuse`` is Reciprocal Rank Fusion (Cormack, Clarke and Büttcher, SIGIR 2009). ``minmax_fuse``
sums min-max normalised scores, ``dbsf_fuse`` scores normalised by mean and three standard
deviations (distribution-based score fusion). All share one shape, one tie-break (by id) and one
account of where a score came from (:class:`Contribution`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from podcast_scraper.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from podcast_scraper.search.backend import ScoredResult

RRF_K: Final = 60
# `kg` is read by the evaluation alone: no product path fills a third list (RFC-091).
SIGNAL_WEIGHTS: Final[Mapping[str, float]] = {"bm25": 1.0, "vector": 1.0, "kg": 1.0}
TIER_WEIGHTS: Final[Mapping[str, float]] = {"insight": 1.2, "segment": 1.0}


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one signal gave one document: ``value = weight · tier_weight · f(rank or raw)``."""

    signal: str
    rank: int
    raw: float
    weight: float
    tier_weight: float
    value: float


@dataclass(frozen=True, slots=True)
class Fused:
    """A fused list (1-based ranks) and, by document id, the contributions that made each score."""

    results: list[ScoredResult]
    contributions: Mapping[str, tuple[Contribution, ...]]


class Fusion(Protocol):
    """Fuses lists of one signal each. Earlier lists give the payload of a document they share."""

    def __call__(
        self,
        ranked_lists: Sequence[Sequence[ScoredResult]],
        *,
        signal_weights: Mapping[str, float] | None = None,
        tier_weights: Mapping[str, float] | None = None,
    ) -> Fused: ...


def rrf_fuse(
    ranked_lists: Sequence[Sequence[ScoredResult]],
    *,
    k: int = RRF_K,
    signal_weights: Mapping[str, float] | None = None,
    tier_weights: Mapping[str, float] | None = None,
) -> list[ScoredResult]:
    """Return ``score(d) = Σ signal_weight · tier_weight / (k + rank)``, best first, ties by id."""
    return _fuse(
        ranked_lists,
        signal_weights,
        tier_weights,
        lambda ranked: [1.0 / (k + result.rank) for result in ranked],
    ).results


def rrf(
    ranked_lists: Sequence[Sequence[ScoredResult]],
    *,
    signal_weights: Mapping[str, float] | None = None,
    tier_weights: Mapping[str, float] | None = None,
) -> Fused:
    """RRF with k = 60 and its contributions."""
    return _fuse(
        ranked_lists,
        signal_weights,
        tier_weights,
        lambda ranked: [1.0 / (RRF_K + result.rank) for result in ranked],
    )


def minmax(
    ranked_lists: Sequence[Sequence[ScoredResult]],
    *,
    signal_weights: Mapping[str, float] | None = None,
    tier_weights: Mapping[str, float] | None = None,
) -> Fused:
    """Weighted sum of scores that each list maps to 0..1; a list of equal scores maps to 1."""
    return _fuse(ranked_lists, signal_weights, tier_weights, _minmax_values)


def dbsf(
    ranked_lists: Sequence[Sequence[ScoredResult]],
    *,
    signal_weights: Mapping[str, float] | None = None,
    tier_weights: Mapping[str, float] | None = None,
) -> Fused:
    """Weighted sum of scores mapped to 0..1 between mean − 3σ and mean + 3σ, clipped."""
    return _fuse(ranked_lists, signal_weights, tier_weights, _dbsf_values)


def words_first(ranked_lists: Sequence[Sequence[ScoredResult]]) -> Fused:
    """BM25's list as it stands, then what meaning alone found; RRF with weights that far apart.

    Two ranks of BM25 among the first hundred differ by more than the other lists can add.
    """
    return _fuse(
        ranked_lists,
        {"bm25": 1.9999, "vector": 0.0001, "kg": 0.0001},
        dict.fromkeys(TIER_WEIGHTS, 1.0),
        lambda ranked: [1.0 / (RRF_K + result.rank) for result in ranked],
    )


FUSIONS: Final[Mapping[str, Fusion]] = {"rrf": rrf, "minmax": minmax, "dbsf": dbsf}
DEFAULT_FUSION: Final = "minmax"


def fusion_named(name: str) -> Fusion:
    """Return a fusion by name; ConfigurationError names the ones that exist."""
    try:
        return FUSIONS[name]
    except KeyError:
        raise ConfigurationError(
            f"There is no fusion {name!r}.",
            mend=f"Choose one of: {', '.join(FUSIONS)}.",
            subject=name,
        ) from None


def max_normalise(results: Sequence[ScoredResult]) -> list[ScoredResult]:
    """Divide by the largest score, so that the best is 1.0; unchanged where that is not > 0."""
    largest = max((result.score for result in results), default=0.0)
    if largest <= 0:
        return list(results)
    return [result.moved(result.score / largest, result.rank) for result in results]


def rank_scores(results: Sequence[ScoredResult]) -> list[ScoredResult]:
    """Re-express a list by rank as ``61 / (60 + rank)``: the RRF shape with maximum 1.0.

    Later bonuses and thresholds were measured on that shape, so every base that did not come from
    RRF takes it on.
    """
    return [
        result.moved((RRF_K + 1) / (RRF_K + rank), rank)
        for rank, result in enumerate(results, start=1)
    ]


def _fuse(
    ranked_lists: Sequence[Sequence[ScoredResult]],
    signal_weights: Mapping[str, float] | None,
    tier_weights: Mapping[str, float] | None,
    values_of: Callable[[Sequence[ScoredResult]], list[float]],
) -> Fused:
    signals = {**SIGNAL_WEIGHTS, **(signal_weights or {})}
    tiers = {**TIER_WEIGHTS, **(tier_weights or {})}
    first_seen: dict[str, ScoredResult] = {}
    contributions: dict[str, tuple[Contribution, ...]] = {}
    for ranked in ranked_lists:
        for result, value in zip(ranked, values_of(ranked), strict=True):
            weight = signals.get(result.signal, 1.0)
            tier_weight = tiers.get(result.source_tier, 1.0)
            first_seen.setdefault(result.doc_id, result)
            contributions[result.doc_id] = (
                *contributions.get(result.doc_id, ()),
                Contribution(
                    result.signal,
                    result.rank,
                    result.score,
                    weight,
                    tier_weight,
                    weight * tier_weight * value,
                ),
            )
    scores = {doc: sum(part.value for part in parts) for doc, parts in contributions.items()}
    order = sorted(scores, key=lambda doc: (-scores[doc], doc))
    return Fused(
        [
            first_seen[doc].moved(scores[doc], rank, "rrf")
            for rank, doc in enumerate(order, start=1)
        ],
        contributions,
    )


def _minmax_values(ranked: Sequence[ScoredResult]) -> list[float]:
    scores = [result.score for result in ranked]
    if not scores:
        return []
    low, high = min(scores), max(scores)
    return [(score - low) / (high - low) if high > low else 1.0 for score in scores]


def _dbsf_values(ranked: Sequence[ScoredResult]) -> list[float]:
    scores = [result.score for result in ranked]
    if not scores:
        return []
    mean = sum(scores) / len(scores)
    deviation = math.sqrt(sum((score - mean) ** 2 for score in scores) / len(scores))
    if deviation == 0:
        return [0.5 for _ in scores]
    return [min(1.0, max(0.0, (score - mean) / (6 * deviation) + 0.5)) for score in scores]
