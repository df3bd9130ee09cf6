"""Segments: reading them, aligning them to the text, and making them from a text alone."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from podcast_scraper.artifacts.labels import segment_kind, voice_of
from podcast_scraper.artifacts.records import Segment
from podcast_scraper.artifacts.values import first_name, integer, name_of, seconds
from podcast_scraper.artifacts.whitespace import Squeezed

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from podcast_scraper.artifacts.records import SegmentKind
    from podcast_scraper.artifacts.report import Issues

ALIGNMENT_SLACK: Final = 500
"""Characters of text between two segments (a speaker's name, a heading) that are skipped."""

_FURTHEST: Final = 50_000
_KINDS: Final[tuple[SegmentKind, ...]] = ("speech", "ad", "music")
_LABEL_KEYS: Final = ("speaker_label", "speaker", "speaker_name")
_LABELLED_LINE = re.compile(r"^[ \t]*([^\s:\[\](){}][^:\n]{0,59}):[ \t]+(?=\S)", re.MULTILINE)
_NO_NAMES: Final = frozenset(
    {"note", "notes", "warning", "question", "answer", "example", "tip", "source", "link", "update"}
)
_NAME_LIKE = re.compile(r"[^\W\d_][\w.'’-]*(?: [^\W\d_][\w.'’-]*){0,3}")


def read_segments(value: object, path: str, episode_id: str, issues: Issues) -> tuple[Segment, ...]:
    """Return the segments of a file, ordered by start; times are clamped, never invented."""
    items = value.get("segments") if isinstance(value, dict) else value
    if not isinstance(items, list):
        issues.drop(path, "segments", "is not a list")
        return ()
    found = []
    for place, item in enumerate(items):
        segment = _segment(item, place, path, episode_id, issues)
        if segment is not None:
            found.append(segment)
    starts = [segment.start for segment in found if segment.start is not None]
    if len(starts) == len(found) and starts != sorted(starts):
        issues.repair(path, "segment order", "the segments were sorted by their start")
        found.sort(key=lambda segment: segment.start or 0.0)
    return tuple(replace(segment, ordinal=place) for place, segment in enumerate(found))


def _segment(
    item: object, place: int, path: str, episode_id: str, issues: Issues
) -> Segment | None:
    if not isinstance(item, dict):
        issues.drop(path, f"segments[{place}]", "is not an object")
        return None
    text = item.get("text")
    if not isinstance(text, str):
        issues.drop(path, f"segments[{place}]", "has no text")
        return None
    start, end = _times(item, place, path, issues)
    label = first_name(item, *_LABEL_KEYS)
    speaker = name_of(item.get("speaker_id"))
    if speaker is not None and not speaker.startswith("person:"):
        label, speaker = label or speaker, None
    if speaker is not None and voice_of(speaker.partition(":")[2].partition("@")[0], episode_id):
        speaker = voice_of(speaker.partition(":")[2].partition("@")[0], episode_id)
    return Segment(
        place, start, end, text, label, speaker, _kind(item, label),
        integer(item.get("char_start")), integer(item.get("char_end")),
    )  # fmt: skip


def _times(
    item: Mapping[str, Any], place: int, path: str, issues: Issues
) -> tuple[float | None, float | None]:
    start, end = seconds(item.get("start")), seconds(item.get("end"))
    for key, value in (("start", start), ("end", end)):
        if value is None and item.get(key) is not None:
            issues.repair(path, "segment time", f"segments[{place}].{key} is no time")
    if (start is not None and start < 0) or (end is not None and end < 0):
        issues.repair(path, "segment time", f"segments[{place}] begins before 0 and was clamped")
        start = None if start is None else max(0.0, start)
        end = None if end is None else max(0.0, end)
    if start is not None and end is not None and end < start:
        issues.repair(path, "segment time", f"segments[{place}] ends before its start: clamped")
        end = start
    return start, end


def _kind(item: Mapping[str, Any], label: str | None) -> SegmentKind:
    stated = item.get("kind")
    for kind in _KINDS:
        if stated == kind:
            return kind
    return segment_kind(label)


def align(text: str, segments: Sequence[Segment]) -> tuple[Segment, ...]:
    """Give each segment its place in the text, in order; white space may differ.

    Offsets that the file gives are kept where the text there is the segment's.
    A segment is looked for from the end of the last one that was found, no further than the slack
    and the length of what was not found in between, so that one short segment that is missing does
    not pull the others to the end of the text.
    """
    if not text:
        return tuple(replace(one, char_start=None, char_end=None) for one in segments)
    squeezed = Squeezed(text)
    aligned = []
    cursor, missed = 0, ALIGNMENT_SLACK
    for segment in segments:
        words = " ".join(segment.text.split())
        start, end = segment.char_start, segment.char_end
        if _is_at(text, start, end, words):
            aligned.append(segment)
            cursor, missed = squeezed.place(end or 0), ALIGNMENT_SLACK
            continue
        place = squeezed.text.find(words, cursor, cursor + missed + len(words)) if words else -1
        if place < 0:
            missed = min(missed + len(words) + ALIGNMENT_SLACK // 10, _FURTHEST)
            aligned.append(replace(segment, char_start=None, char_end=None))
            continue
        start, end = squeezed.span(place, place + len(words))
        aligned.append(replace(segment, char_start=start, char_end=end))
        cursor, missed = place + len(words), ALIGNMENT_SLACK
    return tuple(aligned)


def _is_at(text: str, start: int | None, end: int | None, words: str) -> bool:
    if start is None or end is None or not 0 <= start < end <= len(text) or not words:
        return False
    return " ".join(text[start:end].split()) == words


def split_text(text: str, known_names: Collection[str], episode_id: str) -> tuple[Segment, ...]:
    """Make untimed segments from a transcript without a segments file: one for each line.

    ``Name: words`` starts a labelled segment where the name is known, a voice or an advertisement,
    or looks like a name and begins several lines; the label stays until the next one.
    """
    labels = _line_labels(text, known_names, episode_id)
    found: list[Segment] = []
    label: str | None = None
    for line in re.finditer(r"[^\n\r]*\S[^\n\r]*", text):
        start = line.start()
        match = _LABELLED_LINE.match(text, start, line.end())
        if match and " ".join(match[1].split()) in labels:
            label, start = " ".join(match[1].split()), match.end()
        words = text[start : line.end()]
        start += len(words) - len(words.lstrip())
        words = words.strip()
        found.append(
            Segment(
                len(found),
                None,
                None,
                words,
                label,
                None,
                segment_kind(label),
                start,
                start + len(words),
            )
        )
    return tuple(found)


def _line_labels(text: str, known_names: Collection[str], episode_id: str) -> set[str]:
    counts = Counter(" ".join(match[1].split()) for match in _LABELLED_LINE.finditer(text))
    known = {name.casefold() for name in known_names}
    return {
        label
        for label, count in counts.items()
        if label.casefold() in known
        or voice_of(label, episode_id)
        or segment_kind(label) != "speech"
        or (count > 1 and _like_a_name(label))
    }


def _like_a_name(label: str) -> bool:
    return (
        _NAME_LIKE.fullmatch(label) is not None
        and all(word[0].isupper() for word in label.split())
        and label.casefold() not in _NO_NAMES
    )
