"""Short forms that the tables of the format tests share."""

from __future__ import annotations

from podcast_scraper.ingest.transcripts import ParsedTranscript, parse_transcript

Row = tuple[float | None, float | None, str | None, str]


def rows(source: str | bytes, hint: str = "") -> list[Row]:
    """Return (start, end, speaker, text) of each cue, times to the millisecond."""
    parsed = parse(source, hint)
    return [
        (
            None if cue.start is None else round(cue.start, 3),
            None if cue.end is None else round(cue.end, 3),
            cue.speaker,
            cue.text,
        )
        for cue in parsed.cues
    ]


def parse(source: str | bytes, hint: str = "") -> ParsedTranscript:
    return parse_transcript(source.encode() if isinstance(source, str) else source, hint)


def texts(source: str | bytes, hint: str = "") -> list[str]:
    return [cue.text for cue in parse(source, hint).cues]


def kinds(parsed: ParsedTranscript) -> set[str]:
    return {f"{repair.action}: {repair.kind}" for repair in parsed.repairs}
