"""Transcripts written in the published formats; each reads back equal through its parser."""

from __future__ import annotations

import html
import json
from typing import TYPE_CHECKING, Any, Final

from podcast_scraper.errors import IngestError
from podcast_scraper.ingest.transcripts.clock import format_clock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from podcast_scraper.ingest.transcripts.records import Cue


def _escaped(text: str) -> str:
    return html.escape(text, quote=False)


def _timed(cues: Iterable[Cue], what: str) -> list[tuple[Cue, float, float]]:
    """Return cues with start and end, or raise: caption formats have no cue without times."""
    timed: list[tuple[Cue, float, float]] = []
    for cue in cues:
        if cue.start is None:
            raise IngestError(
                f"A cue without time cannot be written as {what}.",
                mend="Export Podcasting 2.0 JSON instead.",
                subject=cue,
            )
        timed.append((cue, cue.start, cue.start if cue.end is None else cue.end))
    return timed


def to_vtt(cues: Iterable[Cue]) -> str:
    """Return WebVTT with a voice tag on each cue that has a speaker."""
    parts = ["WEBVTT\n"]
    for cue, start, end in _timed(cues, "WebVTT"):
        voice = f"<v {_escaped(cue.speaker)}>" if cue.speaker else ""
        parts.append(
            f"{format_clock(start)} --> {format_clock(end)}\n{voice}{_escaped(cue.text)}\n"
        )
    return "\n".join(parts)


def to_srt(cues: Iterable[Cue]) -> str:
    """Return SRT with ``Name:`` before the text of each cue that has a speaker."""
    parts = []
    for number, (cue, start, end) in enumerate(_timed(cues, "SRT"), 1):
        times = f"{format_clock(start, ',')} --> {format_clock(end, ',')}"
        name = f"{cue.speaker}: " if cue.speaker else ""
        parts.append(f"{number}\n{times}\n{_escaped(name + cue.text)}\n")
    return "\n".join(parts)


def to_podcast_json(cues: Iterable[Cue]) -> str:
    """Return Podcasting 2.0 JSON; unknown times and speakers are left out."""
    segments: list[dict[str, Any]] = []
    for cue in cues:
        segment: dict[str, Any] = {}
        if cue.speaker:
            segment["speaker"] = cue.speaker
        if cue.start is not None:
            segment["startTime"] = round(cue.start, 3)
        if cue.end is not None:
            segment["endTime"] = round(cue.end, 3)
        segments.append({**segment, "body": _escaped(cue.text)})
    document = {"version": "1.0.0", "segments": segments}
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


EXPORTS: Final[dict[str, Callable[[Iterable[Cue]], str]]] = {
    "vtt": to_vtt,
    "srt": to_srt,
    "json": to_podcast_json,
}
