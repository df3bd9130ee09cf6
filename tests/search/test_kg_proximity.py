"""KG proximity: right when it is called, and called by nothing that a user can reach."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

import networkx
import pytest
from hypothesis import given, settings

import podcast_scraper
from podcast_scraper.search.backend import Filters
from podcast_scraper.search.corpus_graph import CorpusGraph
from podcast_scraper.search.kg_proximity import KGProximitySearch
from tests.search.graph_corpus import EpisodeDraft
from tests.search.test_corpus_graph import corpora, triples

if TYPE_CHECKING:
    from podcast_scraper.artifacts.records import EpisodeRecord


def chain() -> CorpusGraph:
    one = EpisodeDraft("e1", "a", "2024-01-01")
    ada, tea = one.person("Ada"), one.topic("Tea")
    one.insight("said", "Green tea calms.", about=[tea], by=[ada])
    one.insight("heard", "Ada was there.", mentions=[ada])
    one.insight("beside", "It rained.")
    two = EpisodeDraft("e2", "b", "2024-06-01")
    two.insight("far", "Tea elsewhere.", about=[two.topic("Tea")])
    return CorpusGraph.from_records([one.record(), two.record()])


def found(filters: Filters | None = None, *, hops: int = 3, k: int = 20) -> list[str]:
    search = KGProximitySearch(chain(), max_hops=hops)
    return [r.doc_id for r in search.search("person:ada", k, filters)]


def test_order_decay_and_ranks() -> None:
    results = KGProximitySearch(chain()).search("person:ada")
    assert [(r.doc_id, r.score, r.rank) for r in results] == [
        ("insight:heard", 1 / 2, 1),
        ("insight:beside", 1 / 3, 2),
        ("insight:said", 1 / 3, 3),
        ("insight:far", 1 / 4, 4),
    ]
    assert {r.signal for r in results} == {"kg"}
    assert {r.source_tier for r in results} == {"insight"}
    assert results[0].payload["text"] == "Ada was there."


@settings(max_examples=30)
@given(corpora())
def test_scores_are_inverse_hops_of_an_independent_search(records: list[EpisodeRecord]) -> None:
    graph = CorpusGraph.from_records(records)
    oracle: networkx.Graph[str] = networkx.Graph()
    oracle.add_edges_from((s, t) for _, s, t in triples(records))
    for person in graph.nodes_by_type("person"):
        hops = networkx.single_source_shortest_path_length(oracle, person, cutoff=3)
        expected = {n: 1 / (h + 1) for n, h in hops.items() if n.startswith("insight:")}
        results = KGProximitySearch(graph).search(person, k=1000)
        assert {r.doc_id: r.score for r in results} == expected
        assert [r.rank for r in results] == list(range(1, len(results) + 1))
        assert [(-r.score, r.doc_id) for r in results] == sorted(
            (-r.score, r.doc_id) for r in results
        )


def test_hops_and_k_bound_the_list() -> None:
    assert found(hops=0) == []
    assert found(hops=1) == ["insight:heard"]
    assert found(k=2) == ["insight:heard", "insight:beside"]
    assert found(k=0) == []
    assert found(k=-5) == []


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (Filters(shows=("podcast:b",)), ["insight:far"]),
        (Filters(episodes=("e2",)), ["insight:far"]),
        (Filters(persons=("person:ada",)), ["insight:said"]),
        (Filters(mentions=("person:ada",)), ["insight:heard"]),
        (Filters(topics=("topic:tea", "topic:x")), ["insight:far", "insight:said"]),
        (Filters(insight_types=("question",)), []),
        (Filters(since="2024-02-01"), ["insight:far"]),
        (Filters(until="2024-01-01", topics=("topic:tea",)), ["insight:said"]),
        (Filters(phrases=("GREEN tea",)), ["insight:said"]),
        (Filters(excluded=("tea",), shows=("podcast:a",)), ["insight:beside", "insight:heard"]),
    ],
)
def test_filters(filters: Filters, expected: list[str]) -> None:
    assert sorted(found(filters, hops=4)) == expected


def test_an_unresolved_entity_is_an_empty_list() -> None:
    assert KGProximitySearch(chain()).search("person:nobody") == []


def test_no_production_module_reaches_it() -> None:
    """Only the evaluation may import the module or fill the slot that retrieval has for it."""
    root = Path(podcast_scraper.__file__).parent
    offenders = []
    for path in root.rglob("*.py"):
        parts = path.relative_to(root).parts
        if parts[0] == "evaluate" or path.name == "kg_proximity.py":
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            names = []
            if isinstance(node, ast.ImportFrom):
                names = [f"{node.module}.{alias.name}" for alias in node.names]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.Call):
                names = [f"argument {k.arg}" for k in node.keywords if k.arg == "kg_proximity"]
            offenders += [f"{path}: {name}" for name in names if "kg_proximity" in name.lower()]
    assert offenders == []
