"""The one door to all formats: bytes in, cues and an account of repairs out."""

from __future__ import annotations

from typing import Final

from podcast_scraper.errors import IngestError
from podcast_scraper.ingest.transcripts.decode import decode
from podcast_scraper.ingest.transcripts.html import parse_html
from podcast_scraper.ingest.transcripts.json_values import load
from podcast_scraper.ingest.transcripts.podcast_json import parse_podcast_json
from podcast_scraper.ingest.transcripts.records import ParsedTranscript, RepairLog
from podcast_scraper.ingest.transcripts.sniff import is_binary, sniff
from podcast_scraper.ingest.transcripts.srt import parse_srt
from podcast_scraper.ingest.transcripts.text import parse_text
from podcast_scraper.ingest.transcripts.vtt import parse_vtt
from podcast_scraper.ingest.transcripts.whisper_json import is_whisper, parse_whisper_json

SIZE_LIMIT: Final = 64 * 1024 * 1024


def parse_transcript(data: bytes, hint: str = "") -> ParsedTranscript:
    """Return the transcript in ``data``, whatever its bytes; nothing is raised or invented.

    ``hint`` is a file name or MIME type, used only where the content does not decide. A file that
    holds no transcript gives no cues, and the repairs say why.
    """
    log = RepairLog()
    if len(data) > SIZE_LIMIT:
        log.dropped("file over the size limit")
        return ParsedTranscript("text", (), log.repairs())
    text = decode(data, log)
    if is_binary(text):
        log.dropped("file that is no text")
        return ParsedTranscript("text", (), log.repairs())
    match sniff(text, hint):
        case "vtt":
            return parse_vtt(text.lstrip(), log)
        case "srt":
            return parse_srt(text, log)
        case "html":
            return parse_html(text, log)
        case "json":
            document = load(text, log)
            parse = parse_whisper_json if is_whisper(document) else parse_podcast_json
            return parse(document, log)
        case _:
            return parse_text(text, log)


def require_clean(parsed: ParsedTranscript, name: str) -> ParsedTranscript:
    """Return the transcript, or raise :class:`IngestError` where anything had to be repaired."""
    if parsed.repairs:
        listing = "; ".join(map(str, parsed.repairs))
        raise IngestError(
            f"{name} needs repairs: {listing}.",
            mend="Mend the file, or import it without --strict.",
            subject=name,
        )
    return parsed
