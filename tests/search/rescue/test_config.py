"""The configuration: the pinned table, and everything that is refused."""

from __future__ import annotations

import dataclasses

import pytest

from podcast_scraper.errors import ConfigurationError
from podcast_scraper.search.rescue.config import KEYS, RescueConfig, parse_config
from podcast_scraper.search.rescue.lexicon import RELATION_CUES

# The measured defaults of the reference configuration, key by key.
TABLE = {
    "graph_mode": "auto",
    "selector": "packed",
    "budget": None,
    "pool_k": 100,
    "select_pool_k": 100,
    "seed_top_k": 5,
    "hop_weight": 0.05,
    "community_weight": 0.01,
    "centrality_weight": 0.05,
    "seed_docs_k": 5,
    "seed_node_cap": 32,
    "rescue_cap": 50,
    "pack_centrality_weight": 0.25,
    "similarity_key": "redundancy",
    "fill": "backfill",
    "rank_score_k": 60,
    "relation_cues": RELATION_CUES,
    "entity_heavy_seeds": 2,
    "agreement_k": 10,
    "low_agreement": 0.30,
    "high_agreement": 0.50,
    "low_confidence": 0.60,
    "navigational_max_words": 6,
    "hyperedge_kv_path": None,
}


def test_the_24_keys_and_their_defaults() -> None:
    assert dataclasses.asdict(parse_config({})) == TABLE
    assert set(KEYS) == set(TABLE)
    assert len(KEYS) == 24


def test_every_key_can_be_given() -> None:
    assert parse_config(TABLE) == RescueConfig()


@pytest.mark.parametrize(("selector", "budget"), [("packed", 10_000), ("coe", 16_000)])
def test_a_selector_has_its_own_budget(selector: str, budget: int) -> None:
    assert parse_config({"selector": selector}).effective_budget == budget
    assert parse_config({"selector": selector, "budget": 7}).effective_budget == 7


def test_none_has_no_budget() -> None:
    assert parse_config({"selector": "none"}).effective_budget is None


def test_unknown_keys_are_all_named() -> None:
    with pytest.raises(ConfigurationError, match="'grph_mode', 'hops'") as caught:
        parse_config({"grph_mode": "auto", "hops": 3, "pool_k": 10})
    assert "graph_mode" in (caught.value.mend or "")


@pytest.mark.parametrize(
    ("config", "mend"),
    [
        ({"graph_mode": "on"}, "off, auto, force"),
        ({"selector": "knapsack"}, "packed, coe, none"),
        ({"fill": "rest"}, "backfill, stop"),
        ({"pool_k": 0}, "at least 1"),
        ({"pool_k": 10.0}, "whole number"),
        ({"pool_k": True}, "whole number"),
        ({"rescue_cap": -1}, "at least 0"),
        ({"budget": -1}, "at least 0"),
        ({"budget": "10k"}, "whole number"),
        ({"hop_weight": -0.1}, "at least 0"),
        ({"hop_weight": float("nan")}, "finite"),
        ({"hop_weight": float("inf")}, "finite"),
        ({"centrality_weight": "much"}, "finite number"),
        ({"low_agreement": 1.5}, "between 0 and 1"),
        ({"low_confidence": 2}, "between -1 and 1"),
        ({"low_agreement": 0.6}, "low_agreement ≤ high_agreement"),
        ({"agreement_k": 200}, "agreement_k ≤ pool_k"),
        ({"selector": "none", "budget": 100}, "Leave the budget out"),
        ({"similarity_key": ""}, "non-empty string"),
        ({"hyperedge_kv_path": 3}, "non-empty string"),
        ({"relation_cues": "why"}, "list of words"),
        ({"relation_cues": [1]}, "list of words"),
    ],
)
def test_wrong_values_and_contradictions_name_the_mend(
    config: dict[str, object], mend: str
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse_config(config)
    assert mend in (caught.value.mend or "")
