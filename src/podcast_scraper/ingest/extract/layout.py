"""A transcript's text and segments from its cues, with offsets that fit each other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from podcast_scraper.artifacts.records import Segment, Transcript

if TYPE_CHECKING:
    from collections.abc import Sequence

    from podcast_scraper.ingest.transcripts import Cue

# Characters of speech a second, slowest and fastest; an anchor outside is not trusted alone.
_PACE: Final = (6.0, 30.0)


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the transcript's text: one speaker's words without the name.

    ``[start, end)`` are offsets into the text; ``segments`` the ordinals of its segments.
    """

    start: int
    end: int
    speaker: str | None
    kind: str
    segments: range


@dataclass(frozen=True, slots=True)
class Layout:
    """The transcript and its lines. ``estimated`` tells that times were interpolated."""

    transcript: Transcript
    lines: tuple[Line, ...]
    estimated: bool = False


def lay_out(cues: Sequence[Cue], marks: Sequence[tuple[int, float]] = ()) -> Layout:
    """Return the text (``Name: words``, one line a turn or paragraph) and its segments."""
    timed, estimated = estimate_times(cues, marks)
    paragraphs = _are_paragraphs(cues)
    parts: list[str] = []
    segments: list[Segment] = []
    lines: list[Line] = []
    at = 0
    for ordinal, cue in enumerate(timed):
        before = lines[-1] if lines else None
        goes_on = before is not None and (before.speaker, before.kind) == (cue.speaker, cue.kind)
        if goes_on and not paragraphs:
            parts.append(" ")
            at += 1
        else:
            named = cue.speaker and not goes_on
            opening = ("\n" if lines else "") + (f"{cue.speaker}: " if named else "")
            parts.append(opening)
            at += len(opening)
            lines.append(Line(at, at, cue.speaker, cue.kind, range(ordinal, ordinal)))
        parts.append(cue.text)
        start, at = at, at + len(cue.text)
        segments.append(
            Segment(ordinal, cue.start, cue.end, cue.text, cue.speaker, None, cue.kind, start, at)
        )
        lines[-1] = replace(
            lines[-1], end=at, segments=range(lines[-1].segments.start, ordinal + 1)
        )
    text = "".join(parts) + ("\n" if parts else "")
    return Layout(Transcript(text, tuple(segments)), tuple(lines), estimated)


def _are_paragraphs(cues: Sequence[Cue]) -> bool:
    """Captions break anywhere; paragraphs end with their sentence."""
    whole = sum(cue.text.endswith((".", "?", "!", '"', "…", "”")) for cue in cues)
    return whole >= 0.7 * len(cues)


def estimate_times(
    cues: Sequence[Cue], marks: Sequence[tuple[int, float]] = ()
) -> tuple[list[Cue], bool]:
    """Interpolate times between the known ones by the number of characters spoken.

    Only where most cues have no time and at least two times are known; times after the last known
    one go on at the episode's own pace. Returns the cues, and whether anything was estimated.
    """
    untimed = sum(cue.start is None for cue in cues)
    spoken = [0]
    for cue in cues:
        spoken.append(spoken[-1] + len(cue.text) + 1)
    anchors = anchors_of(cues, marks, spoken)
    if not cues or untimed * 2 < len(cues) or len(anchors) < 3:
        return list(cues), False
    starts = [interpolate(anchors, spoken[index]) for index in range(len(cues) + 1)]
    return [
        replace(
            cue,
            start=round(starts[index] if cue.start is None else cue.start, 2),
            end=round(max(starts[index + 1], cue.start or 0.0), 2) if cue.end is None else cue.end,
        )
        for index, cue in enumerate(cues)
    ], True


def anchors_of(
    cues: Sequence[Cue], marks: Sequence[tuple[int, float]], spoken: Sequence[int]
) -> list[tuple[int, float]]:
    """Return (characters spoken before, seconds), increasing in both, from the start at zero."""
    known = [(spoken[i], cue.start) for i, cue in enumerate(cues) if cue.start is not None]
    known += [(spoken[i], time) for i, time in marks]
    anchors = [(0, 0.0)]
    for place, time in sorted(known):
        if place > anchors[-1][0] and time > anchors[-1][1]:
            anchors.append((place, time))
    if len(anchors) > 1 and not _PACE[0] < anchors[1][0] / anchors[1][1] < _PACE[1]:
        del anchors[0]  # something that is not in the text runs before the first words
    return anchors


def interpolate(anchors: Sequence[tuple[int, float]], place: int) -> float:
    """Return the time at a place: linear between anchors, at the whole pace outside."""
    (first, start), (last, end) = anchors[0], anchors[-1]
    pace = (end - start) / (last - first)
    if place <= first:
        return max(0.0, start - (first - place) * pace)
    for (low, since), (high, until) in pairwise(anchors):
        if place <= high:
            return since + (until - since) * (place - low) / (high - low)
    return end + (place - last) * pace
