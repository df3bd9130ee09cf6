"""Template filters: times, dates, highlighted text."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Final

from markupsafe import Markup, escape

from podcast_scraper.clock import clock
from podcast_scraper.server.links import episode_url, page_url, without_filters

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def human_date(day: str | None) -> str:
    """Return ``2024-05-01`` as ``1 May 2024``."""
    if not day:
        return "date unknown"
    parsed = date.fromisoformat(day)
    return f"{parsed.day} {parsed:%B %Y}"


def marked(
    text: str, spans: Sequence[Sequence[int]], window: Sequence[int] | None = None
) -> Markup:
    """Return escaped text with ``<mark>`` around character spans, cut to a window with ellipses."""
    low, high = window if window is not None else (0, len(text))
    parts: list[Markup] = [Markup("… ")] if low > 0 else []
    position = low
    for start, end in sorted((s, e) for s, e in spans):
        start, end = max(start, position), min(end, high)
        if start >= end:
            continue
        parts += [escape(text[position:start]), Markup("<mark>"), escape(text[start:end])]
        parts.append(Markup("</mark>"))
        position = end
    parts.append(escape(text[position:high]))
    if high < len(text):
        parts.append(Markup(" …"))
    return Markup("").join(parts)


FILTERS: Final[dict[str, Callable[..., object]]] = {
    "clock": clock,
    "human_date": human_date,
    "marked": marked,
    "episode_url": episode_url,
    "page_url": page_url,
    "without_filters": without_filters,
}
