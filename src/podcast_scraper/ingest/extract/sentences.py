"""Sentences of punctuated speech, with offsets."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_END = re.compile(r"[.?!…]+[\"'”’)\]]*(?=\s+[\"'“‘(\[]*[^\W_a-z]|\s*$)")
_ABBREVIATIONS: Final = frozenset(
    (
        "mr",
        "mrs",
        "ms",
        "dr",
        "prof",
        "st",
        "vs",
        "etc",
        "inc",
        "no",
        "jr",
        "sr",
        "e.g",
        "i.e",
        "fig",
    )
)
_LAST_WORD = re.compile(r"([\w.]+)\.$")


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Yield ``[start, end)`` of each sentence; the last one may be unfinished.

    A full stop after an abbreviation or a single initial ends nothing, and a sentence begins with
    a capital, a digit or a quotation mark.
    """
    start = 0
    for match in _END.finditer(text):
        end = match.end()
        word = _LAST_WORD.search(text, max(start, end - 20), end)
        if word and (
            word[1].lower() in _ABBREVIATIONS
            or (len(word[1]) == 1 and word[1].isupper() and word[1] != "I")
        ):
            continue
        yield from _stripped(text, start, end)
        start = end
    yield from _stripped(text, start, len(text))


def _stripped(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    piece = text[start:end]
    lead = len(piece) - len(piece.lstrip())
    if piece.strip():
        yield start + lead, start + len(piece.rstrip())
