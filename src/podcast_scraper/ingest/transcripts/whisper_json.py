"""JSON of Whisper, faster-whisper and WhisperX: segments with words, languages and loops."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from podcast_scraper.ingest.transcripts.json_values import (
    end_of,
    segments_of,
    speaker_of,
    start_of,
    text_of,
)
from podcast_scraper.ingest.transcripts.markup import squeeze
from podcast_scraper.ingest.transcripts.podcast_json import header_of, in_seconds, labelled
from podcast_scraper.ingest.transcripts.records import Cue, ParsedTranscript, RepairLog
from podcast_scraper.ingest.transcripts.tidy import tidy, without_loops

_MARK_LIST = "seek tokens temperature avg_logprob compression_ratio no_speech_prob words"
_MARKS: Final = frozenset(_MARK_LIST.split())


def is_whisper(document: Any) -> bool:
    """Tell whether a decoded JSON document has the fields that only recognisers write."""
    if isinstance(document, Mapping) and "word_segments" in document:
        return True
    items, _ = segments_of(document)
    return any(isinstance(item, Mapping) and _MARKS & item.keys() for item in items[:20])


def parse_whisper_json(document: Any, log: RepairLog) -> ParsedTranscript:
    """Return the cues of a recogniser's segments; a change of speaker inside one splits it.

    A segment without speaker stays without: the diariser did not know.
    """
    items, carrier = segments_of(document)
    cues: list[Cue] = []
    for place, item in enumerate(items, 1):
        if not isinstance(item, Mapping):
            log.dropped("segment that is no object", place)
            continue
        cues.extend(_cues(item, place, log))
    cues = without_loops(in_seconds(cues, log), log)
    return ParsedTranscript("whisper_json", tidy(cues, log), log.repairs(), header_of(carrier))


def _cues(item: Mapping[str, Any], place: int, log: RepairLog) -> Iterator[Cue]:
    whole = labelled(Cue(text_of(item), start_of(item), end_of(item)), speaker_of(item))
    runs = _runs(item.get("words"), speaker_of(item))
    if len(runs) < 2:
        yield whole
        return
    log.fixed("segment across a change of speaker", place)
    for speaker, words in runs:
        starts = [t for word in words if (t := start_of(word)) is not None]
        ends = [t for word in words if (t := end_of(word)) is not None]
        yield labelled(
            replace(
                whole,
                text=_text(words),
                start=starts[0] if starts else None,
                end=ends[-1] if ends else None,
            ),
            speaker,
        )


def _runs(words: Any, default: str | None) -> list[tuple[str | None, list[Mapping[str, Any]]]]:
    """Group words by speaker; a word without one goes with the word before."""
    runs: list[tuple[str | None, list[Mapping[str, Any]]]] = []
    for word in words if isinstance(words, list) else ():
        if not isinstance(word, Mapping):
            continue
        speaker = speaker_of(word) or (runs[-1][0] if runs else default)
        if runs and runs[-1][0] == speaker:
            runs[-1][1].append(word)
        else:
            runs.append((speaker, [word]))
    return runs


def _text(words: list[Mapping[str, Any]]) -> str:
    """Join words: Whisper's carry their own leading space, WhisperX's have none."""
    raw = [value for word in words if isinstance(value := word.get("word", word.get("text")), str)]
    joint = "" if any(word.startswith(" ") for word in raw[1:]) else " "
    return squeeze(joint.join(raw))
