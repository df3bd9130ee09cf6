"""Geometry of the timelines and position arcs; templates draw it as SVG beside a table.

Horizontal places are percentages of the drawing, vertical ones pixels, so that a drawing stretches
to any width while its text keeps its size.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from itertools import groupby
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from podcast_scraper.search.relational_queries import RelatedNode

BAR_ROOM: Final = 56.0
BAR_MOST: Final = 2.0
STEP: Final = 26.0
MARGIN: Final = 3.0
LABEL_ROOM: Final = 9.0


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: ``x`` and ``width`` in percent, ``y`` and ``height`` in pixels."""

    x: float
    width: float
    y: float
    height: float
    kind: str


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark on the time axis; ``x`` in percent."""

    x: float
    label: str


@dataclass(frozen=True, slots=True)
class Timeline:
    """Bars by month over an axis at ``axis`` pixels; ``below`` tells whether any hang under it."""

    bars: tuple[Bar, ...]
    ticks: tuple[Tick, ...]
    axis: float
    height: float


@dataclass(frozen=True, slots=True)
class Point:
    """One insight of an arc: its number in the list beside, percent and pixels, grounded or not."""

    number: int
    x: float
    y: float
    grounded: bool
    title: str


@dataclass(frozen=True, slots=True)
class Arc:
    """Insights over time, those of one episode stacked; ``ticks`` name the days."""

    points: tuple[Point, ...]
    ticks: tuple[Tick, ...]
    axis: float
    height: float


def timeline_of(months: Sequence[tuple[str, int, int]]) -> Timeline | None:
    """Return the timeline of (month ``YYYY-MM``, count above, count below); None without counts."""
    dated = [
        (_month(month), up, down)
        for month, up, down in months
        if month[:4].isdigit() and (up or down)
    ]
    if not dated:
        return None
    first, last = dated[0][0], dated[-1][0]
    # Whole years, so that the axis reads as a calendar.
    low, high = first - first % 12, last - last % 12 + 12
    unit = 100.0 / (high - low)
    most = max(max(up, down) for _, up, down in dated)
    scale = BAR_ROOM / most
    below = any(down for _, _, down in dated)
    bars = []
    for month, up, down in dated:
        x, width = round((month - low) * unit, 3), round(min(unit * 0.78, BAR_MOST), 3)
        if up:
            bars.append(Bar(x, width, round(BAR_ROOM - up * scale, 1), round(up * scale, 1), "up"))
        if down:
            bars.append(Bar(x, width, BAR_ROOM + 1, round(down * scale, 1), "down"))
    ticks = tuple(
        Tick(round((year - low) * unit, 3), str(year // 12)) for year in range(low, high, 12)
    )
    return Timeline(tuple(bars), ticks, BAR_ROOM, BAR_ROOM + (BAR_ROOM if below else 0.0) + 22.0)


def months_of(rows: Iterable[RelatedNode]) -> list[tuple[str, int, int]]:
    """Return the months of a trace with their insights, whatever the show."""
    ordered = sorted((str(r.details["month"]), int(r.details["insights"])) for r in rows)
    return [
        (month, sum(count for _, count in group), 0)
        for month, group in groupby(ordered, key=lambda pair: pair[0])
    ]


def arc_of(rows: Sequence[RelatedNode]) -> Arc | None:
    """Return the arc of insights in time order; None where no date is known."""
    dated = [(n, row) for n, row in enumerate(rows, start=1) if row.date]
    if not dated:
        return None
    days = {row.date: date.fromisoformat(row.date).toordinal() for _, row in dated if row.date}
    low, high = min(days.values()), max(days.values())
    room = 100.0 - 2 * MARGIN - LABEL_ROOM
    x_of = {
        day: round(MARGIN + (0.0 if high == low else (number - low) / (high - low) * room), 3)
        for day, number in days.items()
    }
    tallest = 0
    points = []
    for day, group in groupby(dated, key=lambda pair: pair[1].date):
        for level, (number, row) in enumerate(group):
            grounded = bool(row.details.get("grounded"))
            points.append(Point(number, x_of[day or ""], -level * STEP, grounded, row.text))
            tallest = max(tallest, level)
    axis = tallest * STEP + 18.0
    placed = tuple(
        Point(p.number, p.x, axis - 8.0 + p.y - 6.0, p.grounded, p.title) for p in points
    )
    return Arc(placed, _spread(x_of), axis + 4.0, axis + 28.0)


def _spread(x_of: dict[str, float]) -> tuple[Tick, ...]:
    """Name the days, leaving out those whose names would run into the one before."""
    ticks: list[Tick] = []
    for day, x in sorted(x_of.items()):
        if not ticks or x - ticks[-1].x >= LABEL_ROOM:
            ticks.append(Tick(x, f"{date.fromisoformat(day):%b %Y}"))
    return tuple(ticks)


def _month(month: str) -> int:
    return int(month[:4]) * 12 + int(month[5:7]) - 1
