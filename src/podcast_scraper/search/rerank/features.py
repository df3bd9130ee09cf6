"""What a learned reranker sees of a query and its base: numbers of the same meaning everywhere.

Stage scores are min-max normalised over their list (0 where the stage did not find a document), so
that a model learnt on one corpus reads another. Text features work on the index' own stems.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from podcast_scraper.search.analysis import analyze

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from podcast_scraper.search.tail import RerankQuery

STAGES: Final = ("bm25", "vector")
_DISTANCES: Final = ((1, 1), (2, 2), (3, 3), (4, 6))

FEATURES: Final = (
    *STAGES,
    *(f"{stage} {low}-{high} away" for low, high in _DISTANCES for stage in STAGES),
    *(f"best {stage} of the episode" for stage in STAGES),
    "terms covered",
    "terms close together",
    "neighbouring terms kept",
)


def feature_matrix(query: RerankQuery, head: int) -> NDArray[np.float64]:
    """Return one row of :data:`FEATURES` for each of the first ``head`` documents of the base.

    Neighbours and the best of an episode are looked up in the whole base.
    """
    stages = np.stack([_stage(query, stage) for stage in STAGES], axis=1)
    columns = [stages, *_near(query, stages), _best_of_episode(query, stages)]
    matrix = np.concatenate(columns, axis=1)[:head]
    terms = analyze(query.text)
    text = [_text_features(terms, analyze(one.payload["text"])) for one in query.base[:head]]
    return np.concatenate([matrix, np.array(text).reshape(len(matrix), 3)], axis=1)


def _stage(query: RerankQuery, stage: str) -> NDArray[np.float64]:
    raw = {
        doc_id: part.raw
        for doc_id, parts in query.contributions.items()
        for part in parts
        if part.signal == stage
    }
    low, high = min(raw.values(), default=0.0), max(raw.values(), default=0.0)
    spread = high - low
    return np.array(
        [
            ((raw[one.doc_id] - low) / spread if spread else 1.0) if one.doc_id in raw else 0.0
            for one in query.base
        ]
    )


def _groups(query: RerankQuery) -> list[list[int]]:
    """Places in the base of the documents of one tier and episode."""
    groups: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, one in enumerate(query.base):
        groups[one.source_tier, one.payload["episode_id"]].append(place)
    return list(groups.values())


def _near(query: RerankQuery, stages: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """For each distance, the sum of the stage scores of the documents that far away."""
    sums = [np.zeros_like(stages) for _ in _DISTANCES]
    ordinals = [one.payload.get("ordinal") for one in query.base]
    for group in _groups(query):
        known = [place for place in group if ordinals[place] is not None]
        at = np.array([ordinals[place] for place in known], dtype=np.float64)
        apart = np.abs(at[:, None] - at[None, :])
        for total, (low, high) in zip(sums, _DISTANCES, strict=True):
            total[known] = ((apart >= low) & (apart <= high)) @ stages[known]
    return sums


def _best_of_episode(query: RerankQuery, stages: NDArray[np.float64]) -> NDArray[np.float64]:
    best = np.zeros_like(stages)
    for group in _groups(query):
        best[group] = stages[group].max(axis=0)
    return best


def _text_features(query: Sequence[str], document: Sequence[str]) -> tuple[float, float, float]:
    """Share of the query's terms found; how densely they stand; share of its term pairs kept."""
    wanted = set(query)
    found = [(place, term) for place, term in enumerate(document) if term in wanted]
    covered = len({term for _, term in found})
    if not wanted:
        return 0.0, 0.0, 0.0
    close = covered / _shortest_cover(found, covered) if covered > 1 else 0.0
    pairs = set(pairwise(query))
    kept = len(pairs & set(pairwise(document))) / len(pairs) if pairs else 0.0
    return covered / len(wanted), close, kept


def _shortest_cover(found: Sequence[tuple[int, str]], covered: int) -> int:
    """Length in terms of the shortest stretch that holds every term found."""
    counts: Counter[str] = Counter()
    shortest = found[-1][0] - found[0][0] + 1
    left = 0
    for place, term in found:
        counts[term] += 1
        while len(counts) == covered:
            first, oldest = found[left]
            shortest = min(shortest, place - first + 1)
            counts[oldest] -= 1
            if not counts[oldest]:
                del counts[oldest]
            left += 1
    return shortest
