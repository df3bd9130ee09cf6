"""Seeds: names in a query, nodes of the head, and the cap."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podcast_scraper.errors import ConfigurationError
from podcast_scraper.search.rescue.records import Candidate, QueryBundle
from podcast_scraper.search.rescue.seeds import AliasQuerySeeder, harvest_seeds

SEEDER = AliasQuerySeeder(
    {
        "Ada Lovelace": ["person:ada-lovelace"],
        "Ada": ["person:ada-lovelace"],
        "Lovelace": ["person:ada-lovelace"],
        "Lewis": ["person:michael-lewis", "person:c-s-lewis"],
        "AI": ["topic:ai"],
        "AI safety": ["topic:ai-safety"],
    }
)


@pytest.mark.parametrize(
    ("text", "nodes", "mentions"),
    [
        ("Ada Lovelace on AI safety", ["person:ada-lovelace", "topic:ai-safety"], 2),
        ("ada, and AI", ["person:ada-lovelace", "topic:ai"], 2),
        ("what did Lewis say", ["person:c-s-lewis", "person:michael-lewis"], 1),
        ("Ada and Lovelace", ["person:ada-lovelace"], 1),
        ("Adam said", [], 0),
        ("", [], 0),
    ],
)
def test_longest_names_in_order(text: str, nodes: list[str], mentions: int) -> None:
    match = SEEDER.seed(text)
    assert list(match.node_ids) == nodes
    assert match.mentions == mentions


def test_a_bundle_carries_seeds_and_mentions() -> None:
    assert SEEDER.bundle("Lewis on AI") == QueryBundle(
        "Lewis on AI", None, ("person:c-s-lewis", "person:michael-lewis", "topic:ai"), 2
    )


def test_aliases_that_read_alike_are_one_ambiguous_name() -> None:
    seeder = AliasQuerySeeder({"ACME": ["org:acme"], "acme!": ["org:acme-films"], "…": ["x"]})
    assert seeder.seed("Acme") == seeder.seed("acme")
    assert seeder.seed("acme").node_ids == ("org:acme", "org:acme-films")
    assert AliasQuerySeeder({}).seed("anything").mentions == 0


def test_a_bare_string_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="bare string"):
        AliasQuerySeeder({"Ada": "person:ada"})


def test_query_first_then_documents_by_hand() -> None:
    base = [
        Candidate("d1", 1.0, "", {"kg_node_ids": ["a", "b"]}),
        Candidate("d2", 0.9, "", {}),
        Candidate("d3", 0.8, "", {"kg_node_ids": ["c", "q"]}),
    ]
    bundle = QueryBundle("", None, ("q", "b"))
    assert list(harvest_seeds(bundle, base).items()) == [
        ("q", 1.0),
        ("b", 1.0),
        ("a", 0.5),
        ("c", 0.5),
    ]
    assert list(harvest_seeds(bundle, base, cap=3)) == ["q", "b", "a"]
    assert list(harvest_seeds(bundle, base, documents=2)) == ["q", "b", "a"]
    assert harvest_seeds(bundle, base, cap=0) == {}


@given(
    query=st.lists(st.sampled_from("abcdefgh"), max_size=8),
    nodes=st.lists(st.lists(st.sampled_from("abcdefghijkl"), max_size=8), max_size=5),
    cap=st.integers(0, 12),
)
def test_the_cap_never_drops_a_query_seed_for_one_of_a_document(
    query: list[str], nodes: list[list[str]], cap: int
) -> None:
    base = [Candidate(f"d{n}", 1.0, "", {"kg_node_ids": row}) for n, row in enumerate(nodes)]
    seeds = harvest_seeds(QueryBundle("", None, tuple(query)), base, cap=cap)
    assert len(seeds) <= cap
    kept = [node for node, activation in seeds.items() if activation == 1.0]
    assert kept == list(dict.fromkeys(query))[:cap]
    if any(activation == 0.5 for activation in seeds.values()):
        assert kept == list(dict.fromkeys(query))
