"""Rows of numbers, and the top of an array: ties always go to the lower place."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from podcast_scraper.search.graph.strings import places_of
from podcast_scraper.search.rescue.incidence import (
    LONG_ROW,
    Chosen,
    Numbering,
    Rows,
    best_of,
    most_active,
)

PLACES = places_of(["a", "b", "c"])


def test_rows_their_positions_and_the_transposed() -> None:
    rows = Rows.from_lists([["c", "a", "a"], [], ["b"]], PLACES)
    assert [rows.row(n).tolist() for n in range(3)] == [[0, 2], [], [1]]
    assert rows.lengths.tolist() == [2, 0, 1]
    assert rows.positions(np.array([2, 0])).tolist() == [2, 0, 1]
    assert rows.positions(np.array([1])).tolist() == []
    assert rows.positions(np.array([], dtype=np.int64)).tolist() == []
    back = rows.transposed(3)
    assert [back.row(n).tolist() for n in range(3)] == [[0], [2], [0]]


def test_sums_over_short_and_long_rows_by_hand() -> None:
    wide = list(range(LONG_ROW + 1))
    rows = Rows(
        np.array([0, 2, 2 + len(wide), 3 + len(wide)]), np.array([0, 3, *wide, 3], dtype=np.int64)
    )
    sums = rows.summed(np.array([0, 1, 2]), np.array([1.0, 10.0, 100.0]), LONG_ROW + 5)
    assert sums[[0, 1, 3, LONG_ROW, LONG_ROW + 1]].tolist() == [11.0, 10.0, 111.0, 10.0, 0.0]
    none = np.array([], dtype=np.int64)
    assert rows.summed(none, none.astype(float), 3).tolist() == [0.0, 0.0, 0.0]


VALUES = st.lists(st.sampled_from([0.0, 0.1, 0.5, 0.9]), max_size=20)


@given(values=VALUES, limit=st.integers(0, 22))
def test_the_top_is_that_of_a_sort(values: list[float], limit: int) -> None:
    array = np.array(values)
    ranked = sorted(range(len(values)), key=lambda place: (-values[place], place))
    assert most_active(np.arange(len(values)), array, limit).tolist() == sorted(ranked[:limit])
    ids = [f"d{place:02}" for place in range(len(values))]
    expected = [(ids[place], values[place]) for place in ranked if values[place] > 0]
    numbering = Numbering(ids)
    assert list(best_of(array, numbering, limit)) == expected[:limit]
    some = {*ids[::2], "unknown"}
    restricted = [pair for pair in expected if pair[0] in some][:limit]
    assert list(best_of(array, numbering, limit, allowed=some)) == restricted
    chosen = Chosen(numbering, np.array([one in some for one in ids], dtype=np.bool_))
    assert list(best_of(array, numbering, limit, allowed=chosen)) == restricted
    assert list(best_of(array, Numbering(list(ids)), limit, allowed=chosen)) == restricted


def test_chosen_ids_are_a_collection_of_their_ids() -> None:
    chosen = Chosen(Numbering(["a", "b", "c"]), np.array([True, False, True]))
    assert list(chosen) == ["a", "c"]
    assert len(chosen) == 2
    assert "a" in chosen
    assert not {"b", "d"} & set(chosen)
    assert "b" not in chosen
    assert 1 not in chosen
