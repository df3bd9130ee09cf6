"""Spreading activation: hand-computed values, a networkx oracle, and the caps."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podcast_scraper.errors import ColumnError, ConfigurationError
from podcast_scraper.search.rescue import traversal
from podcast_scraper.search.rescue.activation import EDGE_WEIGHTS, SpreadOptions, TypedEdge
from podcast_scraper.search.rescue.traversal import Traversal
from tests.search.rescue.graphs import DOC_NODES, EDGE_LISTS, NODE_NAMES, retriever

if TYPE_CHECKING:
    import random

    from podcast_scraper.search.rescue.records import Candidate


def damping(degree: int) -> float:
    return 1 / math.log2(2 + degree)


def test_two_hops_by_hand() -> None:
    ranking = retriever().search({"person:ada": 1.0}, 10)
    # person:ada has degree 2, so each of its insights gets 1 · 0.5 / log2(4) = 0.25.
    insight = 0.5 * damping(2)
    assert insight == 0.25
    # insight:1 and insight:2 have degree 2: their topics get 0.25 · 0.5 / 2 = 0.0625.
    topic = insight * 0.5 * damping(2)
    one, two = damping(1), damping(2)  # 1 / log2(2 + df) of nodes on one and on two documents
    expected = {
        # insight:1 (df 1), person:ada (df 2), topic:chess (df 2)
        "d1": insight * one + 1.0 * two + topic * two,
        # insight:2 (df 1), person:ada (df 2), topic:go (df 1)
        "d2": insight * one + 1.0 * two + topic * one,
        # topic:chess alone: insight:3 is three hops away
        "d3": topic * two,
    }
    assert dict(ranking.hits) == pytest.approx(expected)
    assert [hit for hit, _ in ranking.hits] == ["d2", "d1", "d3"]
    assert ranking.path_of("d3") == ("person:ada", "insight:1", "topic:chess")
    assert ranking.path_of("d1") == ("person:ada",)


def test_structural_edges_are_not_walked() -> None:
    assert retriever().search({"episode:1": 1.0}, 10).hits == ()


def test_the_best_activation_of_a_node_is_kept() -> None:
    # Two seeds meet in m: 0.5 · 0.5 / log2(3) from b stays below 1.0 · 0.5 / log2(3) from a.
    edges = [("a", "ABOUT", "m", 1.0), ("b", "ABOUT", "m", 1.0)]
    found = Traversal.over(edges, {"d": ["m"]}).search({"a": 1.0, "b": 0.5}, 1).hits
    assert found[0][1] == pytest.approx(0.5 * damping(1) * damping(1))


def test_of_parallel_edges_the_heaviest_counts_and_loops_do_not() -> None:
    edges = [
        ("a", "ABOUT", "m", 0.5),
        ("m", "STATES", "a", 2.0),
        ("a", "ABOUT", "a", 9.0),
        ("a", "NEAR", "m", 50.0),
    ]
    found = Traversal.over(edges, {"d": ["m"]}).search({"a": 1.0}, 1).hits
    assert found[0][1] == pytest.approx(2.0 * 0.5 * damping(1) * damping(1))


def test_unknown_seeds_and_no_seeds_find_nothing() -> None:
    assert retriever().search({"person:nobody": 1.0}, 10).hits == ()
    assert retriever().search({}, 10).hits == ()
    assert Traversal.over([], {}).search({"a": 1.0}, 10).hits == ()


def test_allowed_restricts_before_the_cut() -> None:
    ranking = retriever().search({"person:ada": 1.0}, 1, allowed={"d3", "unknown"})
    assert [hit for hit, _ in ranking.hits] == ["d3"]


def test_fan_out_keeps_the_heaviest_then_the_least_connected() -> None:
    edges = [
        ("hub", "ABOUT", "heavy", 2.0),
        ("hub", "ABOUT", "rare", 1.0),
        ("hub", "ABOUT", "busy", 1.0),
        ("busy", "ABOUT", "elsewhere", 1.0),
    ]
    nodes = {name: [name] for name in ("heavy", "rare", "busy")}
    options = SpreadOptions(max_hops=1, fan_out=2)
    found = Traversal.over(edges, nodes, options=options).search({"hub": 1.0}, 10).hits
    assert [hit for hit, _ in found] == ["heavy", "rare"]
    # The cut does not change the damping: the hub has three neighbours.
    assert found[1][1] == pytest.approx(0.5 * damping(3) * damping(1))


def test_the_frontier_keeps_the_most_active() -> None:
    edges = [
        ("s", "ABOUT", "strong", 2.0),
        ("s", "ABOUT", "weak", 1.0),
        ("strong", "ABOUT", "near", 1.0),
        ("weak", "ABOUT", "far", 1.0),
    ]
    nodes = {name: [name] for name in ("near", "far")}
    options = SpreadOptions(frontier=1)
    found = Traversal.over(edges, nodes, options=options).search({"s": 1.0}, 10).hits
    assert [hit for hit, _ in found] == ["near"]


@pytest.mark.parametrize("weight", [float("nan"), float("inf"), -1.0])
def test_a_wrong_edge_weight_is_loud(weight: float) -> None:
    with pytest.raises(ColumnError, match="weight of edge a ABOUT b"):
        Traversal.over([("a", "ABOUT", "b", weight)], {})


@pytest.mark.parametrize(
    "options", [{"max_hops": 0}, {"fan_out": 1.5}, {"frontier": True}, {"decay": 0}, {"decay": 2}]
)
def test_wrong_bounds_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(ConfigurationError):
        SpreadOptions(**options)  # type: ignore[arg-type]


def oracle(
    edges: list[TypedEdge], documents: list[Candidate], seeds: dict[str, float]
) -> dict[str, float]:
    """The lane on a networkx graph, node by node, without caps."""
    graph = nx.Graph()
    for source, kind, target, own in edges:
        weight = own * EDGE_WEIGHTS.get(kind, 0.0)
        if weight > 0 and source != target:
            known = graph.get_edge_data(source, target, {"weight": 0.0})["weight"]
            graph.add_edge(source, target, weight=max(known, weight))
    best = {node: value for node, value in seeds.items() if node in graph}
    frontier = dict(best)
    for _ in range(2):
        reached: dict[str, float] = {}
        for node, value in frontier.items():
            for neighbour in graph[node]:
                given = value * 0.5 * damping(graph.degree(node)) * graph[node][neighbour]["weight"]
                if given > best.get(neighbour, 0.0):
                    reached[neighbour] = max(reached.get(neighbour, 0.0), given)
        best.update(reached)
        frontier = reached
    nodes_of = {one.id: set(one.metadata["kg_node_ids"]) for one in documents}
    best |= {node: value for node, value in seeds.items() if node not in graph}
    frequency = {node: sum(node in nodes for nodes in nodes_of.values()) for node in NODE_NAMES}
    scores = {
        doc: sum(best.get(node, 0.0) * damping(frequency[node]) for node in nodes)
        for doc, nodes in nodes_of.items()
    }
    return {doc: score for doc, score in scores.items() if score > 0}


SEEDS = st.dictionaries(st.sampled_from(NODE_NAMES), st.sampled_from([0.5, 1.0]), max_size=4)


@settings(max_examples=60)
@given(edges=EDGE_LISTS, documents=DOC_NODES, seeds=SEEDS)
def test_equals_a_walk_over_networkx(
    edges: list[TypedEdge], documents: list[Candidate], seeds: dict[str, float]
) -> None:
    nodes_of = {one.id: one.metadata["kg_node_ids"] for one in documents}
    found = dict(Traversal.over(edges, nodes_of).search(seeds, 100).hits)
    assert found == pytest.approx(oracle(edges, documents, seeds))


@settings(max_examples=40)
@given(edges=EDGE_LISTS, documents=DOC_NODES, seeds=SEEDS, order=st.randoms(use_true_random=False))
def test_the_order_of_inputs_is_nothing(
    edges: list[TypedEdge],
    documents: list[Candidate],
    seeds: dict[str, float],
    order: random.Random,
) -> None:
    nodes_of = {one.id: one.metadata["kg_node_ids"] for one in documents}
    before = Traversal.over(edges, nodes_of).search(seeds, 5)
    order.shuffle(edges)
    rows = list(nodes_of.items())
    order.shuffle(rows)
    items = list(seeds.items())
    order.shuffle(items)
    after = Traversal.over(edges, dict(rows)).search(dict(items), 5)
    assert after.hits == before.hits
    assert [after.path_of(hit) for hit, _ in after.hits] == [
        before.path_of(hit) for hit, _ in before.hits
    ]
    for hit, _ in before.hits:
        path = before.path_of(hit)
        assert path[0] in seeds
        assert path[-1] in nodes_of[hit]
        assert len(path) <= 3


@settings(max_examples=60)
@given(edges=EDGE_LISTS, documents=DOC_NODES, seeds=SEEDS, budget=st.integers(1, 6))
def test_a_budget_may_lose_documents_and_never_misstates_a_score(
    edges: list[TypedEdge], documents: list[Candidate], seeds: dict[str, float], budget: int
) -> None:
    nodes_of = {one.id: one.metadata["kg_node_ids"] for one in documents}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(traversal, "BUDGET", budget)
        found = dict(Traversal.over(edges, nodes_of).search(seeds, 100).hits)
        allowed = sorted(nodes_of)[:3]
        restricted = dict(Traversal.over(edges, nodes_of).search(seeds, 9, allowed=allowed).hits)
    expected = oracle(edges, documents, seeds)
    assert found == pytest.approx({doc: expected[doc] for doc in found})
    assert bool(found) == bool(expected)
    # A filter that leaves few documents weighs each of them.
    assert restricted == pytest.approx({d: v for d, v in expected.items() if d in allowed})
