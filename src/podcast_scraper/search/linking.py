"""Which segments and insights rest on the same passage."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from podcast_scraper.search.insight_documents import quotes_of_insights, seconds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from podcast_scraper.artifacts.records import EpisodeRecord, Node
    from podcast_scraper.search.documents import Document

TIME_TOLERANCE: Final = 2.0
"""Seconds by which a quote may stand outside a segment and still lie in it."""

Span = tuple[float, float]


def link_documents(
    segments: Sequence[Document], insights: Sequence[Document], episode: EpisodeRecord
) -> tuple[list[Document], list[Document]]:
    """Return both lists with ``linked`` set on either side.

    A quote lies in every segment that contains it, by character offsets where the quote and the
    segments have them, else by time with ``TIME_TOLERANCE``; a quote that a cut goes through lies
    in the segment that has most of it. An insight's links are ordered by how many of its quotes lie
    there. An insight whose links are all of one kind, such as ``ad``, takes that kind.
    """
    quotes = quotes_of_insights(episode)
    order = {segment.doc_id: place for place, segment in enumerate(segments)}
    kinds = {segment.doc_id: segment.kind for segment in segments}
    from_segment: dict[str, list[str]] = {}
    linked_insights = []
    for insight in insights:
        counts = Counter(
            doc_id for quote in quotes.get(insight.doc_id, ()) for doc_id in _homes(quote, segments)
        )
        linked = tuple(sorted(counts, key=lambda doc_id: (-counts[doc_id], order[doc_id])))
        for doc_id in linked:
            from_segment.setdefault(doc_id, []).append(insight.doc_id)
        found = {kinds[doc_id] for doc_id in linked}
        kind = found.pop() if len(found) == 1 else insight.kind
        linked_insights.append(replace(insight, linked=linked, kind=kind))
    linked_segments = [
        replace(segment, linked=tuple(from_segment.get(segment.doc_id, ()))) for segment in segments
    ]
    return linked_segments, linked_insights


def _homes(quote: Node, segments: Sequence[Document]) -> list[str]:
    """Return the ids of the segments that a quote lies in."""
    properties = quote.properties
    place = _span(properties.get("char_start"), properties.get("char_end"))
    if place is not None:
        placed = {s.doc_id: span for s in segments if (span := _span(s.char_start, s.char_end))}
        if homes := _containing(place, placed, 0.0):
            return homes
    time = _span(seconds(properties.get("start_ms")), seconds(properties.get("end_ms")))
    if time is None:
        return []
    timed = {s.doc_id: span for s in segments if (span := _span(s.start, s.end))}
    return _containing(time, timed, TIME_TOLERANCE)


def _span(start: float | None, end: float | None) -> Span | None:
    return None if start is None or end is None else (start, end)


def _containing(part: Span, spans: dict[str, Span], tolerance: float) -> list[str]:
    inside = [
        doc_id
        for doc_id, (start, end) in spans.items()
        if start - tolerance <= part[0] and part[1] <= end + tolerance
    ]
    if inside:
        return inside
    shared = {
        doc_id: min(part[1], end) - max(part[0], start) for doc_id, (start, end) in spans.items()
    }
    best = max(shared, key=lambda doc_id: shared[doc_id], default=None)
    return [best] if best is not None and shared[best] > 0 else []
