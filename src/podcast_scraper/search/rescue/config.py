"""The strict configuration of graph rescue: 24 keys, their defaults, and what contradicts what."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Final, get_args

from podcast_scraper.errors import ConfigurationError
from podcast_scraper.search.rescue.lexicon import RELATION_CUES
from podcast_scraper.search.tail import GraphMode

if TYPE_CHECKING:
    from collections.abc import Mapping

GRAPH_MODES: Final[tuple[str, ...]] = get_args(GraphMode)
SELECTORS: Final = ("packed", "coe", "none")
FILLS: Final = ("backfill", "stop")
DEFAULT_BUDGETS: Final[Mapping[str, int | None]] = {"packed": 10_000, "coe": 16_000, "none": None}


@dataclass(frozen=True, slots=True, kw_only=True)
class RescueConfig:
    """Checked at construction: an unknown key, a wrong value or a contradiction never runs.

    ``budget`` is in tokens; None takes the selector's own default. Weights of the expander are in
    units of a base whose best score is 1.0.
    """

    graph_mode: str = "auto"
    selector: str = "packed"
    budget: int | None = None
    pool_k: int = 100
    select_pool_k: int = 100
    seed_top_k: int = 5
    hop_weight: float = 0.05
    community_weight: float = 0.01
    centrality_weight: float = 0.05
    seed_docs_k: int = 5
    seed_node_cap: int = 32
    rescue_cap: int = 50
    pack_centrality_weight: float = 0.25
    similarity_key: str = "redundancy"
    fill: str = "backfill"
    rank_score_k: int = 60
    relation_cues: tuple[str, ...] = RELATION_CUES
    entity_heavy_seeds: int = 2
    agreement_k: int = 10
    low_agreement: float = 0.30
    high_agreement: float = 0.50
    low_confidence: float = 0.60
    navigational_max_words: int = 6
    hyperedge_kv_path: str | None = None

    def __post_init__(self) -> None:
        for key, choices in (
            ("graph_mode", GRAPH_MODES),
            ("selector", SELECTORS),
            ("fill", FILLS),
        ):
            _one_of(key, getattr(self, key), choices)
        for key, least in _WHOLE.items():
            _whole(key, getattr(self, key), least)
        for key, (low, high) in _REAL.items():
            _real(key, getattr(self, key), low, high)
        for key in ("similarity_key", "hyperedge_kv_path"):
            _text(key, getattr(self, key), optional=key == "hyperedge_kv_path")
        object.__setattr__(self, "relation_cues", _cues(self.relation_cues))
        self._contradictions()

    @property
    def effective_budget(self) -> int | None:
        """The budget in force: the configured one, else the selector's own."""
        return self.budget if self.budget is not None else DEFAULT_BUDGETS[self.selector]

    def _contradictions(self) -> None:
        if self.budget is not None:
            _whole("budget", self.budget, 0)
            check_spends(self.selector)
        if self.low_agreement > self.high_agreement:
            raise ConfigurationError(
                f"low_agreement {self.low_agreement} is above high_agreement"
                f" {self.high_agreement}, so that one query would both disagree and agree.",
                mend="Give low_agreement ≤ high_agreement.",
                subject=self.low_agreement,
            )
        if self.agreement_k > self.pool_k:
            raise ConfigurationError(
                f"agreement_k {self.agreement_k} is deeper than pool_k {self.pool_k}.",
                mend="Give agreement_k ≤ pool_k.",
                subject=self.agreement_k,
            )


KEYS: Final = tuple(field.name for field in fields(RescueConfig))

_WHOLE: Final[Mapping[str, int]] = {
    "pool_k": 1,
    "select_pool_k": 0,
    "seed_top_k": 0,
    "seed_docs_k": 0,
    "seed_node_cap": 0,
    "rescue_cap": 0,
    "rank_score_k": 1,
    "entity_heavy_seeds": 1,
    "agreement_k": 1,
    "navigational_max_words": 0,
}
_UNBOUNDED: Final = math.inf
_REAL: Final[Mapping[str, tuple[float, float]]] = {
    "hop_weight": (0.0, _UNBOUNDED),
    "community_weight": (0.0, _UNBOUNDED),
    "centrality_weight": (0.0, _UNBOUNDED),
    "pack_centrality_weight": (0.0, _UNBOUNDED),
    "low_agreement": (0.0, 1.0),
    "high_agreement": (0.0, 1.0),
    "low_confidence": (-1.0, 1.0),
}


def parse_config(config: RescueConfig | Mapping[str, Any]) -> RescueConfig:
    """Return the configuration of a mapping; ConfigurationError names every unknown key."""
    if isinstance(config, RescueConfig):
        return config
    unknown = sorted(set(config) - set(KEYS))
    if unknown:
        raise ConfigurationError(
            f"Unknown configuration keys: {', '.join(map(repr, unknown))}.",
            mend=f"The keys are: {', '.join(KEYS)}.",
            subject=unknown,
        )
    return RescueConfig(**config)


def check_spends(selector: str) -> None:
    """Raise where a budget is given to the selector that spends none."""
    if selector == "none":
        raise ConfigurationError(
            "Selector 'none' returns the whole union and spends no budget.",
            mend="Leave the budget out, or choose 'packed' or 'coe'.",
            subject="budget",
        )


def _one_of(key: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise _wrong(key, value, f"one of {', '.join(choices)}")


def _whole(key: str, value: object, least: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise _wrong(key, value, f"a whole number of at least {least}")


def _real(key: str, value: object, low: float, high: float) -> None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not math.isfinite(value) or not low <= value <= high:  # type: ignore[arg-type, operator]
        bounds = f"at least {low:g}" if high == _UNBOUNDED else f"between {low:g} and {high:g}"
        raise _wrong(key, value, f"a finite number {bounds}")


def _text(key: str, value: object, *, optional: bool) -> None:
    if value is None and optional:
        return
    if not isinstance(value, str) or not value:
        raise _wrong(key, value, "a non-empty string")


def _cues(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(cue, str) for cue in value):
        raise _wrong("relation_cues", value, "a list of words")
    return tuple(value)


def _wrong(key: str, value: object, wanted: str) -> ConfigurationError:
    return ConfigurationError(
        f"{key} is {value!r}.", mend=f"Give {wanted}.", subject={"key": key, "value": value}
    )
