"""How much of one candidate's text another one repeats, in 0..1 and symmetric.

Taken from a precomputed map in the metadata where both candidates are named in it, else the
Jaccard overlap of their distinct words.
"""

from __future__ import annotations

import math
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from podcast_scraper.search.rescue.kg_columns import malformed
from podcast_scraper.search.rescue.words import distinct_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from podcast_scraper.search.rescue.records import Candidate


class LexicalRedundancy:
    """Jaccard overlap of distinct words between one text and all of a list."""

    def __init__(self, texts: Sequence[str]) -> None:
        rows = [distinct_words(text) for text in texts]
        every = list(chain.from_iterable(rows))
        numbers = {word: number for number, word in enumerate(dict.fromkeys(every))}
        self._sizes = np.array([len(row) for row in rows], dtype=np.int64)
        self._starts = np.concatenate(([0], np.cumsum(self._sizes)))
        self._filled = np.flatnonzero(self._sizes)
        self._words = np.fromiter(map(numbers.__getitem__, every), np.int64, len(every))
        self._marks = np.zeros(len(numbers), dtype=np.uint8)

    def row(self, place: int) -> NDArray[np.float64]:
        """Return the overlap of text ``place`` with every text; 0 where both are empty."""
        own = self._words[self._starts[place] : self._starts[place + 1]]
        self._marks[own] = 1
        seen = self._marks[self._words]
        self._marks[own] = 0
        shared = np.zeros(len(self._sizes), dtype=np.int64)
        if len(self._filled):
            # An empty text has no slice of its own, which `reduceat` would fill with a neighbour's.
            starts = self._starts[self._filled]
            shared[self._filled] = np.add.reduceat(seen, starts, dtype=np.int64)
        either = self._sizes + self._sizes[place] - shared
        overlap: NDArray[np.float64] = np.zeros(len(self._sizes))
        np.divide(shared, either, out=overlap, where=either > 0)
        return overlap


class Redundancy:
    """Rows of redundancy between candidates: precomputed where known, else lexical.

    A map is ``{other id: value}``; where the two directions differ the larger one counts, so that
    an order of candidates never decides. A value that is not a number in 0..1 raises
    :class:`~podcast_scraper.errors.ColumnError`.
    """

    def __init__(self, candidates: Sequence[Candidate], similarity_key: str) -> None:
        self._candidates = candidates
        self._ids = [candidate.id for candidate in candidates]
        self._maps = [_checked(candidate, similarity_key) for candidate in candidates]
        self._any_map = any(self._maps)

    def row(self, place: int) -> NDArray[np.float64]:
        """Return the redundancy of candidate ``place`` with every candidate."""
        if not self._any_map:
            return self._lexical.row(place)
        own, own_id = self._maps[place], self._ids[place]
        there = np.array([own.get(other, math.nan) for other in self._ids])
        back = np.array([other.get(own_id, math.nan) for other in self._maps])
        known: NDArray[np.float64] = np.fmax(there, back)
        known[place] = 1.0  # maps rarely name their own candidate, which is all of itself
        missing = np.isnan(known)
        return np.where(missing, self._lexical.row(place), known) if missing.any() else known

    @cached_property
    def _lexical(self) -> LexicalRedundancy:
        return LexicalRedundancy([one.text or "" for one in self._candidates])


def _checked(candidate: Candidate, key: str) -> Mapping[str, float]:
    value: Any = candidate.metadata.get(key)
    if value is None:
        return {}
    try:
        numbers = np.fromiter(value.values(), dtype=np.float64, count=len(value))
    except (AttributeError, TypeError, ValueError):
        raise malformed(candidate.id, key, value, "not a map of id to number") from None
    if not bool(np.all((numbers >= 0.0) & (numbers <= 1.0))):
        raise malformed(candidate.id, key, value, "a redundancy is not in 0..1")
    return value  # type: ignore[no-any-return]
