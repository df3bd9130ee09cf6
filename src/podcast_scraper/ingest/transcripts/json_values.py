"""Reading JSON transcripts: salvage of broken documents, and values of loose types."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from podcast_scraper.ingest.transcripts.clock import parse_clock
from podcast_scraper.ingest.transcripts.markup import plain, squeeze

if TYPE_CHECKING:
    from podcast_scraper.ingest.transcripts.records import RepairLog

LISTS: Final = ("segments", "utterances", "transcript", "results", "cues", "captions", "items")
_TEXT: Final = ("body", "text", "transcript", "content", "utterance", "word")
_START: Final = ("startTime", "start", "start_time", "startTimeSeconds", "begin", "from", "time")
_END: Final = ("endTime", "end", "end_time", "endTimeSeconds", "to")
_SPEAKER: Final = ("speaker", "speaker_label", "speakerName", "speaker_name", "name", "author")


def load(text: str, log: RepairLog) -> Any:
    """Return the JSON value of a text; of a broken one, the list of the objects before the break.

    Infinity and NaN are read as numbers (recognisers write them) and refused later as times.
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        log.fixed("broken JSON")
        return list(_salvage(text))


def _salvage(text: str) -> Iterator[Any]:
    """Yield the complete objects of the first list in a broken document."""
    decoder = json.JSONDecoder()
    at = text.find("{", text.find("[") + 1)
    while at != -1:
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            return
        yield value
        at = text.find("{", at)


def segments_of(document: Any) -> tuple[list[Any], Mapping[str, Any]]:
    """Return a document's list of segments and the object that carries it (or an empty one)."""
    if isinstance(document, list):
        return document, {}
    if isinstance(document, Mapping):
        for key in LISTS:
            value = document.get(key)
            if isinstance(value, list):
                return value, document
            if isinstance(value, Mapping):
                inner, carrier = segments_of(value)
                if inner:
                    return inner, carrier
    return [], {}


def seconds(item: Mapping[str, Any], *keys: str) -> float | None:
    """Return the first of the keys that holds a number, a number as text or a clock time."""
    for key in keys:
        value = item.get(key)
        if isinstance(value, bool) or value is None:
            continue
        if isinstance(value, int | float):
            return _finite(value)
        if isinstance(value, str):
            try:
                return _finite(float(value.strip().removesuffix("s")))
            except ValueError:
                clock = parse_clock(value)
                if clock is not None:
                    return clock
    return None


def _finite(value: float) -> float | None:
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def start_of(item: Mapping[str, Any]) -> float | None:
    """Return the start of a segment in the file's own unit."""
    return seconds(item, *_START)


def end_of(item: Mapping[str, Any]) -> float | None:
    """Return the end of a segment in the file's own unit, from its duration where it has no end."""
    end = seconds(item, *_END)
    if end is None:
        start, length = start_of(item), seconds(item, "duration", "dur")
        if start is not None and length is not None:
            return start + length
    return end


def text_of(item: Mapping[str, Any]) -> str:
    """Return the words of a segment."""
    return next((plain(value) for key in _TEXT if isinstance(value := item.get(key), str)), "")


def speaker_of(item: Mapping[str, Any]) -> str | None:
    """Return the label of a segment's speaker; a bare number becomes ``Speaker N``."""
    for key in _SPEAKER:
        value = item.get(key)
        if isinstance(value, Mapping):
            value = value.get("name") or value.get("label") or value.get("id")
        if isinstance(value, bool):
            continue
        if isinstance(value, int) or (isinstance(value, str) and value.strip().isdecimal()):
            number = int(value) if abs(int(value)) < 10_000 else None
            return None if number is None else f"Speaker {number}"
        if isinstance(value, str) and squeeze(value):
            return squeeze(value)
    return None


def in_milliseconds(times: list[tuple[float | None, float | None, int]]) -> bool:
    """Tell whether (start, end, characters) are in milliseconds: nobody speaks that slowly.

    Speech has 10 to 20 characters a second. Under one character in two units of time, over a file
    of whole numbers, means that the unit is not the second.
    """
    known = [(s, e, n) for s, e, n in times if s is not None and e is not None and e > s]
    if len(known) < 2 or any(s % 1 or e % 1 for s, e, _ in known):
        return False
    return sum(n for *_, n in known) < 0.5 * sum(e - s for s, e, _ in known)
