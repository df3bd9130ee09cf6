"""Canonical nodes and edges to the envelope that both layers share; byte-stable JSON."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Final

from podcast_scraper.identity.canonical import bare_episode_id, is_voice

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from podcast_scraper.artifacts.records import Edge, Node

TYPE_NAMES: Final = {
    "person": "Person",
    "org": "Organization",
    "topic": "Topic",
    "episode": "Episode",
    "podcast": "Podcast",
    "insight": "Insight",
    "quote": "Quote",
}
_QUOTE_KEYS: Final = {"start_ms": "timestamp_start_ms", "end_ms": "timestamp_end_ms"}
_DERIVED_KEYS: Final = frozenset({"located"})


def envelope(
    version: str,
    episode_id: str,
    nodes: Iterable[Node],
    edges: Iterable[Edge],
    header: Mapping[str, Any],
) -> dict[str, Any]:
    """Return a GI or KG document; nodes are sorted by id, edges by type and ends."""
    return {
        **header,
        "schema_version": version,
        "episode_id": bare_episode_id(episode_id),
        "nodes": [_node(node) for node in sorted(nodes, key=lambda node: node.id)],
        "edges": [
            _edge(edge)
            for edge in sorted(edges, key=lambda edge: (edge.type, edge.source, edge.target))
        ],
    }


def file_id(node_id: str) -> str:
    """Return the id as a file has it: a voice without its episode, which reading adds again."""
    return node_id.partition("@")[0] if is_voice(node_id) else node_id


def _node(node: Node) -> dict[str, Any]:
    properties = dict(node.properties)
    if node.type == "quote":
        properties = {
            _QUOTE_KEYS.get(key, key): value
            for key, value in properties.items()
            if key not in _DERIVED_KEYS
        }
    document: dict[str, Any] = {
        "id": file_id(node.id),
        "type": TYPE_NAMES.get(node.type, node.type),
        "properties": properties,
    }
    if node.confidence is not None:
        document["confidence"] = node.confidence
    return document


def _edge(edge: Edge) -> dict[str, Any]:
    document: dict[str, Any] = {
        "type": edge.type,
        "from": file_id(edge.source),
        "to": file_id(edge.target),
    }
    if edge.properties:
        document["properties"] = dict(edge.properties)
    return document


def to_json(value: object) -> str:
    """Return JSON with sorted keys, two spaces a level and a newline at the end.

    Raises:
        ValueError: the value holds a NaN or an infinity.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2, sort_keys=True)
    return text + "\n"


def write_if_changed(path: Path, text: str) -> bool:
    """Write a file at once (beside it, then renamed); one with this content is left untouched."""
    data = text.encode("utf-8")
    if path.is_file() and path.read_bytes() == data:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        beside.write_bytes(data)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
    return True
