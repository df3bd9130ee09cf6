"""Rows of numbers, and the top of an array: ties always go to the lower place."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from podcast_scraper.search.graph.strings import places_of
from podcast_scraper.search.rescue.incidence import (
    Chosen,
    Numbering,
    Rows,
    Sparse,
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


def test_spreading_by_hand() -> None:
    rows = Rows(np.array([0, 2, 5, 6]), np.array([0, 3, 0, 1, 2, 3]))
    given = Sparse.of({0: 1.0, 1: 10.0, 2: 100.0})
    found, complete = rows.spread(given, 6)
    assert complete
    assert (found.places.tolist(), found.values.tolist()) == ([0, 1, 2, 3], [11, 10, 10, 101])
    # The shortest rows come first: row 2, row 0, and of row 1 what the budget leaves.
    found, complete = rows.spread(given, 4)
    assert not complete
    assert (found.places.tolist(), found.values.tolist()) == ([0, 3], [11, 101])
    nothing, complete = rows.spread(Sparse.of({}), 0)
    assert (nothing.places.tolist(), complete) == ([], True)
    assert rows.sums(np.array([1, 0]), Sparse.of({0: 1.0, 2: 5.0})).tolist() == [6.0, 1.0]


@given(
    lists=st.lists(st.lists(st.integers(0, 8), max_size=6), min_size=1, max_size=8),
    chosen=st.sets(st.integers(0, 7)),
    budget=st.integers(0, 30),
)
def test_a_budget_never_gives_more_than_there_is(
    lists: list[list[int]], chosen: set[int], budget: int
) -> None:
    names = [f"n{place}" for place in range(9)]
    rows = Rows.from_lists([[names[n] for n in row] for row in lists], places_of(names))
    given = Sparse.of({row: float(row + 1) for row in chosen if row < len(lists)})
    whole = np.zeros(9)
    for row, value in zip(given.places.tolist(), given.values.tolist(), strict=True):
        whole[rows.row(row)] += value
    found, complete = rows.spread(given, budget)
    assert complete == (sum(len(rows.row(row)) for row in given.places.tolist()) <= budget)
    assert (found.values <= whole[found.places]).all()
    if complete:
        assert np.array_equal(found.at(np.arange(9)), whole)


VALUES = st.lists(st.sampled_from([0.0, 0.1, 0.5, 0.9]), max_size=20)


@given(values=VALUES, limit=st.integers(0, 22))
def test_the_top_is_that_of_a_sort(values: list[float], limit: int) -> None:
    array = np.array(values)
    ranked = sorted(range(len(values)), key=lambda place: (-values[place], place))
    assert most_active(np.arange(len(values)), array, limit).tolist() == sorted(ranked[:limit])
    ids = [f"d{place:02}" for place in range(len(values))]
    expected = [(ids[place], values[place]) for place in ranked if values[place] > 0]
    numbering = Numbering(ids)
    scores = Sparse(np.arange(len(values)), array)
    assert list(best_of(scores, numbering, limit)) == expected[:limit]
    some = {*ids[::2], "unknown"}
    restricted = [pair for pair in expected if pair[0] in some][:limit]
    assert list(best_of(scores, numbering, limit, allowed=some)) == restricted
    chosen = Chosen(numbering, np.array([one in some for one in ids], dtype=np.bool_))
    assert list(best_of(scores, numbering, limit, allowed=chosen)) == restricted
    assert list(best_of(scores, Numbering(list(ids)), limit, allowed=chosen)) == restricted


def test_chosen_ids_are_a_collection_of_their_ids() -> None:
    chosen = Chosen(Numbering(["a", "b", "c"]), np.array([True, False, True]))
    assert list(chosen) == ["a", "c"]
    assert len(chosen) == 2
    assert "a" in chosen
    assert not {"b", "d"} & set(chosen)
    assert "b" not in chosen
    assert 1 not in chosen
