"""Cutting a row of words into overlapping windows at the best places."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from podcast_scraper.errors import ConfigurationError

INSIDE: Final = 0
SENTENCE_END: Final = 1
TURN_END: Final = 2

Longest = Callable[[int, int], int]
"""``longest(start, limit)``: the largest end ≤ limit that may be one window, at least start + 1."""


@dataclass(frozen=True, slots=True)
class ChunkSettings:
    """Sizes of windows in words."""

    min_words: int = 200
    max_words: int = 300
    overlap_words: int = 50

    def __post_init__(self) -> None:
        if not 0 <= 2 * self.overlap_words <= self.min_words <= self.max_words:
            raise ConfigurationError(
                "Windows need 0 ≤ 2 · overlap_words ≤ min_words ≤ max_words.", subject=self
            )
        if self.min_words < 1:
            raise ConfigurationError("min_words must be at least 1.", subject=self)


def cut_windows(
    ends: Sequence[int], longest: Longest, settings: ChunkSettings
) -> list[tuple[int, int]]:
    """Return windows over the words ``0 … len(ends) - 1``, ends exclusive, that cover them all.

    ``ends[i]`` is what ends with word ``i``: ``TURN_END``, ``SENTENCE_END`` or ``INSIDE``. Every
    window begins after its predecessor's begin and ends after its end. A window depends on the
    words before it and the ``2 · min_words`` or ``max_words`` after its begin, on no others.
    """
    count = len(ends)
    windows: list[tuple[int, int]] = []
    start = done = 0
    while done < count:
        limit = longest(start, min(count, start + settings.max_words))
        if limit < count:
            low, high = _bounds(start, limit, count - start, settings)
            limit = _best_end(ends, max(low, done + 1), max(high, done + 1))
        windows.append((start, limit))
        start, done = _next_start(ends, start, limit, longest, settings), limit
    return windows


def _bounds(start: int, limit: int, rest: int, settings: ChunkSettings) -> tuple[int, int]:
    """Return the smallest and the largest end that a window may have."""
    if rest < 2 * settings.min_words:
        # Two windows finish the row: halve it rather than leave a stub.
        half, slack = (rest + settings.overlap_words) // 2, settings.overlap_words // 2
        if start + half + slack <= limit:
            return start + half - slack, start + half + slack
    if limit - start <= settings.min_words:
        # The model's limit is narrower than min_words.
        return start + (limit - start) * 2 // 3, limit
    return start + settings.min_words, limit


def _best_end(ends: Sequence[int], low: int, high: int) -> int:
    for wanted in (TURN_END, SENTENCE_END):
        for end in range(high, low - 1, -1):
            if ends[end - 1] >= wanted:
                return end
    return high


def _next_start(
    ends: Sequence[int], start: int, end: int, longest: Longest, settings: ChunkSettings
) -> int:
    """Return where the window after ``[start, end)`` begins: about the overlap before its end."""
    overlap = min(settings.overlap_words, (end - start) // 4)
    target = end - overlap
    near = sorted(
        range(max(start + 1, target - overlap // 2), target + overlap // 2 + 1),
        key=lambda place: (abs(place - target), place),
    )
    best = target
    for wanted in (TURN_END, SENTENCE_END):
        found = next((place for place in near if ends[place - 1] >= wanted), None)
        if found is not None:
            best = found
            break
    # Words of many tokens may leave no room for new ones after the overlap.
    return best if end < len(ends) and longest(best, end + 1) > end else end
