"""Where quotes are, and what their times become."""

from __future__ import annotations

import pytest

from podcast_scraper.artifacts.quotes import Place, QuoteLocator
from podcast_scraper.artifacts.records import Segment
from podcast_scraper.artifacts.transcripts import align

TEXT = "Ada: So it goes 🎙. It rains.\nBo: So it goes. It\nrains again.\n"
SEGMENTS = align(
    TEXT,
    [
        Segment(0, 0.0, 4.0, "So it goes 🎙. It rains."),
        Segment(1, 4.0, 9.5, "So it goes. It rains again."),
    ],
)


def locate(transcript: str, /, **quote: object) -> tuple[Place, list[str]]:
    return QuoteLocator(transcript, SEGMENTS if transcript else (), 9.5).locate(quote)


@pytest.mark.parametrize(
    ("quote", "located", "words", "times"),
    [
        ({"text": "It rains.", "char_start": 19, "char_end": 28, "start_ms": 100, "end_ms": 200},
         "offsets", "It rains.", (100, 200)),
        ({"text": "It rains.", "char_start": 3, "char_end": 9, "start_ms": 100, "end_ms": 200},
         "verbatim", "It rains.", (100, 200)),
        ({"text": "It rains again.", "char_start": 0, "char_end": 15, "start_ms": 0, "end_ms": 0},
         "verbatim", "It\nrains again.", (4000, 9500)),
        ({"text": "So it goes", "start_ms": 5000, "end_ms": 6000}, "verbatim", "So it goes",
         (5000, 6000)),
        ({"text": "It snows.", "char_start": 5, "char_end": 9, "start_ms": 5000, "end_ms": 6000},
         "time", None, (5000, 6000)),
        ({"text": "It snows.", "char_start": 0, "char_end": 9, "start_ms": 0, "end_ms": 0},
         "none", None, (None, None)),
        ({"text": " ", "char_start": 4, "char_end": 5}, "none", None, (None, None)),
    ],
)  # fmt: skip
def test_places(
    quote: dict[str, object],
    located: str,
    words: str | None,
    times: tuple[int | None, int | None],
) -> None:
    place, repairs = locate(TEXT, **quote)
    assert place.located == located
    held = None if place.char_start is None else TEXT[place.char_start : place.char_end]
    assert held == words
    assert (place.start_ms, place.end_ms) == times
    assert repairs == []


def test_of_several_occurrences_the_nearest_in_time_or_place() -> None:
    late, _ = locate(TEXT, text="So it goes", start_ms=4500, end_ms=5000)
    early, _ = locate(TEXT, text="So it goes", start_ms=500, end_ms=900)
    assert (early.char_start, late.char_start) == (5, TEXT.rindex("So it goes"))
    placed, _ = locate(TEXT, text="So it goes", char_start=30, char_end=35)
    assert placed.char_start == TEXT.rindex("So it goes")


@pytest.mark.parametrize(
    ("start", "end", "times", "repaired"),
    [
        (-500, 1000, (0, 1000), True),
        (3000, 2000, (3000, 3000), True),
        (3000, 99_000, (3000, 9500), True),
        (50_000, 60_000, (None, None), True),
        (None, 2000, (2000, 2000), False),
        (1500, None, (1500, 1500), False),
        (0, 0, (None, None), False),
    ],
)
def test_times_are_clamped(
    start: int | None, end: int | None, times: tuple[int | None, int | None], repaired: bool
) -> None:
    place, repairs = locate("", text="words", start_ms=start, end_ms=end)
    assert (place.start_ms, place.end_ms) == times
    assert bool(repairs) == repaired


def test_without_a_transcript_offsets_stay_unless_they_mean_unknown() -> None:
    timed, _ = locate("", text="Q", char_start=10, char_end=11, start_ms=5, end_ms=9)
    assert timed == Place("time", 10, 11, 5, 9)
    unknown, _ = locate("", text="Q", char_start=0, char_end=1, start_ms=0, end_ms=0)
    assert unknown == Place("none", None, None, None, None)
