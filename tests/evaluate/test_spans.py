"""Span judgements: the overlap rule at its edge, and that a span counts once."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from podcast_scraper.evaluate.spans import Span, parse_span, to_judged_ids


def test_half_of_the_shorter_one_is_enough() -> None:
    judged = Span("e", 10_000, 20_000)
    assert judged.answered_by(Span("e", 15_000, 60_000))
    assert not judged.answered_by(Span("e", 15_001, 60_000))
    assert judged.answered_by(Span("e", 18_000, 22_000))
    assert not judged.answered_by(Span("e", 18_001, 22_000))
    assert not judged.answered_by(Span("other", 10_000, 20_000))


def test_ids_that_name_a_span() -> None:
    assert parse_span("show@e1@1000-2500") == Span("show@e1", 1000, 2500)
    assert parse_span("insight:abc") is None
    assert parse_span("e@5-5") is None


def test_a_span_counts_once_and_the_better_span_is_taken_first() -> None:
    windows = {
        "w1": Span("e", 0, 60_000),
        "w2": Span("e", 50_000, 110_000),
        "far": Span("e", 500_000, 560_000),
    }
    judged = {"e@0-40000": 1, "e@20000-60000": 2, "insight:1": 2}
    named = to_judged_ids(["w1", "insight:1", "w2", "far", "lost"], judged, windows.get)
    # w2 overlaps the second span by 10 s of 40 s: too little; the first span stays open.
    assert named == ["e@20000-60000", "insight:1", "w2", "far", "lost"]
    both = to_judged_ids(["w1", "w3"], judged, {**windows, "w3": Span("e", 0, 50_000)}.get)
    assert both == ["e@20000-60000", "e@0-40000"]


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(1, 30)), max_size=12))
def test_names_stay_unique(stretches: list[tuple[int, int]]) -> None:
    windows = {f"w{i}": Span("e", start, start + n) for i, (start, n) in enumerate(stretches)}
    judged = {"e@0-20": 1, "e@10-30": 2, "e@30-60": 1}
    named = to_judged_ids(windows, judged, windows.get)
    assert len(named) == len(windows)
    assert len(set(named)) == len(named)
