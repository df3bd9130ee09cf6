"""Dates and durations as feeds write them."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from podcast_scraper.ingest.transcripts.records import Action

_MONTHS: Final = (
    "jan",
    "feb",
    "mar",
    "apr",
    "may",
    "jun",
    "jul",
    "aug",
    "sep",
    "oct",
    "nov",
    "dec",
)
_MONTH = rf"({'|'.join(_MONTHS)})[a-z]{{0,6}}\.?"
_DAY_FIRST = re.compile(rf"\b(\d{{1,2}})[ -]{_MONTH}[ -](\d{{4}}|\d{{2}})\b", re.IGNORECASE)
_MONTH_FIRST = re.compile(rf"\b{_MONTH} (\d{{1,2}}),? (\d{{4}})\b", re.IGNORECASE)
_TIME = re.compile(r"\b(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\.\d+)?\s*([AaPp][Mm]\b)?")
_OFFSET = re.compile(r"([+-])(\d{2}):?(\d{2})\b")
_ZONE_NAME = re.compile(r"\b([A-Z]{1,5})\b")

# Hours east of UTC. Names that several countries share are read as feeds use them most.
ZONES: Final[dict[str, float]] = {
    "UT": 0, "UTC": 0, "GMT": 0, "Z": 0, "WET": 0, "WEST": 1, "BST": 1, "IST": 5.5,
    "CET": 1, "CEST": 2, "MET": 1, "MEST": 2, "EET": 2, "EEST": 3, "MSK": 3, "SAST": 2,
    "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7,
    "AKST": -9, "AKDT": -8, "HST": -10, "AST": -4, "ADT": -3, "NST": -3.5, "NDT": -2.5, "BRT": -3,
    "SGT": 8, "HKT": 8, "JST": 9, "KST": 9, "AWST": 8, "ACST": 9.5, "AEST": 10, "AEDT": 11,
    "NZST": 12, "NZDT": 13,
}  # fmt: skip


_REGULAR = re.compile(
    rf"(?:[a-z]{{3}}, )?\d{{1,2}} (?:{'|'.join(_MONTHS)}) \d{{4}} "
    r"\d{2}:\d{2}(?::\d{2})? (?P<zone>\S+)",
    re.IGNORECASE,
)
_EARLIEST: Final = datetime(1970, 1, 2, tzinfo=UTC)
"""No podcast is older; a publisher's empty date field comes out as the epoch or as year 1."""


def parse_date(text: str | None) -> datetime | None:
    """Return an aware UTC time for RFC 822, ISO 8601 and the forms between; None for junk.

    A date without time is midnight; one without zone, or with an unknown one, is read as UTC.
    """
    text = " ".join((text or "").split())
    if not text or len(text) > 100:
        return None
    try:
        return _utc(datetime.fromisoformat(text))
    except (ValueError, OverflowError):
        pass
    day = _calendar_day(text)
    if day is None:
        return None
    year, month, date = day
    clock = _TIME.search(text)
    rest = text[clock.end() :] if clock else ""
    hour, minute, second = (int(part or 0) for part in clock.groups()[:3]) if clock else (0, 0, 0)
    if clock and clock[4]:
        hour = hour % 12 + (12 if clock[4].lower() == "pm" else 0)
    try:
        zone = timezone(_offset(rest))
        return _utc(datetime(year, month, date, hour, minute, min(second, 59), tzinfo=zone))
    except (ValueError, OverflowError):
        return None


def date_oddity(text: str | None) -> tuple[Action, str] | None:
    """Return what had to be done to read a stated date, or None where it is regular or absent.

    Regular are RFC 822 and ISO 8601 with an offset or a known zone.
    """
    text = " ".join((text or "").split())
    if not text:
        return None
    found = parse_date(text)
    if found is None:
        return "dropped", "date that cannot be read"
    if found < _EARLIEST:
        return "guessed", "date before 1970, kept as stated"
    match = _REGULAR.fullmatch(text)
    if match:
        known = match["zone"].upper() in ZONES or _OFFSET.fullmatch(match["zone"])
        return None if known else ("guessed", "date with an unknown zone, read as UTC")
    try:
        aware = datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return "fixed", "date in no standard form"
    return None if aware else ("guessed", "date without a zone, read as UTC")


def _utc(moment: datetime) -> datetime:
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)


def _calendar_day(text: str) -> tuple[int, int, int] | None:
    """Return (year, month, day); a two-digit year below 70 is of this century (RFC 2822)."""
    if match := _DAY_FIRST.search(text):
        date, name, year = match.groups()
    elif match := _MONTH_FIRST.search(text):
        name, date, year = match.groups()
    else:
        return None
    century = 0 if len(year) > 2 else 2000 if int(year) < 70 else 1900
    return century + int(year), _MONTHS.index(name.lower()) + 1, int(date)


def _offset(rest: str) -> timedelta:
    """Return the zone after a clock time; a number wins over a name (``GMT-0400 (EDT)``)."""
    if match := _OFFSET.search(rest):
        size = timedelta(hours=int(match[2]), minutes=int(match[3]))
        return -size if match[1] == "-" else size
    match = _ZONE_NAME.search(rest)
    return timedelta(hours=ZONES.get(match[1], 0) if match else 0)


def parse_duration(text: str | None) -> float | None:
    """Return the seconds of ``2238``, ``22:38``, ``1:02:03`` or ``1:02:03.5``; None for junk."""
    parts = (text or "").strip().split(":")
    if len(parts) > 3:
        return None
    total = 0.0
    for index, part in enumerate(parts):
        whole = r"\d{1,7}(?:\.\d{1,9})?" if index == len(parts) - 1 else r"\d{1,5}"
        if not re.fullmatch(whole, part.strip(), re.ASCII):
            return None
        total = total * 60 + float(part)
    return total if math.isfinite(total) and total > 0 else None
