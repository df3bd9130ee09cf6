"""A transcript as the episode page shows it: turns of speech, in parts, with insights beside them.

A long transcript comes in parts of ``PART_LINES`` lines, each with its own URL, so that a page
stays quick to make, to send and to lay out.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from podcast_scraper.storage.catalog import InsightInfo, QuoteInfo, SegmentInfo

PART_LINES: Final = 300
VOICE_COLOURS: Final = 6
MATCHES_SHOWN: Final = 100
MATCH_CONTEXT: Final = 60


@dataclass(frozen=True, slots=True)
class Line:
    """One timed line; ``marks`` are spans of what was looked for."""

    ordinal: int
    start: float | None
    end: float | None
    text: str
    marks: tuple[tuple[int, int], ...] = ()
    here: bool = False


@dataclass(frozen=True, slots=True)
class Note:
    """An insight at the place of its first quote."""

    insight: InsightInfo
    quote: QuoteInfo | None


@dataclass(frozen=True, slots=True)
class Turn:
    """Consecutive lines of one speaker. ``colour`` is 0…5 in order of appearance, None: nobody."""

    speaker_id: str | None
    speaker: str
    colour: int | None
    kind: str
    lines: tuple[Line, ...]
    notes: tuple[Note, ...]


@dataclass(frozen=True, slots=True)
class Match:
    """A place where the text that was looked for is spoken."""

    ordinal: int
    part: int
    start: float | None
    before: str
    text: str
    after: str


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a transcript (1-based) and where it lies in the whole."""

    number: int
    count: int
    turns: tuple[Turn, ...]
    unplaced: tuple[Note, ...] = ()
    starts: tuple[float | None, ...] = field(default=())


def part_of(ordinal_position: int) -> int:
    """Return the part (1-based) that holds the line at a position (0-based)."""
    return ordinal_position // PART_LINES + 1


def position_at(segments: Sequence[SegmentInfo], seconds: float) -> int | None:
    """Return the position of the line that is spoken at a time: the last one that has begun."""
    timed = [(s.start, at) for at, s in enumerate(segments) if s.start is not None]
    if not timed:
        return None
    # A hair of tolerance: times in links are printed with six digits.
    found = bisect_right([start for start, _ in timed], seconds + 0.01) - 1
    return timed[max(0, found)][1]


def make_part(
    segments: Sequence[SegmentInfo],
    insights: Sequence[InsightInfo],
    names: Mapping[str, str],
    *,
    number: int = 1,
    here: int | None = None,
    find: str = "",
) -> Part:
    """Return one part of a transcript. ``here`` is the position of the line that was linked to."""
    count = max(1, part_of(len(segments) - 1))
    number = min(max(1, number), count)
    first = (number - 1) * PART_LINES
    shown = segments[first : first + PART_LINES]
    placed, unplaced = _placed(segments, insights)
    colours = _colours(segments)
    pattern = _pattern(find)
    turns = []
    position = first
    for (key, kind), group in groupby(shown, key=lambda s: (_voice(s), s.kind)):
        lines, notes = [], []
        for segment in group:
            marks = tuple(m.span() for m in pattern.finditer(segment.text)) if pattern else ()
            lines.append(
                Line(
                    segment.ordinal,
                    segment.start,
                    segment.end,
                    segment.text,
                    marks,
                    position == here,
                )
            )
            notes += placed.get(position, [])
            position += 1
            last = segment
        speaker = names.get(last.speaker_id or "") or last.speaker_label or ""
        turns.append(
            Turn(last.speaker_id, speaker, colours.get(key), kind, tuple(lines), tuple(notes))
        )
    starts = tuple(s.start for s in segments[::PART_LINES])
    return Part(number, count, tuple(turns), tuple(unplaced) if number == 1 else (), starts)


def find_in(segments: Sequence[SegmentInfo], text: str) -> tuple[list[Match], int]:
    """Return the first places where a text is spoken, and how many there are."""
    pattern = _pattern(text)
    if pattern is None:
        return [], 0
    found: list[Match] = []
    total = 0
    for position, segment in enumerate(segments):
        for match in pattern.finditer(segment.text):
            total += 1
            if len(found) < MATCHES_SHOWN:
                low = max(0, match.start() - MATCH_CONTEXT)
                found.append(
                    Match(
                        segment.ordinal,
                        part_of(position),
                        segment.start,
                        segment.text[low : match.start()],
                        match.group(),
                        segment.text[match.end() : match.end() + MATCH_CONTEXT],
                    )
                )
    return found, total


def _pattern(text: str) -> re.Pattern[str] | None:
    words = text.split()
    return re.compile(r"\s+".join(map(re.escape, words)), re.IGNORECASE) if words else None


def _voice(segment: SegmentInfo) -> str | None:
    return segment.speaker_id or segment.speaker_label


def _colours(segments: Sequence[SegmentInfo]) -> dict[str | None, int]:
    voices = dict.fromkeys(v for s in segments if (v := _voice(s)) and s.kind == "speech")
    return {voice: number % VOICE_COLOURS for number, voice in enumerate(voices)}


def _placed(
    segments: Sequence[SegmentInfo], insights: Sequence[InsightInfo]
) -> tuple[dict[int, list[Note]], list[Note]]:
    """Place each insight at the line of its first quote, by offset, else by time."""
    by_offset = [(s.char_start, at) for at, s in enumerate(segments) if s.char_start is not None]
    offsets = [offset for offset, _ in by_offset]
    placed: dict[int, list[Note]] = {}
    unplaced: list[Note] = []
    for insight in insights:
        quote = insight.quotes[0] if insight.quotes else None
        at: int | None = None
        if quote is not None and quote.char_start is not None and offsets:
            at = by_offset[max(0, bisect_right(offsets, quote.char_start) - 1)][1]
        elif quote is not None and quote.start_ms is not None:
            at = position_at(segments, quote.start_ms / 1000)
        note = Note(insight, quote)
        if at is None:
            unplaced.append(note)
        else:
            placed.setdefault(at, []).append(note)
    return placed, unplaced
