"""Ids and types as the files have them, of every version, to canonical ids (RFC-072)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from podcast_scraper.artifacts.values import first_name, name_of
from podcast_scraper.identity.canonical import (
    ENTITY_TYPES,
    NODE_TYPES,
    canonical_id,
    is_voice,
    strip_layer_prefix,
    type_of,
)
from podcast_scraper.identity.slugify import bounded, slugify

if TYPE_CHECKING:
    from collections.abc import Mapping

_PREFIX_ALIASES: Final = {"organization": "org", "organisation": "org", "show": "podcast"}
_TYPE_NAMES: Final = {
    "speaker": "person",
    "organization": "org",
    "organisation": "org",
    "show": "podcast",
    "concept": "topic",
}
_KINDS: Final = {
    "person": "person",
    "org": "org",
    "organization": "org",
    "organisation": "org",
    "topic": "topic",
}
KNOWN_NODE_TYPES: Final = frozenset(NODE_TYPES) - {"concept"}
KNOWN_EDGE_TYPES: Final = frozenset(
    {
        "SUPPORTED_BY",
        "SPOKEN_BY",
        "SPOKE_IN",
        "HAS_INSIGHT",
        "HAS_EPISODE",
        "HOSTS",
        "GUESTS_ON",
        "ABOUT",
        "MENTIONS_PERSON",
        "MENTIONS_ORG",
        "MENTIONS",
        "RELATED_TO",
        "RELATES_TO",
        "HAS_QUOTE",
    }
)


def canonical_reference(raw: str) -> str:
    """Map an id by its own spelling alone; one that says no type is returned as it is.

    An endless one is cut (:func:`~podcast_scraper.identity.slugify.bounded`).
    """
    reference = strip_layer_prefix(bounded(raw.strip()))
    prefix, colon, rest = reference.partition(":")
    prefix = prefix.strip().lower()
    if not colon or not rest.strip():
        return reference
    if prefix == "entity":
        kind, _, slug = rest.partition(":")
        known = _KINDS.get(kind.strip().lower())
        return f"{known}:{slug}" if known and slug.strip() else f"entity:{rest}"
    if prefix == "speaker":
        return canonical_id("person", f"speaker {rest}" if rest.strip().isdigit() else rest)
    if prefix == "person":
        voice = canonical_id("person", rest)
        return voice if is_voice(voice) else f"person:{rest}"
    prefix = _PREFIX_ALIASES.get(prefix, prefix)
    return f"{prefix}:{rest}" if prefix in NODE_TYPES else reference


def declared_type(raw_type: object, properties: Mapping[str, Any]) -> str:
    """Return the canonical type that the artifact's ``type`` (and an Entity's kind) states."""
    name = (name_of(raw_type) or "unknown").lower()
    if name == "entity":
        kind = name_of(properties.get("kind")) or name_of(properties.get("entity_kind")) or ""
        return _KINDS.get(kind.lower(), "entity")
    return _TYPE_NAMES.get(name, name)


def canonical_node(raw_id: str, raw_type: object, properties: Mapping[str, Any]) -> tuple[str, str]:
    """Return ``(id, type)`` of a node: by the id's prefix first, by the artifact's type second."""
    reference = canonical_reference(raw_id)
    known = type_of(reference)
    if known is not None:
        return reference, known
    declared = declared_type(raw_type, properties)
    if declared in ENTITY_TYPES:
        if reference.startswith("entity:"):
            return f"{declared}:{reference.removeprefix('entity:')}", declared
        name = first_name(properties, "name", "label", "canonical_name")
        return canonical_id(declared, name or reference), declared
    if declared in KNOWN_NODE_TYPES or ":" not in reference:
        return f"{declared}:{reference}", declared
    return reference, declared


def podcast_node_id(raw: object) -> str | None:
    """Return ``podcast:{id}`` for a podcast or feed id with or without that prefix."""
    text = name_of(raw)
    if text is None:
        return None
    bare = canonical_reference(text).removeprefix("podcast:")
    return "podcast:" + (bare if bare.isascii() and " " not in bare else slugify(bare))
