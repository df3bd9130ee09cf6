"""Transcripts in turns and parts, the line of a time, insights beside them, finding text."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from podcast_scraper.server.views.transcript import (
    PART_LINES,
    find_in,
    make_part,
    part_of,
    position_at,
)
from podcast_scraper.storage.catalog import InsightInfo, QuoteInfo, SegmentInfo


def segment(number: int, speaker: str | None = "person:ada", **changes: object) -> SegmentInfo:
    made = {
        "ordinal": number,
        "start": 10.0 * number,
        "end": 10.0 * number + 9,
        "text": f"line {number}",
        "speaker_id": speaker,
        "speaker_label": None,
        "kind": "speech",
        "char_start": 100 * number,
        "char_end": 100 * number + 50,
    }
    return SegmentInfo(**{**made, **changes})  # type: ignore[arg-type]


def insight(name: str, char_start: int | None, start_ms: int | None = None) -> InsightInfo:
    quote = QuoteInfo(f"q{name}", "x", None, start_ms, None, char_start, None)
    return InsightInfo(name, name, "claim", True, None, (quote,))


def test_lines_of_one_speaker_are_one_turn() -> None:
    lines = [segment(0), segment(1), segment(2, "person:bob"), segment(3)]
    part = make_part(lines, [], {"person:ada": "Ada"})
    assert [[line.ordinal for line in turn.lines] for turn in part.turns] == [[0, 1], [2], [3]]
    assert [turn.speaker for turn in part.turns] == ["Ada", "", "Ada"]
    assert [turn.colour for turn in part.turns] == [0, 1, 0]


def test_an_advertisement_is_a_turn_of_its_own() -> None:
    lines = [segment(0), segment(1, kind="ad"), segment(2)]
    assert [turn.kind for turn in make_part(lines, [], {}).turns] == ["speech", "ad", "speech"]


def test_insights_stand_where_their_quote_is() -> None:
    lines = [segment(0), segment(1, "person:bob"), segment(2)]
    notes = [insight("by-offset", 130), insight("by-time", None, 21_000), insight("nowhere", None)]
    part = make_part(lines, notes, {})
    placed = [[note.insight.id for note in turn.notes] for turn in part.turns]
    assert placed == [[], ["by-offset"], ["by-time"]]
    assert [note.insight.id for note in part.unplaced] == ["nowhere"]


def test_a_time_is_in_the_line_that_has_begun() -> None:
    lines = [segment(0), segment(1), segment(2, start=None), segment(3)]
    times = (-1.0, 0.0, 9.99, 10.0, 25.0, 1e6)
    assert [position_at(lines, t) for t in times] == [0, 0, 1, 1, 1, 3]
    assert position_at([segment(0, start=None)], 5.0) is None


@given(st.integers(0, 3 * PART_LINES + 5), st.integers(-3, 9))
@settings(max_examples=25, deadline=None)
def test_parts_hold_every_line_once(count: int, asked: int) -> None:
    lines = [segment(number) for number in range(count)]
    first = make_part(lines, [], {}, number=asked)
    assert 1 <= first.number <= first.count
    seen = [
        line.ordinal
        for number in range(1, first.count + 1)
        for turn in make_part(lines, [], {}, number=number).turns
        for line in turn.lines
    ]
    assert seen == list(range(count))
    assert all(part_of(position) <= first.count for position in range(count))


def test_finding_is_literal_and_across_white_space() -> None:
    lines = [segment(0, text="Rent (a.b)  freeze, rent"), segment(PART_LINES, text="RENT")]
    found, total = find_in(lines, "rent")
    assert (total, [match.text for match in found]) == (3, ["Rent", "rent", "RENT"])
    assert find_in(lines, "(a.b) freeze")[1] == 1
    assert find_in(lines, "  ") == ([], 0)
    (line,) = make_part([lines[0]], [], {}, find="rent").turns[0].lines
    assert line.marks == ((0, 4), (20, 24))
