"""Podcasting 2.0 JSON (``segments[{speaker, startTime, endTime, body}]``) and its relatives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from podcast_scraper.ingest.transcripts.json_values import (
    end_of,
    in_milliseconds,
    segments_of,
    speaker_of,
    start_of,
    text_of,
)
from podcast_scraper.ingest.transcripts.labels import kind_of_label
from podcast_scraper.ingest.transcripts.records import Cue, ParsedTranscript, RepairLog
from podcast_scraper.ingest.transcripts.tidy import inherit_speakers, tidy
from podcast_scraper.ingest.transcripts.words import is_word_per_cue, join_words


def parse_podcast_json(document: Any, log: RepairLog) -> ParsedTranscript:
    """Return the cues of a decoded JSON transcript with one speaker and text a segment."""
    items, carrier = segments_of(document)
    cues: list[Cue] = []
    for place, item in enumerate(items, 1):
        if not isinstance(item, Mapping):
            log.dropped("segment that is no object", place)
            continue
        cues.append(labelled(Cue(text_of(item), start_of(item), end_of(item)), speaker_of(item)))
    cues = inherit_speakers(in_seconds(cues, log))
    if is_word_per_cue(cues):
        cues = join_words(cues)
    return ParsedTranscript("podcast_json", tidy(cues, log), log.repairs(), header_of(carrier))


def labelled(cue: Cue, label: str | None) -> Cue:
    """Return the cue with its speaker, or with its kind where the label is an advertisement."""
    kind = kind_of_label(label) if label else None
    return replace(cue, kind=kind) if kind else replace(cue, speaker=label)


def in_seconds(cues: list[Cue], log: RepairLog) -> list[Cue]:
    """Return the cues in seconds; files in milliseconds are recognised by the pace of speech."""
    if not in_milliseconds([(cue.start, cue.end, len(cue.text)) for cue in cues]):
        return cues
    log.guessed("times in milliseconds")
    return [
        replace(
            cue,
            start=None if cue.start is None else cue.start / 1000,
            end=None if cue.end is None else cue.end / 1000,
        )
        for cue in cues
    ]


def header_of(carrier: Mapping[str, Any]) -> dict[str, str]:
    """Return the language and title that a JSON transcript states about itself."""
    return {key: v for key in ("language", "title") if isinstance(v := carrier.get(key), str) and v}
