"""The bounded rescore: hand-computed bonuses, and the head that nothing passes."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podcast_scraper.errors import ColumnError
from podcast_scraper.search.rescue.expander import Expander
from podcast_scraper.search.rescue.records import Candidate


def base(*rows: tuple[str, float, dict[str, Any]]) -> list[Candidate]:
    return [Candidate(name, score, "", metadata) for name, score, metadata in rows]


def order(expander: Expander, candidates: list[Candidate]) -> list[str]:
    return [one.id for one in expander.expand(candidates).base]


def test_bonus_by_hand() -> None:
    candidates = base(
        ("a", 1.0, {"kg_node_ids": ["x"], "kg_node_centrality": [0.2]}),
        ("b", 0.95, {}),
        ("c", 0.94, {"kg_node_ids": ["x", "y"], "kg_node_community": [7, 8]}),
        ("d", 0.5, {"kg_node_ids": ["z"], "neighbor_node_ids": ["x"], "kg_node_community": [8]}),
    )
    expansion = Expander(seed_top_k=3).expand(candidates)
    # a is linked to c (node x) and shares no community: 0.05 + 0.05 · 0.2.
    assert expansion.bonuses["a"] == pytest.approx({"links": 0.05, "centrality": 0.01})
    assert "b" not in expansion.bonuses
    assert expansion.bonuses["c"] == pytest.approx({"links": 0.05})
    # d reaches x of a and of c, and shares community 8 with c.
    assert expansion.bonuses["d"] == pytest.approx({"links": 0.10, "community": 0.01})
    # Values 1.06, 0.95, 0.99, 0.61, over the largest.
    assert [(one.id, one.score) for one in expansion.base] == [
        ("a", 1.0),
        ("c", pytest.approx(0.99 / 1.06)),
        ("b", pytest.approx(0.95 / 1.06)),
        ("d", pytest.approx(0.61 / 1.06)),
    ]


def test_an_anchor_is_not_linked_to_itself() -> None:
    candidates = base(("a", 1.0, {"kg_node_ids": ["x"], "kg_node_community": [1]}), ("b", 0.5, {}))
    assert Expander().expand(candidates).bonuses == {}


def test_neighbours_link_in_both_directions() -> None:
    for first, second in (
        ({"kg_node_ids": ["x"]}, {"neighbor_node_ids": ["x"]}),
        ({"neighbor_node_ids": ["x"]}, {"kg_node_ids": ["x"]}),
    ):
        bonuses = Expander().expand(base(("a", 1.0, first), ("b", 0.5, second))).bonuses
        assert set(bonuses) == {"a", "b"}
    shared_neighbour = base(
        ("a", 1.0, {"neighbor_node_ids": ["x"]}), ("b", 0.5, {"neighbor_node_ids": ["x"]})
    )
    assert Expander().expand(shared_neighbour).bonuses == {}


def test_capped_values_keep_the_order_of_the_base() -> None:
    nodes = {"kg_node_ids": ["x"], "kg_node_centrality": [9.0]}
    candidates = base(("z", 1.0, {}), ("y", 0.9, nodes), ("a", 0.8, nodes), ("b", 0.7, nodes))
    assert order(Expander(), candidates) == ["z", "y", "a", "b"]
    assert {one.score for one in Expander().expand(candidates).base} == {1.0}


def test_without_columns_the_same_candidates_come_back() -> None:
    candidates = base(("b", 1.0, {}), ("a", 1.0, {}), ("c", 0.2, {"kg_node_ids": None}))
    expansion = Expander().expand(candidates)
    assert expansion.bonuses == {}
    assert all(new is old for new, old in zip(expansion.base, candidates, strict=True))
    assert Expander().expand([]).base == ()


def test_weights_of_zero_are_a_no_op() -> None:
    candidates = base(("a", 1.0, {"kg_node_ids": ["x"]}), ("b", 0.9, {"kg_node_ids": ["x"]}))
    expansion = Expander(5, 0.0, 0.0, 0.0).expand(candidates)
    assert expansion.base == tuple(candidates)


def test_a_malformed_column_is_loud() -> None:
    with pytest.raises(ColumnError):
        Expander().expand(base(("a", 1.0, {"kg_node_ids": "x"})))


NODES = st.lists(st.sampled_from("uvwxyz"), max_size=6, unique=True)


@st.composite
def bases(draw: st.DrawFn) -> list[Candidate]:
    scores = sorted(draw(st.lists(st.floats(0.01, 1.0), max_size=25)), reverse=True)
    rows = []
    for place, score in enumerate(scores):
        nodes = draw(NODES)
        metadata = {
            "kg_node_ids": nodes,
            "neighbor_node_ids": draw(NODES),
            "kg_node_community": [draw(st.integers(0, 3)) for _ in nodes],
            "kg_node_centrality": [draw(st.floats(0, 5)) for _ in nodes],
        }
        rows.append(Candidate(f"d{place}", score / scores[0], "", metadata))
    return rows


@given(candidates=bases(), anchors=st.integers(0, 30), weight=st.floats(0, 10))
def test_the_head_is_never_passed_by_any_number_of_links(
    candidates: list[Candidate], anchors: int, weight: float
) -> None:
    expansion = Expander(anchors, weight, weight, weight).expand(candidates)
    assert {one.id for one in expansion.base} == {one.id for one in candidates}
    if candidates:
        assert expansion.base[0].id == candidates[0].id
        assert expansion.base[0].score == 1.0
    scores = [one.score or 0.0 for one in expansion.base]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score <= 1.0 for score in scores)


@given(candidates=bases())
def test_ties_keep_the_order_of_the_base(candidates: list[Candidate]) -> None:
    place = {one.id: number for number, one in enumerate(candidates)}
    after = Expander().expand(candidates).base
    for first, second in itertools.pairwise(after):
        assert first.score != second.score or place[first.id] < place[second.id]
