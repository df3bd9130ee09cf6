"""Clock times as transcripts write them, to seconds and back."""

from __future__ import annotations

import math
import re
from typing import Final

# [[H+:]M+:]S+[.,f+], one-digit fields, a fourth field after a colon (frames written as hundredths).
CLOCK: Final = r"\d{1,4}(?::\d{1,3}){1,2}(?:[.,:]\d{1,9})?"
_CLOCK = re.compile(r"(?:(?:(\d{1,4}):)?(\d{1,4}):)?(\d{1,6})(?:[.,:](\d{1,9}))?", re.ASCII)

# No recording is longer; larger values are not times.
LONGEST: Final = 1000.0 * 3600


def parse_clock(text: str) -> float | None:
    """Return the seconds of ``1:02:03.5``, ``62:03``, ``00:00:01,05`` or ``12.5``; else None.

    A fraction is decimal whatever its number of digits (``,5`` is half a second).
    """
    match = _CLOCK.fullmatch(text.strip())
    if match is None:
        return None
    hours, minutes, seconds, fraction = match.groups()
    whole = int(hours or 0) * 3600 + int(minutes or 0) * 60 + int(seconds)
    # Through text, so that the result is the float nearest to what is written.
    return float(f"{whole}.{fraction or 0}")


def usable(seconds: float | None) -> bool:
    """Tell whether a number is a time in a recording (finite, not negative, under 1 000 h)."""
    return seconds is not None and math.isfinite(seconds) and 0 <= seconds < LONGEST


def format_clock(seconds: float, separator: str = ".") -> str:
    """Return ``HH:MM:SS.mmm`` (hours grow past 99), rounded to the millisecond."""
    millis = round(seconds * 1000)
    hours, rest = divmod(millis, 3_600_000)
    minutes, rest = divmod(rest, 60_000)
    whole, millis = divmod(rest, 1000)
    return f"{hours:02d}:{minutes:02d}:{whole:02d}{separator}{millis:03d}"
