"""A small good episode, and the ways to spoil one thing in it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

TEXT = "Ana Pike: The ferry is late on Mondays.\nBo Lund: It is late on every day.\n"
_QUOTE = "The ferry is late on Mondays."


def episode(stem: str) -> dict[str, Any]:
    """Return the good layers of a small episode with one grounded insight."""
    own, insight, quote = f"episode:{stem}", f"insight:{stem}", f"quote:{stem}"
    date = "2024-05-01T06:00:00Z"
    title = stem.replace("-", " ").capitalize()
    speech = {"char_start": 10, "char_end": 39}
    times = {"timestamp_start_ms": 0, "timestamp_end_ms": 3000}
    gi_nodes = [
        node(own, "Episode", title=title, podcast_id="broken", publish_date=date),
        node(insight, "Insight", text="The ferry is late.", episode_id=stem, grounded=True),
        node(quote, "Quote", text=_QUOTE, episode_id=stem, **speech, **times),
        node("person:ana-pike", "Person", name="Ana Pike"),
        node("topic:ferries", "Topic", label="ferries"),
    ]
    gi_edges = [
        edge("HAS_INSIGHT", own, insight),
        edge("SUPPORTED_BY", insight, quote),
        edge("SPOKEN_BY", quote, "person:ana-pike"),
        edge("ABOUT", insight, "topic:ferries"),
    ]
    kg_nodes = [
        node("podcast:broken", "Podcast", title="Broken"),
        node(own, "Episode", title=title, podcast_id="broken", publish_date=date),
        node("person:ana-pike", "Person", name="Ana Pike", role="host"),
    ]
    kg_edges = [
        edge("HAS_EPISODE", "podcast:broken", own),
        edge("HOSTS", "person:ana-pike", "podcast:broken"),
    ]
    said = [line.partition(": ") for line in TEXT.splitlines()]
    return {
        "gi": _layer("3.1", stem, gi_nodes, gi_edges),
        "kg": _layer("2.0", stem, kg_nodes, kg_edges),
        "metadata": {
            "feed": {"feed_id": "broken", "title": "Broken"},
            "episode": {
                "episode_id": stem,
                "title": title,
                "published_date": date,
                "duration_seconds": 6.0,
            },
            "content": {"media_url": None, "transcript_file_path": f"transcripts/{stem}.txt"},
        },
        "segments": [
            {"id": n, "start": 3.0 * n, "end": 3.0 * n + 3, "text": text, "speaker_label": name}
            for n, (name, _, text) in enumerate(said)
        ],
    }


def _layer(version: str, stem: str, nodes: list[Any], edges: list[Any]) -> dict[str, Any]:
    return {"schema_version": version, "episode_id": stem, "nodes": nodes, "edges": edges}


def node(node_id: str, node_type: str, **properties: Any) -> dict[str, Any]:
    return {"id": node_id, "type": node_type, "properties": properties}


def edge(edge_type: str, source: str, target: str) -> dict[str, Any]:
    return {"type": edge_type, "from": source, "to": target}


def text(value: Any) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def setting(*path: Any, value: Any) -> Callable[[Any], Any]:
    """Return a spoiler that sets one value deep inside a layer."""

    def spoil(layer: Any) -> Any:
        inner = layer
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = value
        return layer

    return spoil


def adding(key: str, *items: Any) -> Callable[[Any], Any]:
    """Return a spoiler that appends nodes or edges."""

    def spoil(layer: Any) -> Any:
        layer[key] += items
        return layer

    return spoil


def without(key: str, position: int) -> Callable[[Any], Any]:
    """Return a spoiler that removes one item of a list."""

    def spoil(layer: Any) -> Any:
        del layer[key][position]
        return layer

    return spoil
