"""The part of a card's passage worth reading: around its quote, or around the query's words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from podcast_scraper.search.analysis import highlight
from podcast_scraper.search.snippets import snippet

if TYPE_CHECKING:
    from podcast_scraper.search.results import Hit

CONTEXT: Final = 130


@dataclass(frozen=True, slots=True)
class Passage:
    """Spoken words: what to mark, the window to show, and the span that is the quote itself."""

    text: str
    marks: tuple[tuple[int, int], ...]
    window: tuple[int, int]
    quote: tuple[int, int] | None = None


def passage_of(hit: Hit, query: str) -> Passage | None:
    """Return the spoken words of a hit; None for an insight without a quote or passage."""
    quote = hit.insight.quotes[0].text if hit.insight and hit.insight.quotes else None
    if hit.segment is None:
        if quote is None:
            return None
        return Passage(quote, tuple(highlight(quote, query)), (0, len(quote)), (0, len(quote)))
    text = hit.segment.text
    if hit.insight is None:
        return Passage(text, hit.highlights, hit.snippet)
    start = text.find(quote) if quote else -1
    if start < 0 or quote is None:
        marks = tuple(highlight(text, query))
        return Passage(text, marks, snippet(text, marks))
    end = start + len(quote)
    low, high = max(0, start - CONTEXT), min(len(text), end + CONTEXT)
    low = 0 if low == 0 else text.find(" ", low, start) + 1 or low
    high = len(text) if high == len(text) else max(text.rfind(" ", end, high), end)
    # Only what is shown is analysed: a passage is four times as long as its window.
    marks = tuple((s + low, e + low) for s, e in highlight(text[low:high], query))
    return Passage(text, marks, (low, high), (start, end))
