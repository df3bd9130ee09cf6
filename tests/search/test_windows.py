from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podcast_scraper.errors import ConfigurationError
from podcast_scraper.search.windows import (
    INSIDE,
    SENTENCE_END,
    TURN_END,
    ChunkSettings,
    cut_windows,
)

SMALL = ChunkSettings(min_words=8, max_words=12, overlap_words=4)


def everything(start: int, limit: int) -> int:
    return limit


def test_a_short_row_is_one_window() -> None:
    assert cut_windows([INSIDE] * 12, everything, SMALL) == [(0, 12)]
    assert cut_windows([], everything, SMALL) == []


def test_turn_ends_are_preferred_to_later_sentence_ends() -> None:
    ends = [INSIDE] * 40
    ends[8], ends[10], ends[11] = TURN_END, SENTENCE_END, INSIDE
    assert cut_windows(ends, everything, SMALL)[0] == (0, 9)
    ends[8] = INSIDE
    assert cut_windows(ends, everything, SMALL)[0] == (0, 11)
    ends[10] = INSIDE
    assert cut_windows(ends, everything, SMALL)[0] == (0, 12)


def test_the_overlap_begins_at_a_sentence_near_it() -> None:
    ends = [INSIDE] * 40
    ends[11], ends[7] = TURN_END, SENTENCE_END
    assert cut_windows(ends, everything, SMALL)[:2] == [(0, 12), (8, 20)]
    ends[7] = INSIDE
    assert cut_windows(ends, everything, SMALL)[1][0] == 9


def test_a_row_a_little_too_long_is_halved() -> None:
    assert cut_windows([INSIDE] * 13, everything, SMALL) == [(0, 10), (8, 13)]


@pytest.mark.parametrize("sizes", [(0, 1, 0), (8, 7, 2), (8, 12, 5), (8, 12, -1)])
def test_contradicting_sizes_are_refused(sizes: tuple[int, int, int]) -> None:
    with pytest.raises(ConfigurationError):
        ChunkSettings(*sizes)


@given(
    st.lists(st.sampled_from([INSIDE, INSIDE, SENTENCE_END, TURN_END]), max_size=300),
    st.lists(st.integers(1, 30), min_size=1, max_size=300),
    st.integers(30, 200),
)
def test_windows_cover_the_row_and_fit(ends: list[int], weights: list[int], room: int) -> None:
    weight = [weights[i % len(weights)] for i in range(len(ends))]

    def longest(start: int, limit: int) -> int:
        total, place = 0, start
        while place < limit and total + weight[place] <= room:
            total += weight[place]
            place += 1
        return place

    settings = ChunkSettings(min_words=20, max_words=30, overlap_words=6)
    windows = cut_windows(ends, longest, settings)
    assert {word for start, end in windows for word in range(start, end)} == set(range(len(ends)))
    for start, end in windows:
        assert 0 < end - start <= 30
        assert sum(weight[start:end]) <= room
    for before, after in itertools.pairwise(windows):
        assert before[0] < after[0] <= before[1] < after[1]
