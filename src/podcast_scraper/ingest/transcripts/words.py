"""Words one per segment, joined to utterances."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from podcast_scraper.ingest.transcripts.records import Cue

SHARE: Final = 0.6
FEWEST: Final = 5
PAUSE: Final = 2.0
LONGEST: Final = 60


def is_word_per_cue(cues: list[Cue]) -> bool:
    """Tell whether most cues of a file hold a single word."""
    single = sum(1 for cue in cues if cue.text and " " not in cue.text)
    return len(cues) >= FEWEST and single >= SHARE * len(cues)


def join_words(cues: list[Cue]) -> list[Cue]:
    """Join cues of one speaker up to the end of a sentence, a pause of 2 s, or 60 words."""
    joined: list[Cue] = []
    words = 0
    for cue in cues:
        if joined and _goes_on(joined[-1], cue, words):
            before = joined[-1]
            joined[-1] = replace(before, text=f"{before.text} {cue.text}", end=cue.end)
            words += 1
        else:
            joined.append(cue)
            words = 1
    return joined


def _goes_on(before: Cue, cue: Cue, words: int) -> bool:
    if (before.speaker, before.kind) != (cue.speaker, cue.kind) or words >= LONGEST:
        return False
    if before.text.endswith((".", "?", "!", "…")):
        return False
    last = before.end if before.end is not None else before.start
    return last is None or cue.start is None or cue.start - last <= PAUSE
