"""Where sentences begin and end, as offsets into the text."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from punkt import PunktSentenceTokenizer

_LANGUAGE: Final = "english"
# Line ends are sentence ends in a transcript, and Punkt's English model knows no CJK full stop.
_HARD_END = re.compile(r"[\r\n]+|(?<=[。！？])")


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return the spans of the sentences of ``text``, in order, without the white space between.

    Boundaries come from the Punkt detector (Kiss and Strunk 2006, English model), line ends, and
    CJK full stops. Text without any of these is one sentence, however long.
    """
    punkt = _punkt()
    spans = []
    for start, end in _lines(text):
        for first, last in punkt.span_tokenize(text[start:end]):
            sentence = text[start + first : start + last]
            lead = len(sentence) - len(sentence.lstrip())
            if sentence.strip():
                spans.append((start + first + lead, start + first + len(sentence.rstrip())))
    return spans


def _lines(text: str) -> list[tuple[int, int]]:
    bounds = [0]
    for match in _HARD_END.finditer(text):
        bounds.append(match.end())
    bounds.append(len(text))
    return [(a, b) for a, b in pairwise(bounds) if a < b]


@cache
def _punkt() -> PunktSentenceTokenizer:
    # Reading the model takes some 40 ms that only indexing needs.
    import punkt

    return punkt.tokenizer_for(_LANGUAGE)
