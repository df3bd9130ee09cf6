"""Appending: base untouched, disjoint, capped, stamped."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podcast_scraper.search.rescue.lanes import LaneRanking
from podcast_scraper.search.rescue.records import Candidate
from podcast_scraper.search.rescue.union import choose_appended, stamp, unite


def ranking(*hits: str) -> LaneRanking:
    return LaneRanking(
        tuple((hit, 1.0 / place) for place, hit in enumerate(hits, start=1)), lambda hit: (hit,)
    )


def test_lanes_fuse_with_each_other_by_rrf() -> None:
    # b: 1/62 + 1/61, c: 1/63 + 1/63, a: 1/61, d: 1/62.
    chosen = choose_appended(
        [], {"traversal": ranking("a", "b", "c"), "hypergraph": ranking("b", "d", "c")}, cap=10
    )
    assert [one.id for one in chosen] == ["b", "c", "a", "d"]
    assert chosen[0].lanes == {
        "traversal": {"rank": 2, "score": 0.5},
        "hypergraph": {"rank": 1, "score": 1.0},
    }
    assert [one.best_lane for one in chosen] == [
        "hypergraph",
        "traversal",
        "traversal",
        "hypergraph",
    ]


def test_what_the_base_has_is_dropped_after_fusing_and_the_cap_holds() -> None:
    chosen = choose_appended(["a", "c"], {"traversal": ranking("a", "b", "c", "d", "e")}, cap=2)
    assert [one.id for one in chosen] == ["b", "d"]
    assert chosen[0].lanes["traversal"]["rank"] == 2
    assert choose_appended([], {"traversal": ranking("a")}, cap=0) == []


def test_a_stamp_says_how_it_was_found() -> None:
    [found] = choose_appended([], {"hypergraph": ranking("a")}, cap=1)
    stamped = stamp(Candidate("a", 0.7, "text", {"tier": "segment"}), found, ("n", "h"))
    assert stamped.rescued
    assert stamped.score is None
    assert stamped.text == "text"
    assert stamped.metadata["tier"] == "segment"
    assert stamped.metadata["rescue"] == {
        "lane": "hypergraph",
        "path": ("n", "h"),
        "lanes": {"hypergraph": {"rank": 1, "score": 1.0}},
    }


def test_selection_scores_follow_the_rank() -> None:
    union = unite([Candidate("a", 1.0), Candidate("b", 0.5)], [Candidate("c", None)])
    assert [one.selection_score for one in union] == pytest.approx([1 / 61, 1 / 62, 1 / 63])
    assert [one.score for one in union] == [1.0, 0.5, None]


IDS = st.lists(st.sampled_from("abcdefghijkl"), unique=True)


@given(base=IDS, first=IDS, second=IDS, cap=st.integers(0, 5))
def test_disjoint_capped_and_every_slot_used(
    base: list[str], first: list[str], second: list[str], cap: int
) -> None:
    chosen = choose_appended(
        base, {"traversal": ranking(*first), "hypergraph": ranking(*second)}, cap=cap
    )
    found = [one.id for one in chosen]
    new = (set(first) | set(second)) - set(base)
    assert set(found) <= new
    assert len(found) == len(set(found)) == min(cap, len(new))
