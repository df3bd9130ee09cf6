"""WebVTT (W3C), read as players read it and as publishers break it."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from podcast_scraper.ingest.transcripts.cueblocks import CueBlock, read_blocks, timing
from podcast_scraper.ingest.transcripts.labels import kind_of_label
from podcast_scraper.ingest.transcripts.markup import VOICE, plain, squeeze
from podcast_scraper.ingest.transcripts.prefixes import prefixed_speakers
from podcast_scraper.ingest.transcripts.records import Cue, ParsedTranscript, RepairLog
from podcast_scraper.ingest.transcripts.rolling import unroll
from podcast_scraper.ingest.transcripts.tidy import inherit_speakers, tidy

if TYPE_CHECKING:
    from collections.abc import Iterator

_BLOCK = re.compile(r"(?:NOTE|STYLE|REGION)(?=[ \t]|$)")
_HEADER_FIELD = re.compile(r"([A-Za-z][A-Za-z-]{0,30}):[ \t]*(\S.*)")


def parse_vtt(text: str, log: RepairLog) -> ParsedTranscript:
    """Return the cues of a WebVTT text; voice tags name the speakers."""
    lines = text.split("\n")
    header: dict[str, str] = {}
    body = lines
    if lines[0].startswith("WEBVTT"):
        end = _end_of_header(lines)
        matches = (_HEADER_FIELD.fullmatch(line.strip()) for line in lines[1:end])
        header = {m[1].lower(): m[2].strip() for m in matches if m}
        # Blank lines in place of the header keep the line numbers of the report right.
        body = [""] * end + lines[end:]
    else:
        log.fixed("no WEBVTT line")
    blocks = read_blocks(body, log, skips=lambda line: _BLOCK.match(line) is not None)
    cues = [cue for block in unroll(blocks, log) for cue in _cues(block)]
    if not any(cue.speaker for cue in cues):
        cues = prefixed_speakers(cues)
    return ParsedTranscript("vtt", tidy(inherit_speakers(cues), log), log.repairs(), header)


def _end_of_header(lines: list[str]) -> int:
    """Return the index after the header: an empty line, or a cue that follows without one."""
    for index, line in enumerate(lines):
        if not line.strip() or (index and timing(line)):
            return index
    return len(lines)


def _cues(block: CueBlock) -> Iterator[Cue]:
    """Split a block at its voice tags; text after a closing tag belongs to the voice before."""
    text = "\n".join(block.lines)
    whole = Cue("", block.start, block.end)
    pieces: list[Cue] = []
    at, speaker = 0, None
    for tag in VOICE.finditer(text):
        pieces.append(replace(whole, text=plain(text[at : tag.start()]), speaker=speaker))
        at = tag.end()
        speaker = squeeze(html.unescape(tag[1])) or None if tag[1] is not None else speaker
    pieces.append(replace(whole, text=plain(text[at:]), speaker=speaker))
    spoken = [piece for piece in pieces if piece.text]
    for piece in _joined(spoken) or [replace(whole, speaker=speaker)]:
        kind = kind_of_label(piece.speaker) if piece.speaker else None
        yield replace(piece, speaker=None, kind=kind) if kind else piece


def _joined(pieces: list[Cue]) -> list[Cue]:
    """Join neighbours of one voice (a closing tag or a repeated one splits nothing)."""
    joined: list[Cue] = []
    for piece in pieces:
        if joined and joined[-1].speaker == piece.speaker:
            joined[-1] = replace(joined[-1], text=f"{joined[-1].text} {piece.text}")
        else:
            joined.append(piece)
    return joined
