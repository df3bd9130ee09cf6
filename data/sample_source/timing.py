"""When each word is spoken: a natural pace of about 2.6 words a second, pauses included.

All times are whole milliseconds, so that building again gives the same bytes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from data.sample_source.script import Turn

_WORD_MS = 190
_LETTER_MS = 32
_COMMA_MS = 140
_STOP_MS = 380
_TURN_GAP_MS = 450
_SEGMENT_WORDS = 30
_SENTENCE_END = re.compile(r"(?<=[.?!…])[\"']? +")


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of one turn that becomes one segment; offsets are those of the turn's text."""

    turn: int
    start: int
    end: int
    start_ms: int
    end_ms: int


def pieces_of(
    turns: Sequence[Turn], measured: Sequence[tuple[int, int]] | None = None
) -> list[Piece]:
    """Cut the turns into segments of whole sentences and time them one after the other.

    ``measured`` holds start and end (ms) of every segment in order, as real audio has them;
    without it the pace is estimated from the words.
    """
    spans = [(n, *span) for n, turn in enumerate(turns) for span in sentence_groups(turn.text)]
    if measured is None:
        measured = list(_estimated_times(turns, spans))
    return [Piece(*span, *times) for span, times in zip(spans, measured, strict=True)]


def _estimated_times(
    turns: Sequence[Turn], spans: Sequence[tuple[int, int, int]]
) -> Iterator[tuple[int, int]]:
    now = previous = 0
    for turn, start, end in spans:
        now += _TURN_GAP_MS if turn != previous else 0
        lasts = estimated_ms(turns[turn].text[start:end])
        yield now, now + lasts
        now, previous = now + lasts, turn


def sentence_groups(text: str) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of runs of whole sentences of about 30 words or fewer."""
    ends = [found.end() for found in _SENTENCE_END.finditer(text)]
    start = previous = 0
    for end in [*ends, len(text)]:
        if len(text[start:end].split()) > _SEGMENT_WORDS and previous > start:
            yield start, len(text[:previous].rstrip())
            start = previous
        previous = end
    if start < len(text):
        yield start, len(text)


def estimated_ms(text: str) -> int:
    """Estimate how long the words take to say, with a pause at each comma and full stop."""
    total = 0
    for word in text.split():
        total += _WORD_MS + _LETTER_MS * sum(map(str.isalnum, word))
        total += _STOP_MS if word[-1] in ".?!…" else _COMMA_MS if word[-1] in ",;:" else 0
    return total


def time_at(pieces: Sequence[Piece], text: str, turn: int, offset: int) -> int:
    """Return the time (ms) of a character of a turn, in proportion inside its segment."""
    piece = [p for p in pieces if p.turn == turn and p.start <= offset][-1]
    said = estimated_ms(text[piece.start : min(offset, piece.end)])
    whole = estimated_ms(text[piece.start : piece.end])
    return piece.start_ms + (piece.end_ms - piece.start_ms) * said // whole
