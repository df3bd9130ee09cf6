"""What every timed format needs after parsing: usable times, time order, speakers carried on."""

from __future__ import annotations

from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from podcast_scraper.ingest.transcripts.clock import usable

if TYPE_CHECKING:
    from podcast_scraper.ingest.transcripts.records import Cue, RepairLog

# A loop of a speech recogniser says the same phrase at least so often in a row.
LOOP: Final = 5


def inherit_speakers(cues: list[Cue]) -> list[Cue]:
    """Carry a speaker on to the cues that name none, and mark them as inherited.

    An advertisement or music ends nobody's turn, and is spoken by nobody.
    """
    carried: list[Cue] = []
    speaker: str | None = None
    for cue in cues:
        if cue.speaker is None and speaker is not None and cue.kind == "speech":
            cue = replace(cue, speaker=speaker, inherited=True)
        speaker = cue.speaker or speaker
        carried.append(cue)
    return carried


def tidy(cues: list[Cue], log: RepairLog, states_ends: bool = True) -> tuple[Cue, ...]:
    """Return the cues that have text, with usable times, in time order.

    Overlapping and touching cues stay as they are: people talk over each other. An end before its
    start is dropped and taken from the next cue, as is a missing one; ``states_ends`` is false for
    formats that never state an end, where that is no repair.
    """
    spoken: list[Cue] = []
    for place, cue in enumerate(cues, 1):
        if not cue.text:
            log.dropped("empty cue", place)
            continue
        spoken.append(_with_usable_times(cue, place, log))
    return tuple(with_ends(_in_order(spoken, log), log if states_ends else None))


def _with_usable_times(cue: Cue, place: int, log: RepairLog) -> Cue:
    start, end = cue.start, cue.end
    if start is not None and not usable(start):
        log.fixed("impossible start time", place)
        start = 0.0 if -60 < start < 0 else None
    if end is not None and not usable(end):
        log.fixed("impossible end time", place)
        end = None
    if start is not None and end is not None and end < start:
        log.fixed("end before start", place)
        end = None
    if end is not None and end == start:
        log.fixed("zero length", place)
        end = None
    return cue if (start, end) == (cue.start, cue.end) else replace(cue, start=start, end=end)


def _in_order(cues: list[Cue], log: RepairLog) -> list[Cue]:
    """Sort by start; a cue without start stays behind the one that it follows.

    Where the clock starts again from zero (two recordings in one file), the order of the file is
    the order of speech: the second part is moved behind the first instead of into it.
    """
    keyed: list[tuple[float, Cue]] = []
    shift, latest = 0.0, 0.0
    for place, cue in enumerate(cues, 1):
        if cue.start is None:
            keyed.append((latest, cue))
            continue
        if cue.start < 5 and latest - shift > 120 and place < len(cues):
            log.fixed("clock starts again", place)
            shift = latest
        if shift:
            end = cue.end + shift if cue.end is not None else None
            cue = replace(cue, start=cue.start + shift, end=end)
        start = cue.start if cue.start is not None else latest
        if start < latest:
            log.fixed("out of time order", place)
        keyed.append((start, cue))
        latest = max(latest, start)
    return [cue for _, cue in sorted(keyed, key=lambda pair: pair[0])]


def with_ends(cues: list[Cue], log: RepairLog | None) -> list[Cue]:
    """Return the cues with missing ends taken from the start of the very next cue."""
    ended: list[Cue] = []
    for place, (cue, after) in enumerate(zip_longest(cues, cues[1:]), 1):
        following = after.start if after is not None else None
        if cue.end is None and cue.start is not None and following and following > cue.start:
            if log is not None:
                log.guessed("end from the next cue", place)
            cue = replace(cue, end=following)
        ended.append(cue)
    return ended


def without_loops(cues: list[Cue], log: RepairLog) -> list[Cue]:
    """Keep the first of five or more cues in a row with the same words (a recogniser's loop)."""
    kept: list[Cue] = []
    at = 0
    while at < len(cues):
        phrase = cues[at].text.casefold()
        end = at + 1
        while end < len(cues) and cues[end].text.casefold() == phrase:
            end += 1
        if end - at >= LOOP and phrase:
            log.dropped("repetition of a looping recogniser", at + 2, count=end - at - 1)
            kept.append(cues[at])
        else:
            kept.extend(cues[at:end])
        at = end
    return kept
