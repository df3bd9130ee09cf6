"""Canonical ids: ``prefix:rest``, shared by the GI and KG layers and owned by neither (RFC-072)."""

from __future__ import annotations

import re
from typing import Final

from podcast_scraper.identity.slugify import slugify

NODE_TYPES: Final = (
    "podcast",
    "episode",
    "person",
    "org",
    "topic",
    "concept",
    "insight",
    "quote",
)
ENTITY_TYPES: Final = ("person", "org", "topic")

_LAYER_PREFIX = re.compile(r"^(?:gi|kg|g|k):(?=[^:]+:)")
_VOICE = re.compile(r"^person:(?:speaker|voice|spk|s)-?\d+(?:@|$)", re.IGNORECASE)


def canonical_id(node_type: str, name: str) -> str:
    """Return the canonical id of a named thing: ``person:ada-lovelace``, ``topic:chess``…"""
    return f"{node_type}:{slugify(name)}"


def strip_layer_prefix(node_id: str) -> str:
    """Drop one leading ``gi:``, ``kg:``, ``g:`` or ``k:`` that stands before another prefix."""
    return _LAYER_PREFIX.sub("", node_id)


def type_of(node_id: str) -> str | None:
    """Return the node type that the id's prefix states, or None for a prefix that is not ours.

    Concept topics (``concept:topic-…``) are topics.
    """
    prefix, colon, rest = node_id.partition(":")
    if not colon or not rest or prefix not in NODE_TYPES:
        return None
    return "topic" if prefix == "concept" else prefix


def episode_node_id(episode_id: str) -> str:
    """Return ``episode:{id}`` for an id with or without that one leading prefix."""
    return "episode:" + bare_episode_id(episode_id)


def bare_episode_id(episode_id: str) -> str:
    """Strip only the leading ``episode:``; the rest of an id may hold colons of its own."""
    return episode_id.removeprefix("episode:")


def is_voice(person_id: str) -> bool:
    """Tell whether an id names a diarisation voice (``person:speaker-03``) and no person."""
    return _VOICE.match(person_id) is not None


def occurrence_id(node_id: str, episode_id: str) -> str:
    """Return the id of one occurrence of an insight or quote whose id recurs over episodes."""
    return f"{node_id}@{bare_episode_id(episode_id)}"


def base_id(node_id: str) -> str:
    """Return the id that a file holds, without the ``@episode`` of a recurring occurrence."""
    return node_id.partition("@")[0] if node_id.startswith(("insight:", "quote:")) else node_id
