"""Times as people read them."""

from __future__ import annotations


def clock(seconds: float | None) -> str:
    """Return seconds as ``1:02:03`` or ``2:03``; nothing where the time is unknown."""
    if seconds is None:
        return ""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
