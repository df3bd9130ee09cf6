"""Values of foreign JSON, read leniently: the right type or nothing."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_DEPTH = 16
MAX_SECONDS = 2**53 / 1000
"""Beyond this a double no longer holds every millisecond; far beyond, milliseconds overflow."""


def text_of(value: object) -> str | None:
    """Return a string that is not blank, a number as text, else None. Nothing is trimmed."""
    if isinstance(value, str):
        return value if value.strip() else None
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return None


def name_of(value: object) -> str | None:
    """Return a name: text with its white space collapsed, or None."""
    text = text_of(value)
    return " ".join(text.split()) if text else None


def first_name(values: Mapping[str, Any], *keys: str) -> str | None:
    """Return the first of these keys that holds a name."""
    return next((name for key in keys if (name := name_of(values.get(key)))), None)


def number(value: object) -> float | None:
    """Return a finite number, also from a numeric string; never a boolean."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        result = float(value)
    except (ValueError, OverflowError):
        return None
    return result if math.isfinite(result) else None


def integer(value: object) -> int | None:
    """Return a finite number rounded to an integer that a double holds exactly."""
    result = number(value)
    return None if result is None or abs(result) > 2**53 else round(result)


def seconds(value: object) -> float | None:
    """Return a number whose milliseconds a double holds exactly."""
    result = number(value)
    return None if result is None or abs(result) > MAX_SECONDS else result


def names_in(value: object) -> list[str]:
    """Return the distinct names of a list, or the one name of a string, in order."""
    items = value if isinstance(value, list) else [value]
    return list(dict.fromkeys(name for item in items if (name := name_of(item))))


def mapping(value: object) -> Mapping[str, Any]:
    """Return the value where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def shallow(value: object, depth: int = MAX_DEPTH) -> bool:
    """Tell whether a value is nested no deeper than ``depth`` levels."""
    if isinstance(value, list | dict):
        inner = value.values() if isinstance(value, dict) else value
        return depth > 0 and all(shallow(item, depth - 1) for item in inner)
    return True


def moment(value: object) -> tuple[datetime, bool] | None:
    """Read an ISO 8601 or RFC 2822 date: aware UTC, and whether it came without a zone."""
    text = name_of(value) if isinstance(value, str) else None
    if text is None:
        return None
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError:
        try:
            parsed = parsedate_to_datetime(text)
        except (ValueError, IndexError, TypeError, OverflowError):
            return None
    naive = parsed.tzinfo is None
    try:
        return (parsed.replace(tzinfo=UTC) if naive else parsed.astimezone(UTC)), naive
    except (ValueError, OverflowError):
        return None
