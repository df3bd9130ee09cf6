"""The ``retrieval:`` block of ``podcast-scraper.yaml``, and the component's keys that it gives."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final

from podcast_scraper.errors import ConfigurationError
from podcast_scraper.search.rescue.config import DEFAULT_BUDGETS, RescueConfig, parse_config

if TYPE_CHECKING:
    from collections.abc import Mapping

# Section → name in the block → key of the component. The two budgets are mapped by hand: the
# component takes the one of the selector in force.
SECTIONS: Final[Mapping[str, Mapping[str, str]]] = {
    "graph": {
        "mode": "graph_mode",
        "seed_docs_k": "seed_docs_k",
        "seed_node_cap": "seed_node_cap",
        "rescue_cap": "rescue_cap",
    },
    "expand": {
        "seed_top_k": "seed_top_k",
        "hop_weight": "hop_weight",
        "community_weight": "community_weight",
        "centrality_weight": "centrality_weight",
    },
    "select": {
        "selector": "selector",
        "packed_budget": "budget",
        "coe_budget": "budget",
        "pack_centrality_weight": "pack_centrality_weight",
    },
    "gate": {
        "relation_cues": "relation_cues",
        "entity_heavy_seeds": "entity_heavy_seeds",
        "agreement_k": "agreement_k",
        "low_agreement": "low_agreement",
        "high_agreement": "high_agreement",
        "low_confidence": "low_confidence",
        "navigational_max_words": "navigational_max_words",
    },
    "advanced": {
        "pool_k": "pool_k",
        "select_pool_k": "select_pool_k",
        "rank_score_k": "rank_score_k",
        "similarity_key": "similarity_key",
        "fill": "fill",
        "hyperedge_kv_path": "hyperedge_kv_path",
    },
}
MAIN_SECTIONS: Final = ("graph", "expand", "select")
"""What ``init`` always writes; the other sections only hold what was asked for."""

_DEFAULTS: Final = {
    field.name: getattr(RescueConfig(), field.name) for field in fields(RescueConfig)
}


def default_of(section: str, name: str) -> Any:
    """Return the default of one entry of the block."""
    if name.endswith("_budget"):
        return DEFAULT_BUDGETS[name.removesuffix("_budget")]
    return _DEFAULTS[SECTIONS[section][name]]


def full_block() -> dict[str, dict[str, Any]]:
    """Return the main sections with their defaults, in the order of the file."""
    return {
        section: {name: default_of(section, name) for name in SECTIONS[section]}
        for section in MAIN_SECTIONS
    }


def rescue_config(block: Mapping[str, Any] | None) -> dict[str, Any]:
    """Map a ``retrieval:`` block to keys of :class:`RescueConfig`; None or ``{}`` gives ``{}``.

    Only the budget of the selector in force is passed on, none for ``none``. ConfigurationError
    names every unknown section and entry, and whatever the component refuses.
    """
    block = {} if block is None else block
    _check_names(block)
    config: dict[str, Any] = {}
    for section, names in SECTIONS.items():
        for name, value in (block.get(section) or {}).items():
            if not name.endswith("_budget"):
                config[names[name]] = value
    select = block.get("select") or {}
    selector = config.get("selector", _DEFAULTS["selector"])
    for owner in ("packed", "coe"):
        budget = select.get(f"{owner}_budget")
        if budget is None:
            continue
        # A budget that is not in force is checked all the same: switching must not surprise.
        RescueConfig(selector=owner, budget=budget)
        if owner == selector:
            config["budget"] = budget
    parse_config(config)
    return config


def _check_names(block: object) -> None:
    if not isinstance(block, dict):
        raise ConfigurationError(
            f"The retrieval block is {block!r}.",
            mend=f"Give the sections {', '.join(SECTIONS)}.",
            subject="retrieval",
        )
    unknown = [str(section) for section in block if section not in SECTIONS]
    for section in SECTIONS:
        entries = block.get(section)
        if entries is None:
            continue
        if not isinstance(entries, dict):
            raise ConfigurationError(
                f"Section retrieval.{section} is {entries!r}.",
                mend=f"Give some of: {', '.join(SECTIONS[section])}.",
                subject=section,
            )
        unknown += [f"{section}.{name}" for name in entries if name not in SECTIONS[section]]
    if unknown:
        known = "; ".join(f"{name}: {', '.join(names)}" for name, names in SECTIONS.items())
        raise ConfigurationError(
            f"Unknown in the retrieval block: {', '.join(unknown)}.",
            mend=f"There are: {known}.",
            subject=unknown,
        )
