"""The YAML block: every entry lands on a key of the component, typos are errors."""

from __future__ import annotations

import pytest
import yaml

from podcast_scraper.errors import ConfigurationError
from podcast_scraper.search.rescue import GraphRescueRetrieval
from podcast_scraper.search.rescue.config import KEYS, RescueConfig
from podcast_scraper.search.rescue.settings import SECTIONS, full_block, rescue_config
from tests.search.rescue.graphs import engine

BLOCK = """
graph:  {mode: auto, seed_docs_k: 5, seed_node_cap: 32, rescue_cap: 50}
expand: {seed_top_k: 5, hop_weight: 0.05, community_weight: 0.01, centrality_weight: 0.05}
select: {selector: packed, packed_budget: 10000, coe_budget: 16000, pack_centrality_weight: 0.25}
"""


def test_the_full_block_with_its_defaults() -> None:
    assert full_block() == yaml.safe_load(BLOCK)


def test_every_entry_is_a_key_of_the_component_and_every_key_has_an_entry() -> None:
    mapped = {key for names in SECTIONS.values() for key in names.values()}
    assert mapped == set(KEYS)


def test_the_defaults_construct_the_component() -> None:
    config = rescue_config(full_block())
    pipeline = GraphRescueRetrieval(config, bm25=engine())
    assert pipeline.config == RescueConfig(budget=10_000)
    assert rescue_config(None) == rescue_config({}) == {}


@pytest.mark.parametrize(("selector", "budget"), [("packed", 11), ("coe", 22), ("none", None)])
def test_only_the_budget_in_force_is_passed(selector: str, budget: int | None) -> None:
    block = {"select": {"selector": selector, "packed_budget": 11, "coe_budget": 22}}
    assert rescue_config(block).get("budget") == budget


def test_every_entry_of_the_optional_sections_is_read() -> None:
    config = rescue_config(
        {
            "gate": {"relation_cues": ["why"], "low_confidence": 0.4},
            "advanced": {"fill": "stop", "pool_k": 50},
            "graph": None,
        }
    )
    assert config == {"relation_cues": ["why"], "low_confidence": 0.4, "fill": "stop", "pool_k": 50}


@pytest.mark.parametrize(
    ("block", "names"),
    [
        ({"grph": {}}, "grph"),
        (
            {"graph": {"mod": "auto"}, "select": {"packedbudget": 3}},
            "graph.mod, select.packedbudget",
        ),
        ({"graph": "auto"}, "retrieval.graph"),
        ("auto", "retrieval block"),
        ({"select": {"coe_budget": -1}}, "budget"),
        ({"select": {"selector": "all"}}, "selector"),
        ({"gate": {"low_agreement": 0.9}}, "low_agreement"),
    ],
)
def test_typos_and_wrong_values_are_errors(block: object, names: str) -> None:
    with pytest.raises(ConfigurationError, match=names):
        rescue_config(block)  # type: ignore[arg-type]
