"""Choosing among an item's transcripts: timed with speakers first, broken ones last."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from podcast_scraper.errors import IngestError
from podcast_scraper.ingest.transcripts import ParsedTranscript, parse_transcript

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from podcast_scraper.ingest.feeds.records import TranscriptLink

# By what the type usually carries; the content decides.
_ORDER: Final = ("json", "vtt", "srt", "subrip", "html", "plain")
FEWEST_WORDS: Final = 5


@dataclass(frozen=True, slots=True)
class ChosenTranscript:
    """The transcript taken, its address and bytes, and why others were passed over."""

    url: str
    data: bytes
    parsed: ParsedTranscript
    passed_over: tuple[str, ...]


def in_order(links: Iterable[TranscriptLink], language: str | None) -> list[TranscriptLink]:
    """Return the links, the likely best first: the show's language, then the richer type."""
    wanted = (language or "").lower().partition("-")[0]

    def rank(link: TranscriptLink) -> tuple[bool, int]:
        stated = (link.language or "").lower().partition("-")[0]
        kind = f"{link.type} {link.url}".lower()
        place = next((i for i, name in enumerate(_ORDER) if name in kind), len(_ORDER))
        return bool(stated and wanted and stated != wanted), place

    return sorted(links, key=rank)


def choose(
    links: Iterable[TranscriptLink], language: str | None, fetch: Callable[[str], bytes]
) -> ChosenTranscript | None:
    """Fetch and parse the links in order until one has times and speakers; else take the best.

    ``fetch`` returns the bytes at an address or raises :class:`IngestError`. None where no link
    gives a transcript.
    """
    best: tuple[tuple[bool, bool, int], str, bytes, ParsedTranscript] | None = None
    passed: list[str] = []
    for link in in_order(links, language):
        try:
            data = fetch(link.url)
        except IngestError as error:
            passed.append(f"{link.url}: {error.message}")
            continue
        parsed = parse_transcript(data, f"{link.url} {link.type}")
        timed = any(cue.start is not None for cue in parsed.cues)
        score = (timed, bool(parsed.speakers), parsed.words)
        if parsed.words < FEWEST_WORDS:
            passed.append(f"{link.url}: no words in it")
            continue
        if best is None or score > best[0]:
            if best is not None:
                passed.append(f"{best[1]}: without times or speakers")
            best = (score, link.url, data, parsed)
        else:
            passed.append(f"{link.url}: without times or speakers")
        if best[0][0] and best[0][1]:
            break
    if best is None:
        if passed:
            raise IngestError("No transcript could be used: " + "; ".join(passed), subject=passed)
        return None
    return ChosenTranscript(best[1], best[2], best[3], tuple(passed))
