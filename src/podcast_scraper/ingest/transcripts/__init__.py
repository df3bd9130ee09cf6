"""Transcripts in every published form, read into cues with an account of every repair."""

from podcast_scraper.ingest.transcripts.export import to_podcast_json, to_srt, to_vtt
from podcast_scraper.ingest.transcripts.parse import parse_transcript, require_clean
from podcast_scraper.ingest.transcripts.records import Cue, ParsedTranscript, Repair

__all__ = [
    "Cue",
    "ParsedTranscript",
    "Repair",
    "parse_transcript",
    "require_clean",
    "to_podcast_json",
    "to_srt",
    "to_vtt",
]
