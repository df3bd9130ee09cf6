"""The line structure that WebVTT and SRT share, read without trusting blank lines or numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from podcast_scraper.ingest.transcripts.clock import parse_clock

if TYPE_CHECKING:
    from collections.abc import Callable

    from podcast_scraper.ingest.transcripts.records import RepairLog

_ARROW = re.compile(
    r"\s*(?P<start>-?\d[\d:.,]{0,24})\s*-{1,3}>\s*(?P<end>-?\d[\d:.,]{0,24})?(?P<rest>[ \t].*)?\s*"
)
_NUMBER = re.compile(r"\s*\d{1,7}\s*")


@dataclass(slots=True)
class CueBlock:
    """A timing line and the lines under it; ``line`` counts from 1."""

    line: int
    start: float | None
    end: float | None
    lines: list[str] = field(default_factory=list)


def timing(line: str) -> re.Match[str] | None:
    """Match a timing line: clock, arrow, clock, settings."""
    return _ARROW.fullmatch(line) if "->" in line else None


def read_blocks(
    lines: list[str],
    log: RepairLog,
    skips: Callable[[str], bool] = lambda line: False,
) -> list[CueBlock]:
    """Return the cues of a caption file.

    ``skips`` tells of the first line of a block that holds no cue (``NOTE``, ``STYLE``); such a
    block is passed over up to the next empty line whatever it contains. Text that is cut off from
    its timing line by an empty line is joined to it.
    """
    blocks: list[CueBlock] = []
    fresh, skipping, numbered = True, False, False
    for place, line in enumerate(lines, 1):
        if line == "" or (line.isspace() and not _inside(blocks, fresh)):
            fresh, skipping = True, False
            continue
        if skipping or (fresh and skips(line)):
            skipping, fresh = True, False
            continue
        match = timing(line)
        if match is not None:
            numbered = _take_number(blocks, numbered, log, place)
            blocks.append(_open(match, place, log))
        elif not blocks:
            if not _NUMBER.fullmatch(line):
                log.dropped("text before the first cue", place)
            else:
                numbered = True
        else:
            if fresh and blocks[-1].lines and not _NUMBER.fullmatch(line):
                log.fixed("text after an empty line", place)
            blocks[-1].lines.append(("\n" if fresh else "") + line)
        fresh = False
    return [_without_trailing_number(block, last=block is blocks[-1]) for block in blocks]


def _inside(blocks: list[CueBlock], fresh: bool) -> bool:
    return bool(blocks) and not fresh


def _open(match: re.Match[str], place: int, log: RepairLog) -> CueBlock:
    start, end = parse_clock(match["start"]), parse_clock(match["end"] or "")
    if start is None or end is None:
        log.fixed("unreadable time", place)
    return CueBlock(place, start, end)


def _take_number(blocks: list[CueBlock], numbered: bool, log: RepairLog, place: int) -> bool:
    """Take the cue number that stands before this timing line off the cue before.

    A line of digits that a blank line separates from its cue is a number; without blank line it is
    one only where the file numbers its cues and other text stands above it.
    """
    if not blocks or not blocks[-1].lines:
        return numbered
    above = blocks[-1].lines
    if not _NUMBER.fullmatch(above[-1]):
        return numbered
    if above[-1].startswith("\n"):
        above.pop()
        return True
    if numbered and len(above) > 1:
        log.fixed("no empty line between cues", place)
        above.pop()
    return numbered


def _without_trailing_number(block: CueBlock, last: bool) -> CueBlock:
    """Drop the number of a cue that the file breaks off before, and the marks of blank lines."""
    lines = block.lines
    if last and len(lines) > 1 and lines[-1].startswith("\n") and _NUMBER.fullmatch(lines[-1]):
        lines = lines[:-1]
    block.lines = [line.removeprefix("\n") for line in lines]
    return block
