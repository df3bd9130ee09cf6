"""Geometry of timelines, arcs and ribbons."""

from __future__ import annotations

from podcast_scraper.search.relational_queries import RelatedNode
from podcast_scraper.server.views.charts import BAR_ROOM, arc_of, months_of, timeline_of
from podcast_scraper.server.views.ribbon import span_of


def row(name: str, date: str | None, **details: object) -> RelatedNode:
    return RelatedNode(name, "insight", name, date=date, details=details)


def test_a_timeline_spans_whole_years_and_scales_to_its_most() -> None:
    chart = timeline_of([("2022-03", 4, 0), ("2023-12", 2, 8), ("unknown", 9, 9)])
    assert chart is not None
    assert [(tick.label, tick.x) for tick in chart.ticks] == [("2022", 0.0), ("2023", 50.0)]
    up, second, down = chart.bars
    assert up.x == round(100 * 2 / 24, 3)
    assert (up.height, second.height, down.height) == (BAR_ROOM / 2, BAR_ROOM / 4, BAR_ROOM)
    assert second.x == down.x
    assert down.y > chart.axis
    assert timeline_of([]) is None
    assert timeline_of([("2022-03", 0, 0)]) is None


def test_months_are_summed_over_shows() -> None:
    rows = [
        row("a", None, month="2023-01", insights=2),
        row("b", None, month="2022-05", insights=1),
        row("c", None, month="2023-01", insights=3),
    ]
    assert months_of(rows) == [("2022-05", 1, 0), ("2023-01", 5, 0)]


def test_an_arc_goes_from_left_to_right_and_stacks_a_day() -> None:
    arc = arc_of(
        [
            row("a", "2022-01-01", grounded=True),
            row("b", "2022-01-01"),
            row("c", None),
            row("d", "2024-01-01", grounded=True),
        ]
    )
    assert arc is not None
    assert [(p.number, p.grounded) for p in arc.points] == [(1, True), (2, False), (4, True)]
    first, second, last = arc.points
    assert first.x == second.x < last.x <= 100
    assert second.y < first.y == last.y
    assert arc_of([row("c", None)]) is None


def test_a_ribbon_stays_on_its_episode() -> None:
    assert span_of(30.0, 60.0, 300.0) is not None
    middle = span_of(30.0, 60.0, 300.0)
    assert middle is not None
    assert (middle.x, middle.width) == (100.0, 100.0)
    late = span_of(400.0, 500.0, 300.0)
    assert late is not None
    assert late.x + late.width <= 1000
    assert span_of(None, 1.0, 300.0) is None
    assert span_of(1.0, 2.0, None) is None
