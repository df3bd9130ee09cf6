"""Template filters: times, dates, highlighted text."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Final

from markupsafe import Markup, escape

from podcast_scraper.clock import clock
from podcast_scraper.server.links import entity_path, episode_path, episode_url
from podcast_scraper.server.views.charts import months_of
from podcast_scraper.server.views.passage import passage_of
from podcast_scraper.server.views.ribbon import span_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from podcast_scraper.server.views.passage import Passage

_TRIGGERS: Final = {
    "relation-cue": "the query asks how things relate",
    "entity-heavy": "the query names several entities",
    "low-agreement": "words and meaning disagree",
    "low-confidence": "no document is close in meaning",
    "mode-force": "it was asked for",
    "navigational": "the query goes straight to one place",
    "mode-off": "switched off",
}


def human_date(day: str | None) -> str:
    """Return ``2024-05-01`` as ``1 May 2024``."""
    if not day:
        return "date unknown"
    parsed = date.fromisoformat(day)
    return f"{parsed.day} {parsed:%B %Y}"


def human_month(month: str) -> str:
    """Return ``2024-05`` as ``May 2024``; other text as it is."""
    try:
        return f"{date.fromisoformat(f'{month}-01'):%B %Y}"
    except ValueError:
        return month


def plural(count: int, one: str, many: str | None = None) -> str:
    """Return ``1 episode``, ``2 episodes``; thousands are set apart."""
    return f"{count:,} {one if count == 1 else many or one + 's'}".replace(",", "\u202f")


def reason(trigger: str) -> str:
    """Return a gate's reason in plain words."""
    return _TRIGGERS.get(trigger, trigger)


def marked(
    text: str, spans: Sequence[Sequence[int]], window: Sequence[int] | None = None
) -> Markup:
    """Return escaped text with ``<mark>`` around character spans, cut to a window with ellipses."""
    low, high = window if window is not None else (0, len(text))
    return Markup(_windowed(text, spans, low, high))


def marked_passage(passage: Passage) -> Markup:
    """Return a passage's window with its marks; what is not its quote stands in ``<span>``."""
    low, high = passage.window
    text, marks = passage.text, passage.marks
    if passage.quote is None:
        return Markup(_windowed(text, marks, low, high))
    start, end = passage.quote
    before, after = _ellipses(text, low, high)
    parts = (
        _beside(before + _marks(text, marks, low, start)),
        _marks(text, marks, start, end),
        _beside(_marks(text, marks, end, high) + after),
    )
    return Markup("".join(parts))


# A page has hundreds of marks. They are put together as plain strings, each part escaped once, and
# made Markup at the end: joining Markup would look at every part again.


def _windowed(text: str, spans: Sequence[Sequence[int]], low: int, high: int) -> str:
    before, after = _ellipses(text, low, high)
    return before + _marks(text, spans, low, high) + after


def _ellipses(text: str, low: int, high: int) -> tuple[str, str]:
    return "… " if low > 0 else "", " …" if high < len(text) else ""


def _beside(html: str) -> str:
    return f'<span class="beside">{html}</span>' if html else ""


def _marks(text: str, spans: Sequence[Sequence[int]], low: int, high: int) -> str:
    parts: list[str] = []
    position = low
    for start, end in sorted((s, e) for s, e in spans):
        start, end = max(start, position), min(end, high)
        if start >= end:
            continue
        marked_words = str(escape(text[start:end]))
        parts += [str(escape(text[position:start])), "<mark>", marked_words, "</mark>"]
        position = end
    parts.append(str(escape(text[position:high])))
    return "".join(parts)


FILTERS: Final[dict[str, Callable[..., object]]] = {
    "clock": clock,
    "entity_path": entity_path,
    "episode_path": episode_path,
    "episode_url": episode_url,
    "human_date": human_date,
    "human_month": human_month,
    "marked": marked,
    "marked_passage": marked_passage,
    "months_of": months_of,
    "passage_of": passage_of,
    "plural": plural,
    "reason": reason,
    "span_of": span_of,
}
