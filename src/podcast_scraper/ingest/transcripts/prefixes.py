"""Speakers as ``Name:`` at the start of a cue's text."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from podcast_scraper.ingest.transcripts.labels import PREFIX, accepted_labels, kind_of_label

if TYPE_CHECKING:
    from podcast_scraper.ingest.transcripts.records import Cue


def prefixed_speakers(cues: list[Cue]) -> list[Cue]:
    """Return the cues with the accepted ``Name:`` prefixes taken from the text as speakers."""
    matches = [PREFIX.match(cue.text) for cue in cues]
    known = accepted_labels((m["label"] for m in matches if m), len(cues))
    named: list[Cue] = []
    for cue, match in zip(cues, matches, strict=True):
        kind = kind_of_label(match["label"]) if match else None
        if match is None or (kind is None and match["label"] not in known):
            named.append(cue)
            continue
        rest = cue.text[match.end() :].lstrip()
        if kind:
            named.append(replace(cue, text=rest, kind=kind))
        else:
            named.append(replace(cue, text=rest, speaker=match["label"]))
    return named
