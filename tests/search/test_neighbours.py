"""Shares of neighbours by hand, and the laws that any weights keep."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podcast_scraper.search.backend import Filters, ScoredResult
from podcast_scraper.search.neighbours import (
    OVER_CORPUS,
    WITHIN_EPISODE,
    add_shares,
    neighbour_weights,
    shares_of_neighbours,
)


def result(
    doc_id: str, score: float, ordinal: int | None, episode: str = "e", tier: str = "segment"
) -> ScoredResult:
    payload = {"episode_id": episode, "ordinal": ordinal}
    return ScoredResult(doc_id, score, 1, payload, "rrf", tier)


def test_shares_by_hand() -> None:
    found = [
        result("a", 1.0, 4),
        result("b", 0.5, 5),
        result("c", 0.2, 7),
        result("other-episode", 0.9, 6, episode="f"),
        result("other-tier", 0.9, 6, tier="insight"),
        result("no-place", 0.9, None),
    ]
    shares = shares_of_neighbours(found, (0.5, 0.3, 0.1))
    assert shares == pytest.approx(
        {
            "a": 0.5 * 0.5 + 0.1 * 0.2,
            "b": 0.5 * 1.0 + 0.3 * 0.2,
            "c": 0.3 * 0.5 + 0.1 * 1.0,
        }
    )


def test_a_weak_window_between_strong_ones_rises() -> None:
    found = [result("x", 0.6, 0), result("y", 0.55, 20), result("z", 0.5, 19), result("w", 0.1, 1)]
    ranked = add_shares(found, shares_of_neighbours(found, (0.5,)))
    # y .55 + .25, z .5 + .275, x .6 + .05, w .1 + .3
    assert [one.doc_id for one in ranked] == ["y", "z", "x", "w"]
    assert [one.rank for one in ranked] == [1, 2, 3, 4]


scored = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 9), st.sampled_from("ef")),
    max_size=12,
    unique_by=lambda row: (row[1], row[2]),
)


@given(scored)
def test_no_document_is_lost_and_no_weights_change_nothing(
    rows: list[tuple[float, int, str]],
) -> None:
    found = [result(f"{e}{o}", score, o, e) for score, o, e in rows]
    ranked = add_shares(found, shares_of_neighbours(found, OVER_CORPUS))
    assert sorted(one.doc_id for one in ranked) == sorted(one.doc_id for one in found)
    assert [one.score for one in ranked] == sorted((one.score for one in ranked), reverse=True)
    assert shares_of_neighbours(found, ()) == {}


@given(scored, st.floats(0.1, 10))
def test_shares_follow_the_scale(rows: list[tuple[float, int, str]], scale: float) -> None:
    found = [result(f"{e}{o}", score, o, e) for score, o, e in rows]
    larger = [result(f"{e}{o}", score * scale, o, e) for score, o, e in rows]
    expected = {
        doc: share * scale for doc, share in shares_of_neighbours(found, OVER_CORPUS).items()
    }
    shares = shares_of_neighbours(larger, OVER_CORPUS)
    for doc, share in expected.items():
        assert shares.get(doc, 0.0) == pytest.approx(share, abs=1e-12)


def test_one_episode_takes_wider_shares() -> None:
    assert neighbour_weights(Filters(episodes=("e",))) == WITHIN_EPISODE
    assert neighbour_weights(Filters(episodes=("e", "f"))) == OVER_CORPUS
    assert neighbour_weights(Filters()) == OVER_CORPUS
