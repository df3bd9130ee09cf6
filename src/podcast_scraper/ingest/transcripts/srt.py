"""SubRip (SRT): numbered cues, no standard; speakers as ``Name:`` at the start of a cue."""

from __future__ import annotations

from podcast_scraper.ingest.transcripts.cueblocks import read_blocks
from podcast_scraper.ingest.transcripts.markup import plain
from podcast_scraper.ingest.transcripts.prefixes import prefixed_speakers
from podcast_scraper.ingest.transcripts.records import Cue, ParsedTranscript, RepairLog
from podcast_scraper.ingest.transcripts.rolling import unroll
from podcast_scraper.ingest.transcripts.tidy import inherit_speakers, tidy


def parse_srt(text: str, log: RepairLog) -> ParsedTranscript:
    """Return the cues of an SRT text."""
    blocks = unroll(read_blocks(text.split("\n"), log), log)
    cues = [Cue(plain("\n".join(block.lines)), block.start, block.end) for block in blocks]
    cues = inherit_speakers(prefixed_speakers(cues))
    return ParsedTranscript("srt", tidy(cues, log), log.repairs())
