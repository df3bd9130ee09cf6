"""Diffusion over hyperedges: hand-computed values, a plain oracle, bridges."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podcast_scraper.search.rescue import hypergraph
from podcast_scraper.search.rescue.hyperedges import Hyperedge, Statement, hyperedges_of
from podcast_scraper.search.rescue.hypergraph import Hypergraph
from tests.search.rescue.graphs import HYPEREDGE_LISTS, HYPEREDGES, NODE_NAMES

if TYPE_CHECKING:
    import random


def test_one_step_by_hand() -> None:
    ranking = Hypergraph.over(HYPEREDGES).search({"person:ada": 1.0}, 10)
    # Before: insight:1 = insight:2 = 1/2, insight:3 = 0, bridge = 0.5 · 1/2.
    one, two, three, bridge = 0.5, 0.5, 0.0, 0.25
    ada = 0.35 + 0.65 * (one + two + bridge) / 3
    chess = 0.65 * (one + three + bridge) / 3
    go = 0.65 * two
    after_one = (ada + chess) / 2
    after_two = (ada + go) / 2
    after_three = (0 + 0 + chess) / 3
    after_bridge = 0.5 * (ada + chess) / 2
    assert dict(ranking.hits) == pytest.approx(
        {
            "d1": after_one + 0.1 * after_bridge,
            "d2": after_two,
            "d3": after_bridge + 0.1 * after_three,
        }
    )
    assert ranking.path_of("d2") == ("person:ada", "insight:2")
    signals = ranking.signals(["d3", "unknown"])
    assert signals.seeds == {"person:ada": 1.0}
    assert [(one.id, one.documents) for one in signals.hyperedges] == [
        ("bridge:topic:chess", ("d3",)),
        ("insight:3", ("d3",)),
    ]
    assert signals.hyperedges[1].activation == pytest.approx(after_three)


def test_a_path_over_a_shared_node() -> None:
    edges = [edge for edge in HYPEREDGES if edge.kind == "insight"]
    ranking = Hypergraph.over(edges).search({"person:ada": 1.0}, 10)
    assert ranking.path_of("d3") == ("person:ada", "insight:1", "topic:chess", "insight:3")


def test_nothing_known_finds_nothing() -> None:
    assert Hypergraph.over(HYPEREDGES).search({"person:nobody": 1.0}, 10).hits == ()
    assert Hypergraph.over(HYPEREDGES).search({}, 10).hits == ()
    assert Hypergraph.over([]).search({"a": 1.0}, 10).hits == ()
    without_documents = Hypergraph.over([Hyperedge("h", "insight", ("a",), ())])
    assert without_documents.search({"a": 1.0}, 10).hits == ()


def test_allowed_restricts_before_the_cut() -> None:
    ranking = Hypergraph.over(HYPEREDGES).search({"person:ada": 1.0}, 1, allowed=["d3"])
    assert [hit for hit, _ in ranking.hits] == ["d3"]


def oracle(edges: list[Hyperedge], seeds: dict[str, float]) -> dict[str, float]:
    weight = {"insight": 1.0, "bridge": 0.5}
    before = {e.id: weight[e.kind] * fmean(seeds.get(n, 0.0) for n in e.nodes) for e in edges}
    nodes = {
        node: 0.35 * seeds.get(node, 0.0)
        + 0.65 * fmean(before[e.id] for e in edges if node in e.nodes)
        for node in {n for e in edges for n in e.nodes}
    }
    after = {e.id: weight[e.kind] * fmean(nodes[n] for n in e.nodes) for e in edges}
    scores = {}
    for document in {d for e in edges for d in e.documents}:
        values = [after[e.id] for e in edges if document in e.documents]
        scores[document] = max(values) + 0.1 * (sum(values) - max(values))
    return {document: score for document, score in scores.items() if score > 0}


SEEDS = st.dictionaries(st.sampled_from(NODE_NAMES), st.sampled_from([0.5, 1.0]), max_size=4)


@settings(max_examples=60)
@given(edges=HYPEREDGE_LISTS, seeds=SEEDS, order=st.randoms(use_true_random=False))
def test_equals_plain_means_in_any_order_of_input(
    edges: list[Hyperedge], seeds: dict[str, float], order: random.Random
) -> None:
    ranking = Hypergraph.over(edges).search(seeds, 100)
    held = {node for edge in edges for node in edge.nodes}
    known = {node: value for node, value in seeds.items() if node in held}
    assert dict(ranking.hits) == pytest.approx(oracle(edges, known) if known else {})
    order.shuffle(edges)
    again = Hypergraph.over(edges).search(seeds, 100)
    assert again.hits == ranking.hits
    for hit, _ in ranking.hits:
        assert again.path_of(hit) == ranking.path_of(hit)
        assert ranking.path_of(hit)[0] in seeds


def test_bridges_join_what_episodes_share_by_hand() -> None:
    statements = [
        Statement("s1", "e1", ("ada", "chess", "chess"), ("d1",)),
        Statement("s2", "e2", ("bob", "chess"), ("d2", "d1")),
        Statement("s3", "e2", ("bob", "go"), ("d3",)),
        Statement("s4", "e3", (), ("d4",)),
    ]
    assert hyperedges_of(statements) == [
        Hyperedge("bridge:chess", "bridge", ("ada", "bob", "chess"), ("d1", "d2")),
        Hyperedge("s1", "insight", ("ada", "chess"), ("d1",)),
        Hyperedge("s2", "insight", ("bob", "chess"), ("d1", "d2")),
        Hyperedge("s3", "insight", ("bob", "go"), ("d3",)),
    ]


def test_an_entity_that_is_everywhere_is_no_bridge() -> None:
    def everywhere(count: int) -> list[str]:
        statements = [Statement(f"s{n}", f"e{n}", ("x",), (f"d{n}",)) for n in range(count)]
        return [edge.id for edge in hyperedges_of(statements) if edge.kind == "bridge"]

    assert everywhere(64) == ["bridge:x"]
    assert everywhere(65) == []


def test_a_bridge_keeps_its_closest_partners() -> None:
    statements = [
        Statement(f"s{n:02}", f"e{n}", ("x", f"p{n:02}", "often"), (f"d{n}",)) for n in range(9)
    ]
    bridge = next(edge for edge in hyperedges_of(statements) if edge.id == "bridge:x")
    assert bridge.nodes == ("often", "p00", "p01", "p02", "p03", "p04", "p05", "x")


@settings(max_examples=60)
@given(edges=HYPEREDGE_LISTS, seeds=SEEDS, budget=st.integers(1, 6))
def test_a_budget_still_finds_and_explains(
    edges: list[Hyperedge], seeds: dict[str, float], budget: int
) -> None:
    whole = Hypergraph.over(edges).search(seeds, 100)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hypergraph, "BUDGET", budget)
        ranking = Hypergraph.over(edges).search(seeds, 100)
        assert {hit for hit, _ in ranking.hits} <= {hit for hit, _ in whole.hits}
        for hit, score in ranking.hits:
            assert score > 0
            path = ranking.path_of(hit)
            assert path[0] in seeds
            assert path[-1] in {edge.id for edge in edges if hit in edge.documents}
