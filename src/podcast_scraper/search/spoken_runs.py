"""From a transcript to runs: stretches of one kind (speech, ad, music) with speakers and times.

The text file is what was said where there is one, and segments only tell who and when about it;
where there is none, the segments are the text. Text that no segment covers is kept without a
speaker, and long passages that only the segments have are kept without offsets.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from podcast_scraper.artifacts.records import Segment, SegmentKind, Transcript

# Fewer words in a row that only the segments have are what an editor took out of the text
# ("um", "yeah"); more are a passage that the text file lost.
_LOST_WORDS: Final = 20


@dataclass(frozen=True, slots=True)
class Piece:
    """``text[start:end]`` of a run, said by one speaker. ``begins`` and ``ends`` are seconds.

    Pieces with equal ``turn`` are one turn, whoever speaks.
    """

    start: int
    end: int
    turn: int
    speaker: str | None = None
    begins: float | None = None
    ends: float | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """Pieces of one kind in the order of ``text``. ``located``: ``text`` is the episode's own."""

    text: str
    pieces: tuple[Piece, ...]
    kind: SegmentKind
    located: bool


@dataclass(frozen=True, slots=True)
class _Stretch:
    """``text[start:end]`` and the segments that it stands for; none where it is unknown text."""

    start: int
    end: int
    segments: tuple[Segment, ...]

    @property
    def kind(self) -> SegmentKind:
        kinds = {segment.kind for segment in self.segments}
        return kinds.pop() if len(kinds) == 1 else "speech"

    @property
    def voice(self) -> tuple[str | None, str | None]:
        voices = {_voice(segment) for segment in self.segments}
        return voices.pop() if len(voices) == 1 else (None, None)


def spoken_runs(transcript: Transcript) -> list[Run]:
    """Return the runs of a transcript, those of the text file first."""
    stretches, lost = _place(transcript.text, transcript.segments)
    runs = _runs(transcript.text, stretches, located=True)
    for segments in lost:
        text, joined = _join(segments)
        runs.extend(_runs(text, joined, located=False))
    return runs


def _place(
    text: str, segments: Sequence[Segment]
) -> tuple[list[_Stretch], list[tuple[Segment, ...]]]:
    """Return stretches that cover every word of ``text``, and the segments it does not have."""
    stretches: list[_Stretch] = []
    lost: list[tuple[Segment, ...]] = []
    waiting: list[Segment] = []
    cursor = 0

    def close_gap(end: int) -> None:
        words, missed = len(text[cursor:end].split()), _words(waiting)
        stands_for = missed <= 2 * words and words <= 2 * missed
        if words:
            stretches.append(_Stretch(cursor, end, tuple(waiting) if stands_for else ()))
        if not stands_for and (missed >= _LOST_WORDS or not text.strip()):
            lost.append(tuple(waiting))

    for segment in segments:
        start, end = segment.char_start, segment.char_end
        if start is None or end is None or not cursor <= start < end <= len(text):
            waiting.append(segment)
            continue
        lead = _lead(text, cursor, start, missed=bool(waiting))
        close_gap(lead)
        stretches.append(_Stretch(lead, end, (segment,)))
        waiting = []
        cursor = end
    close_gap(len(text))
    return stretches, lost


def _lead(text: str, cursor: int, start: int, *, missed: bool) -> int:
    """Return where the name (or time) begins that stands before a segment on its line."""
    line = max(cursor, text.rfind("\n", cursor, start) + 1)
    before = text[line:start].strip()
    return line if before.endswith(":") or not missed else start


def _voice(segment: Segment) -> tuple[str | None, str | None]:
    return segment.speaker_id, segment.speaker_label


def _words(segments: Iterable[Segment]) -> int:
    return sum(len(segment.text.split()) for segment in segments)


def _join(segments: Sequence[Segment]) -> tuple[str, list[_Stretch]]:
    """Make a text of segments: a line for each turn."""
    text = ""
    stretches: list[_Stretch] = []
    for segment in segments:
        words = segment.text.strip()
        if not words:
            continue
        if stretches:
            text += " " if stretches[-1].voice == _voice(segment) else "\n"
        stretches.append(_Stretch(len(text), len(text) + len(words), (segment,)))
        text += words
    return text, stretches


def _runs(text: str, stretches: Sequence[_Stretch], *, located: bool) -> list[Run]:
    return [
        Run(text, tuple(_pieces(group)), kind, located)
        for kind, group in groupby(stretches, key=lambda stretch: stretch.kind)
    ]


def _pieces(stretches: Iterable[_Stretch]) -> Iterator[Piece]:
    for turn, (voice, group) in enumerate(groupby(stretches, key=lambda stretch: stretch.voice)):
        for stretch in group:
            begins = [s.start for s in stretch.segments if s.start is not None]
            ends = [s.end for s in stretch.segments if s.end is not None]
            yield Piece(
                stretch.start,
                stretch.end,
                turn,
                voice[0],
                min(begins, default=None),
                max(ends, default=None),
            )
