"""Rolling captions: automatic captions that show the previous line again above each new one.

Left alone, an hour of them holds every word twice.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final

from podcast_scraper.ingest.transcripts.cueblocks import CueBlock
from podcast_scraper.ingest.transcripts.markup import plain

if TYPE_CHECKING:
    from podcast_scraper.ingest.transcripts.records import RepairLog

# Two neighbours that share a line are common in dialogue; half of a file is not.
SHARE: Final = 0.5
FEWEST: Final = 4


def unroll(blocks: list[CueBlock], log: RepairLog) -> list[CueBlock]:
    """Return the blocks with each repeated line once, where the file as a whole rolls.

    Two habits are known: the last line of a cue is the first of the next one (two-line roll-up),
    and a cue repeats the one before with more words at its end (paint-on).
    """
    texts = [[text for line in block.lines if (text := plain(line))] for block in blocks]
    repeated = [0] + [_overlap(a, b) for a, b in itertools.pairwise(texts)]
    if len(blocks) >= FEWEST and sum(map(bool, repeated)) >= SHARE * len(blocks):
        return _without_repeats(blocks, repeated, log)
    joined = [" ".join(lines) for lines in texts]
    grows = [bool(a) and b.startswith(a) for a, b in itertools.pairwise(joined)]
    if len(blocks) >= FEWEST and sum(grows) >= SHARE * len(blocks):
        return _last_of_each_growth(blocks, grows, log)
    return blocks


def _overlap(before: list[str], after: list[str]) -> int:
    """Return how many leading lines of ``after`` are the last lines of ``before``."""
    for size in range(min(len(before), len(after)), 0, -1):
        if before[-size:] == after[:size]:
            return size
    return 0


def _without_repeats(blocks: list[CueBlock], repeated: list[int], log: RepairLog) -> list[CueBlock]:
    kept: list[CueBlock] = []
    for block, count in zip(blocks, repeated, strict=True):
        lines = [line for line in block.lines if plain(line)]
        if count:
            log.fixed("repeated line of rolling captions", block.line)
        if lines[count:] or not kept:
            kept.append(CueBlock(block.line, block.start, block.end, lines[count:]))
        elif block.end is not None:
            kept[-1].end = max(kept[-1].end or 0.0, block.end)
    return kept


def _last_of_each_growth(
    blocks: list[CueBlock], grows: list[bool], log: RepairLog
) -> list[CueBlock]:
    kept: list[CueBlock] = []
    start: float | None = None
    for block, grown in zip(blocks, [*grows, False], strict=True):
        start = block.start if start is None else start
        if grown:
            log.fixed("repeated line of rolling captions", block.line)
            continue
        kept.append(CueBlock(block.line, start, block.end, block.lines))
        start = None
    return kept
