"""What a learned reranker sees of a query and its base: numbers of the same meaning everywhere.

Stage scores are min-max normalised over their list (0 where the stage did not find a document) and
weighed as the fusion weighs them, so that a model learnt on one corpus reads another. Text features
work on the index' own stems; how rare a term is, is counted over the head alone.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from podcast_scraper.search.analysis import analyze, analyze_prose

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from podcast_scraper.search.tail import RerankQuery

STAGES: Final = ("bm25", "vector")
_DISTANCES: Final = ((1, 1), (2, 2), (3, 3), (4, 6))
# ln 1 + 400: a window of the product's longest, in stems.
_LENGTH_SCALE: Final = 6.0

FEATURES: Final = (
    *STAGES,
    *(f"{stage} {low}-{high} away" for low, high in _DISTANCES for stage in STAGES),
    *(f"best {stage} of the episode" for stage in STAGES),
    "terms covered",
    "neighbouring terms kept",
    "rare terms covered",
    "length",
)


def feature_matrix(query: RerankQuery, head: int) -> NDArray[np.float64]:
    """Return one row of :data:`FEATURES` for each of the first ``head`` documents of the base.

    Neighbours and the best of an episode are looked up in the whole base.
    """
    stages = np.stack([_stage(query, stage) for stage in STAGES], axis=1)
    columns = [stages, *_near(query, stages), _best_of_episode(query, stages)]
    matrix = np.concatenate(columns, axis=1)[:head]
    terms = analyze(query.text)
    texts = [analyze_prose(one.payload["text"]) for one in query.base[:head]]
    rarity = _rarity(set(terms), texts)
    text = [(*_text_features(terms, one), *_size_features(rarity, one)) for one in texts]
    return np.concatenate([matrix, np.array(text).reshape(len(matrix), 4)], axis=1)


def _stage(query: RerankQuery, stage: str) -> NDArray[np.float64]:
    found = {
        doc_id: part
        for doc_id, parts in query.contributions.items()
        for part in parts
        if part.signal == stage
    }
    raw = [part.raw for part in found.values()]
    low, high = min(raw, default=0.0), max(raw, default=0.0)
    spread = high - low
    return np.array(
        [
            part.weight * part.tier_weight * ((part.raw - low) / spread if spread else 1.0)
            if (part := found.get(one.doc_id))
            else 0.0
            for one in query.base
        ]
    )


def _groups(query: RerankQuery, *, by_tier: bool) -> list[list[int]]:
    """Places in the base of the documents of one episode, and of one tier where ``by_tier``."""
    groups: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, one in enumerate(query.base):
        tier = one.source_tier if by_tier else ""
        groups[tier, one.payload["episode_id"]].append(place)
    return list(groups.values())


def _near(query: RerankQuery, stages: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """For each distance, the sum of the stage scores of the documents that far away."""
    sums = [np.zeros_like(stages) for _ in _DISTANCES]
    ordinals = [one.payload.get("ordinal") for one in query.base]
    for group in _groups(query, by_tier=True):
        known = [place for place in group if ordinals[place] is not None]
        if len(known) < 2:
            continue
        at = np.array([ordinals[place] for place in known], dtype=np.float64)
        apart = np.abs(at[:, None] - at[None, :])
        for total, (low, high) in zip(sums, _DISTANCES, strict=True):
            total[known] = ((apart >= low) & (apart <= high)) @ stages[known]
    return sums


def _best_of_episode(query: RerankQuery, stages: NDArray[np.float64]) -> NDArray[np.float64]:
    """Over both tiers: what was concluded in an episode speaks for its passages and they for it."""
    best = np.zeros_like(stages)
    for group in _groups(query, by_tier=False):
        best[group] = stages[group].max(axis=0)
    return best


def _text_features(query: Sequence[str], document: Sequence[str]) -> tuple[float, float]:
    """Share of the query's distinct terms found; share of its neighbouring pairs kept."""
    wanted = set(query)
    if wanted.isdisjoint(document):
        return 0.0, 0.0
    pairs = set(pairwise(query))
    kept = len(pairs & set(pairwise(document))) / len(pairs) if pairs else 0.0
    return len(wanted & set(document)) / len(wanted), kept


def _rarity(terms: set[str], texts: Sequence[Sequence[str]]) -> dict[str, float]:
    """BM25's inverse document frequency of each term over the texts, summing to 1."""
    count = len(texts)
    holding = Counter(term for text in texts for term in terms & set(text))
    rarity = {
        term: math.log1p((count - holding[term] + 0.5) / (holding[term] + 0.5))
        for term in sorted(terms)
    }
    total = sum(rarity.values())
    return {term: value / total for term, value in rarity.items()}


def _size_features(rarity: Mapping[str, float], document: Sequence[str]) -> tuple[float, float]:
    """Share of the query's rarity that the document covers; logarithm of its length, about 0..1."""
    covered = sum(rarity[term] for term in sorted(rarity.keys() & set(document)))
    return covered, math.log1p(len(document)) / _LENGTH_SCALE
