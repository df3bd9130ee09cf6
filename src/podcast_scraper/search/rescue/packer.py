"""``packed``: a greedy quadratic knapsack over a token budget.

A candidate is worth its relevance (the best is 1.0) plus ``centrality_weight`` times its peak
centrality, less λ times its redundancy with everything chosen before. The greedy takes the largest
marginal value per token that still fits, ties by id, and stops where no marginal value is positive
(Gallo, Hammer and Simeone 1980 for the problem; a greedy of the kind of maximal marginal relevance,
Carbonell and Goldstein 1998). ``fill="backfill"`` then spends what is left in value order without
touching those picks. O(selected · pool).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from podcast_scraper.errors import ConfigurationError
from podcast_scraper.search.rescue.kg_columns import read_columns
from podcast_scraper.search.rescue.redundancy import Redundancy
from podcast_scraper.search.rescue.words import UNICODE_WORDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from podcast_scraper.search.rescue.records import Candidate
    from podcast_scraper.search.rescue.words import TokenCounter

REDUNDANCY_WEIGHT: Final = 0.5


@dataclass(frozen=True, slots=True)
class Packed:
    """What was chosen, in the order of choosing, and the tokens spent."""

    candidates: tuple[Candidate, ...]
    tokens: int


@dataclass(frozen=True, slots=True)
class Packer:
    """The solver. ``redundancy_weight`` is λ; ``similarity_key`` names the precomputed map."""

    centrality_weight: float = 0.25
    similarity_key: str = "redundancy"
    fill: str = "backfill"
    redundancy_weight: float = REDUNDANCY_WEIGHT
    count_tokens: TokenCounter = UNICODE_WORDS

    def pack(self, candidates: Sequence[Candidate], budget: int) -> Packed:
        """Choose from ``candidates`` at most ``budget`` tokens (≥ 0).

        A candidate without text is never chosen, nor is one that is larger than the budget; the
        smaller ones after it still are.
        """
        check_budget(budget)
        # Sorted by id, so that the first of equal maxima is the smallest id.
        pool = sorted((one for one in candidates if one.text), key=lambda one: one.id)
        tokens = np.array([self.count_tokens(one.text) for one in pool], dtype=np.int64)
        usable = (tokens > 0) & (tokens <= budget)
        pool = [one for one, keep in zip(pool, usable, strict=True) if keep]
        if not pool:
            return Packed((), 0)
        tokens = tokens[usable]
        values = self._values(pool)
        picks = self._greedy(pool, values, tokens, budget)
        if self.fill == "backfill":
            picks += _backfill(values, tokens, picks, budget)
        return Packed(tuple(pool[pick] for pick in picks), int(tokens[picks].sum()))

    def _values(self, pool: Sequence[Candidate]) -> NDArray[np.float64]:
        relevance = np.array([relevance_of(one) for one in pool])
        largest = relevance.max()
        if largest > 0:
            relevance = relevance / largest
        peaks = np.array([read_columns(one.id, one.metadata).peak_centrality for one in pool])
        values: NDArray[np.float64] = relevance + self.centrality_weight * peaks
        return values

    def _greedy(
        self,
        pool: Sequence[Candidate],
        values: NDArray[np.float64],
        tokens: NDArray[np.int64],
        budget: int,
    ) -> list[int]:
        redundancy = Redundancy(pool, self.similarity_key)
        penalty = np.zeros(len(pool))
        free = np.ones(len(pool), dtype=bool)
        picks: list[int] = []
        while True:
            marginal = values - self.redundancy_weight * penalty
            open_ = free & (tokens <= budget) & (marginal > 0)
            if not open_.any():
                return picks
            pick = int(np.argmax(np.where(open_, marginal / tokens, -np.inf)))
            picks.append(pick)
            free[pick] = False
            budget -= int(tokens[pick])
            if self.redundancy_weight:
                penalty += redundancy.row(pick)


def relevance_of(candidate: Candidate) -> float:
    """Return the selection score, or outside a union the score; 0.0 without either."""
    if candidate.selection_score is not None:
        return candidate.selection_score
    return candidate.score or 0.0


def check_budget(budget: int) -> None:
    """Raise ConfigurationError for a budget below 0."""
    if not isinstance(budget, int) or isinstance(budget, bool) or budget < 0:
        raise ConfigurationError(
            f"budget is {budget!r}.", mend="Give a whole number of at least 0.", subject=budget
        )


def _backfill(
    values: NDArray[np.float64], tokens: NDArray[np.int64], picks: Sequence[int], budget: int
) -> list[int]:
    left = budget - int(tokens[list(picks)].sum()) if picks else budget
    chosen = set(picks)
    filled: list[int] = []
    for place in np.argsort(-values, kind="stable").tolist():
        if place not in chosen and tokens[place] <= left:
            filled.append(place)
            left -= int(tokens[place])
    return filled
