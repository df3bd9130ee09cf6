"""The ribbon: an episode drawn as a line, with the place of what was found on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

WIDTH: Final = 1000.0
LEAST: Final = 8.0


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a ribbon, in units of which the whole has 1000."""

    x: float
    width: float


def span_of(start: float | None, end: float | None, duration: float | None) -> Span | None:
    """Return where seconds lie on the ribbon of an episode; None where a time is unknown."""
    if start is None or not duration or duration <= 0:
        return None
    stop = end if end is not None and end > start else start
    width = max(LEAST, (min(stop, duration) - start) / duration * WIDTH)
    x = min(max(0.0, start / duration * WIDTH), WIDTH - width)
    return Span(round(x, 1), round(width, 1))
