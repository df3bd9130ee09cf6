"""A text with its white space collapsed, and the way back to the offsets of the original."""

from __future__ import annotations

import re
from bisect import bisect_right


class Squeezed:
    """``text`` has every run of white space replaced by one space, without one at the ends."""

    def __init__(self, original: str) -> None:
        self._original = original
        pieces: list[str] = []
        # Where each piece starts: in the squeezed text and in the original one.
        self._squeezed: list[int] = []
        self._starts: list[int] = []
        length = 0
        for word in re.finditer(r"\S+", original):
            self._squeezed.append(length)
            self._starts.append(word.start())
            pieces.append(word[0])
            length += len(word[0]) + 1
        self.text = " ".join(pieces)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the original ``(start, end)`` of a span that begins and ends with a word."""
        return self._back(start), self._back(end - 1) + 1

    def place(self, original: int) -> int:
        """Return about where an offset of the original lies in the squeezed text."""
        word = max(0, bisect_right(self._starts, original) - 1)
        if not self._starts:
            return 0
        return self._squeezed[word] + max(0, original - self._starts[word])

    def _back(self, offset: int) -> int:
        word = bisect_right(self._squeezed, offset) - 1
        return self._starts[word] + offset - self._squeezed[word]
