"""Which part of a long text to show for a query."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

SHOWN_CHARACTERS: Final = 320

_WORD_START = re.compile(r"(?<!\S)\S")


def snippet(
    text: str, spans: Sequence[tuple[int, int]], length: int = SHOWN_CHARACTERS
) -> tuple[int, int]:
    """Return the character span of about ``length`` characters that covers most highlights.

    It starts and ends between words and keeps about a fifth of its room before the first
    highlight; a text that is short enough is shown whole.
    """
    if len(text) <= length:
        return 0, len(text)
    best, covered = 0, -1
    for start, _ in spans or [(0, 0)]:
        low = max(0, min(start - length // 5, len(text) - length))
        inside = sum(e - s for s, e in spans if s >= low and e <= low + length)
        if inside > covered:
            best, covered = low, inside
    return _word_at_or_after(text, best), _end_of_word_before(text, best + length)


def _word_at_or_after(text: str, position: int) -> int:
    if position == 0:
        return 0
    found = _WORD_START.search(text, position)
    return found.start() if found and found.start() - position < 40 else position


def _end_of_word_before(text: str, position: int) -> int:
    if position >= len(text):
        return len(text)
    space = text.rfind(" ", position - 40, position)
    return space if space > 0 else position
