"""Node properties in one canonical form: the same keys and types whatever version wrote them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from podcast_scraper.artifacts.values import (
    first_name,
    integer,
    name_of,
    names_in,
    number,
    shallow,
    text_of,
)
from podcast_scraper.identity.canonical import bare_episode_id

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Repair = Callable[[str, str], None]

INSIGHT_TYPES: Final = (
    "claim",
    "recommendation",
    "observation",
    "question",
    "fact",
    "opinion",
    "unknown",
)
_NAME_KEYS: Final = ("name", "canonical_name", "label", "display_name")
_TIME_KEYS: Final = {"start_ms": "timestamp_start_ms", "end_ms": "timestamp_end_ms"}


def canonical_properties(node_type: str, raw: Mapping[str, Any], repair: Repair) -> dict[str, Any]:
    """Return the properties of a node of a canonical type; ``repair(kind, detail)`` is told of
    what had to be changed. Null values are left out, unknown keys kept.
    """
    properties: dict[str, Any] = {}
    for key, value in raw.items():
        if not shallow(value):
            repair("deep property", f"{key!r} is nested too deeply and was left out")
        elif value is not None:
            properties[key] = value
    if node_type in ("person", "org", "topic"):
        _name(properties, "label" if node_type == "topic" else "name")
    elif node_type == "insight":
        _insight(properties, repair)
    elif node_type == "quote":
        _quote(properties)
    elif node_type in ("episode", "podcast") and "title" not in properties:
        _put(properties, "title", first_name(properties, *_NAME_KEYS))
    return properties


def _put(properties: dict[str, Any], key: str, value: object) -> None:
    if value is None:
        properties.pop(key, None)
    else:
        properties[key] = value


def _name(properties: dict[str, Any], key: str) -> None:
    """One name under ``key``; what else names the thing becomes an alias."""
    ordered = (key, *_NAME_KEYS)
    name = first_name(properties, *ordered)
    further = [found for other in ordered if (found := name_of(properties.pop(other, None)))]
    stated = names_in(properties.pop("aliases", None))
    aliases = [alias for alias in dict.fromkeys([*stated, *further]) if alias != name]
    _put(properties, key, name)
    if aliases:
        properties["aliases"] = aliases
    if key == "name":
        for kind in ("kind", "entity_kind"):  # the type says it now
            properties.pop(kind, None)
        role = name_of(properties.get("role"))
        _put(properties, "role", role.lower() if role else None)


def _insight(properties: dict[str, Any], repair: Repair) -> None:
    properties["text"] = text_of(properties.get("text")) or ""
    if not properties["text"]:
        repair("insight without text", "the insight was kept with an empty text")
    given = (name_of(properties.get("insight_type")) or "unknown").lower()
    properties["insight_type"] = given if given in INSIGHT_TYPES else "unknown"
    properties["grounded"] = str(properties.get("grounded", False)).lower() in ("true", "1")
    hint = number(properties.get("position_hint"))
    if hint is not None and not 0 <= hint <= 1:
        repair("position_hint", f"{hint} is outside 0..1 and was clamped")
        hint = min(1.0, max(0.0, hint))
    _put(properties, "position_hint", hint)
    _episode(properties)


def _quote(properties: dict[str, Any]) -> None:
    properties["text"] = text_of(properties.get("text")) or ""
    for key in ("char_start", "char_end"):
        _put(properties, key, integer(properties.get(key)))
    for key, raw_key in _TIME_KEYS.items():
        given = properties.pop(raw_key, None)
        _put(properties, key, integer(given if given is not None else properties.get(key)))
    for key in ("transcript_ref", "speaker_id"):
        _put(properties, key, name_of(properties.get(key)))
    _episode(properties)


def _episode(properties: dict[str, Any]) -> None:
    episode = name_of(properties.get("episode_id"))
    _put(properties, "episode_id", bare_episode_id(episode) if episode else None)


def confidence_of(*candidates: object) -> float | None:
    """Return the first finite number, clamped to 0..1, or None."""
    value = next((found for item in candidates if (found := number(item)) is not None), None)
    return None if value is None else min(1.0, max(0.0, value))
