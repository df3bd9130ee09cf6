"""Plain text and Markdown transcripts: ``Name: …``, ``**Name:** …``, ``Name (0:02): …``."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from podcast_scraper.ingest.transcripts.clock import CLOCK, parse_clock
from podcast_scraper.ingest.transcripts.labels import (
    NOT_NAMES,
    PREFIX,
    accepted_labels,
    kind_of_label,
)
from podcast_scraper.ingest.transcripts.markdown import (
    HEADING,
    RULE,
    looks_like_markdown,
    split_front_matter,
    unmarked,
    words_of,
)
from podcast_scraper.ingest.transcripts.records import Cue, ParsedTranscript, RepairLog
from podcast_scraper.ingest.transcripts.tidy import with_ends

if TYPE_CHECKING:
    from collections.abc import Iterator

_BOLD = re.compile(
    r"\s{0,3}(?:[-*>+][ ]+)?(?:\*\*|__)\s*(?P<label>[^*_:()\[\]\n]{1,80}?)\s*"
    rf"(?:[(\[](?P<clock>{CLOCK})[)\]])?\s*(?P<in>:)?\s*(?:\*\*|__)\s*(?P<out>:)?(?=\s|[(\[\\]|$)"
)
_STAMP = re.compile(rf"\\?[\[(]\s*(?P<clock>{CLOCK})\s*\\?[\])]\s*:?(?=\s|$)")
_STAMP_ALONE = re.compile(rf"\s*(?P<clock>{CLOCK})\s*")
_NAMED_STAMP = re.compile(
    rf"(?P<label>[^\W\d_][^\n\d:()\[\]]{{0,60}}?)\s+[(\[]?(?P<clock>{CLOCK})[)\]]?\s*(?P<colon>:?)(?=\s|$)"
)
_INLINE = re.compile(rf"\\?\[\s*({CLOCK})\s*\\?\]")


@dataclass(slots=True)
class _Line:
    """A line that is speech: its label and time where it opens with them, and the rest.

    ``sure`` labels (bold ones) need no recurrence. ``opens`` tells of a new paragraph.
    """

    place: int
    raw: str
    rest: str
    opens: bool
    label: str | None = None
    start: float | None = None
    sure: bool = False


def parse_text(text: str, log: RepairLog, markdown: bool | None = None) -> ParsedTranscript:
    """Return the cues of a plain or Markdown transcript, one a paragraph, split at inline times.

    A paragraph without a name goes on with the speaker before it. Lines keep the file's order
    whatever their times say; a time that disagrees with the order of the others is dropped.
    """
    markdown = looks_like_markdown(text) if markdown is None else markdown
    lines = text.split("\n")
    header, body = split_front_matter(lines) if markdown else ({}, 0)
    parsed = list(_lines(lines, body, markdown, header))
    unsure = [line.label for line in parsed if line.label and not line.sure]
    known = accepted_labels(unsure, sum(1 for line in parsed if line.opens or line.label))
    cues: list[Cue] = []
    marks: list[tuple[int, float]] = []
    speaker: str | None = None
    pending = False  # a name or time stood on a line of its own: the next line opens a cue
    for line in parsed:
        kind = kind_of_label(line.label) if line.label else None
        if line.label and not (kind or line.sure or line.label in known):
            line.label, line.start, line.rest = None, None, line.raw
        if line.label and not kind:
            speaker = line.label
        base = Cue("", line.start, speaker=None if kind else speaker, kind=kind or "speech")
        opens = line.opens or line.label or line.start is not None or pending
        goes_on = bool(cues) and not opens
        pending = bool(opens) and not line.rest.strip()
        for piece in _pieces(base, line.rest):
            words = (unmarked if markdown else words_of)(piece.text)
            if not words or (kind and words.strip("-–—") in ("", "to")):
                if piece.start is not None:
                    marks.append((len(cues), piece.start))
            elif goes_on and piece.start is None:
                cues[-1] = replace(cues[-1], text=f"{cues[-1].text} {words}")
            else:
                cues.append(replace(piece, text=words))
            goes_on = False
    cues = _pending_times(cues, marks)
    return ParsedTranscript(
        "text",
        tuple(with_ends(_in_agreement(cues, log), None)),
        log.repairs(),
        header,
        tuple(marks),
    )


def _lines(lines: list[str], body: int, markdown: bool, header: dict[str, str]) -> Iterator[_Line]:
    """Yield the lines of speech; the first heading becomes the title, the others are left out."""
    opens = True
    for place, raw in enumerate(lines[body:], body + 1):
        if not raw.strip():
            opens = True
            continue
        if markdown and (heading := HEADING.fullmatch(raw)):
            header.setdefault("title", unmarked(heading["title"].rstrip("# ")))
            opens = True
            continue
        if markdown and RULE.fullmatch(raw):
            opens = True
            continue
        yield _opened(_Line(place, raw, raw, opens))
        opens = False


def _opened(line: _Line) -> _Line:
    """Fill in what a line opens with: a time, a name, or both in either order."""
    if stamp := _STAMP_ALONE.fullmatch(line.raw):
        return replace(line, rest="", start=parse_clock(stamp["clock"]))
    rest = line.raw.lstrip()
    start = None
    if stamp := _STAMP.match(rest):
        start, rest = parse_clock(stamp["clock"]), rest[stamp.end() :].lstrip()
    if bold := _BOLD.match(rest):
        clock = bold["clock"] or ""
        label = words_of(bold["label"])
        if (bold["in"] or bold["out"] or clock) and label and label.lower() not in NOT_NAMES:
            rest, after = _after_stamp(rest[bold.end() :])
            return replace(
                line,
                rest=rest,
                label=label,
                start=first(start, parse_clock(clock), after),
                sure=True,
            )
    if prefix := PREFIX.match(rest):
        rest, after = _after_stamp(rest[prefix.end() :])
        inside = re.search(CLOCK, prefix[0])
        clock = inside[0] if inside else ""
        return replace(
            line,
            rest=rest,
            label=words_of(prefix["label"]),
            start=first(start, parse_clock(clock), after),
        )
    if (named := _NAMED_STAMP.match(rest)) and (named["colon"] or not rest[named.end() :].strip()):
        return replace(
            line,
            rest=rest[named.end() :],
            label=words_of(named["label"]),
            start=first(start, parse_clock(named["clock"])),
        )
    return replace(line, rest=rest, start=start)


def _after_stamp(rest: str) -> tuple[str, float | None]:
    """Split a time off the words that follow a name."""
    rest = rest.lstrip()
    if stamp := _STAMP.match(rest):
        return rest[stamp.end() :], parse_clock(stamp["clock"])
    return rest, None


def first(*times: float | None) -> float | None:
    """Return the first time that is known."""
    return next((time for time in times if time is not None), None)


def _pieces(base: Cue, text: str) -> Iterator[Cue]:
    """Split a line at its inline times; each piece starts at the time before it."""
    at, start = 0, base.start
    for stamp in _INLINE.finditer(text):
        if text[at : stamp.start()].strip() or (start is not None and start != base.start):
            yield replace(base, text=text[at : stamp.start()], start=start)
        at, start = stamp.end(), parse_clock(stamp[1])
    yield replace(base, text=text[at:], start=start)


def _pending_times(cues: list[Cue], marks: list[tuple[int, float]]) -> list[Cue]:
    """Give a time that stands on a line of its own to the cue below it."""
    times = dict(marks)
    return [
        replace(cue, start=times[index]) if cue.start is None and index in times else cue
        for index, cue in enumerate(cues)
    ]


def _in_agreement(cues: list[Cue], log: RepairLog) -> list[Cue]:
    """Drop the fewest times so that the rest never decrease.

    That is what a longest non-decreasing subsequence leaves.
    """
    timed = [(index, cue.start) for index, cue in enumerate(cues) if cue.start is not None]
    tails: list[float] = []
    ranks = []
    for _, start in timed:
        at = bisect_right(tails, start)
        tails[at : at + 1] = [start]
        ranks.append(at)
    kept: set[int] = set()
    wanted = len(tails) - 1
    for (index, _), rank in zip(reversed(timed), reversed(ranks), strict=True):
        if rank == wanted:
            kept.add(index)
            wanted -= 1
    agreed = list(cues)
    for index, _ in timed:
        if index not in kept:
            log.dropped("time out of order", index + 1)
            agreed[index] = replace(agreed[index], start=None)
    return agreed
