"""Where a quote is in the transcript: by its offsets, verbatim, by time, or nowhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from podcast_scraper.artifacts.whitespace import Squeezed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from podcast_scraper.artifacts.records import Segment

Located = Literal["offsets", "verbatim", "time", "none"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a quote is. Offsets are None where they are not known; times are milliseconds."""

    located: Located
    char_start: int | None
    char_end: int | None
    start_ms: int | None
    end_ms: int | None


class QuoteLocator:
    """Locates the quotes of one episode; ``duration`` in seconds bounds their times."""

    def __init__(self, text: str, segments: Sequence[Segment], duration: float | None) -> None:
        self._text = text
        self._segments = segments
        self._limit = None if duration is None else round(duration * 1000)
        self._squeezed = Squeezed(text)

    def locate(self, quote: Mapping[str, Any]) -> tuple[Place, list[str]]:
        """Return the place of a quote (canonical properties) and what was mended in its times."""
        start_ms, end_ms, repairs = self._times(quote.get("start_ms"), quote.get("end_ms"))
        start, end = quote.get("char_start"), quote.get("char_end")
        if not self._text:
            # Offsets that cannot be checked stay as they are: nothing contradicts them.
            unknown = start_ms is None and not start
            offsets = (None, None) if unknown else (start, end)
            located: Located = "none" if start_ms is None else "time"
            return Place(located, *offsets, start_ms, end_ms), repairs
        span, located = self._span(str(quote.get("text") or ""), start, end, start_ms)
        if span is not None:
            if start_ms is None:
                start_ms, end_ms = self._times_of(span)
            return Place(located, *span, start_ms, end_ms), repairs
        return Place("none" if start_ms is None else "time", None, None, start_ms, end_ms), repairs

    def _times(self, start: object, end: object) -> tuple[int | None, int | None, list[str]]:
        repairs: list[str] = []
        first = start if isinstance(start, int) else None
        last = end if isinstance(end, int) else None
        if first is None and last is None:
            return None, None, repairs
        if first is None:
            first = last
        if last is None:
            last = first
        assert first is not None
        assert last is not None
        if first == 0 and last == 0:
            return None, None, repairs
        if first < 0 or last < 0:
            repairs.append("a time before 0 was clamped")
            first, last = max(0, first), max(0, last)
        if self._limit is not None and first > self._limit:
            return None, None, [*repairs, "times beyond the duration were dropped"]
        if self._limit is not None and last > self._limit:
            repairs.append("an end beyond the duration was clamped")
            last = self._limit
        if last < first:
            repairs.append("an end before the start was clamped")
            last = first
        if first == 0 and last == 0:
            return None, None, repairs
        return first, last, repairs

    def _span(
        self, words: str, start: object, end: object, start_ms: int | None
    ) -> tuple[tuple[int, int] | None, Located]:
        plain = " ".join(words.split())
        if not plain:
            return None, "none"
        if isinstance(start, int) and isinstance(end, int) and 0 <= start < end:
            stated = self._text[start:end]
            if stated == words or " ".join(stated.split()) == plain:
                return (start, min(end, len(self._text))), "offsets"
        found = self._occurrences(plain)
        if not found:
            return None, "none"
        if len(found) > 1 and start_ms is not None:
            near = self._place_of_time(start_ms)
        else:
            near = start if isinstance(start, int) and start > 0 else None
        if near is None:
            return found[0], "verbatim"
        return min(found, key=lambda span: abs(span[0] - near)), "verbatim"

    def _occurrences(self, plain: str) -> list[tuple[int, int]]:
        found = []
        place = self._squeezed.text.find(plain)
        while place >= 0:
            found.append(self._squeezed.span(place, place + len(plain)))
            place = self._squeezed.text.find(plain, place + len(plain))
        return found

    def _place_of_time(self, start_ms: int) -> int | None:
        """Return the offset of the last aligned segment that began by then."""
        starts = [
            segment.char_start
            for segment in self._segments
            if segment.char_start is not None
            and segment.start is not None
            and segment.start * 1000 <= start_ms
        ]
        return starts[-1] if starts else None

    def _times_of(self, span: tuple[int, int]) -> tuple[int | None, int | None]:
        """Return the times of the timed segments that a span of the text touches."""
        touched = [
            segment
            for segment in self._segments
            if segment.char_start is not None
            and segment.char_end is not None
            and segment.char_start < span[1]
            and segment.char_end > span[0]
            and segment.start is not None
            and segment.end is not None
        ]
        if not touched:
            return None, None
        return (
            min(round((segment.start or 0) * 1000) for segment in touched),
            max(round((segment.end or 0) * 1000) for segment in touched),
        )
