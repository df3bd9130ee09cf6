"""Counting and cutting text by a model's own tokens."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

Span = tuple[int, int]

_SURROGATE = re.compile("[\ud800-\udfff]")


class TextTokenizer:
    """A model's tokenizer with padding and truncation off; offsets count code points of the text.

    Takes the tokenizer over: files often carry padding to a fixed length, which costs a short query
    most of its time, and silent truncation.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        tokenizer.no_padding()
        tokenizer.no_truncation()

    def encode(self, text: str, pair: str | None = None) -> Encoding:
        """Return the tokens of a text or a pair with the model's special tokens."""
        return self._tokenizer.encode(printable(text), None if pair is None else printable(pair))

    def count(self, text: str, pair: str | None = None) -> int:
        """Return the number of tokens, special tokens included."""
        return len(self.encode(text, pair).ids)

    def spans(self, text: str) -> list[Span]:
        """Return the character spans of the text's own tokens."""
        return list(self._tokenizer.encode(printable(text), add_special_tokens=False).offsets)

    def fit(self, text: str, room: int) -> tuple[str, bool]:
        """Return ``text`` cut after ``room`` tokens, and whether anything was cut."""
        spans = self.spans(text)
        return (text, False) if len(spans) <= room else (text[: spans[room - 1][1]], True)


def even_windows(spans: list[Span], room: int, overlap: int) -> list[Span]:
    """Return character spans of the fewest windows of at most ``room`` tokens that cover ``spans``.

    Neighbours share up to ``overlap`` tokens (fewer than ``room``) or more; the windows are spread
    evenly, so that none is a short rest without context. They start with whole words where words
    are shorter than the overlap: the rest of a word alone can take more tokens than within it.
    """
    total = len(spans)
    if total <= room:
        return [(spans[0][0], spans[-1][1])] if spans else []
    count = -(-(total - overlap) // (room - overlap))
    windows = []
    for number in range(count):
        first = start = (total - room) * number // (count - 1)
        while 0 < start < first + overlap and spans[start][0] == spans[start - 1][1]:
            start += 1
        windows.append((spans[start][0], spans[first + room - 1][1]))
    return windows


def printable(text: str) -> str:
    """Replace lone surrogates, which no tokenizer accepts, one for one so that offsets stay."""
    return _SURROGATE.sub("\ufffd", text)
