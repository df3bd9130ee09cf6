"""Small corpora on disk for the tests of reading."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from podcast_scraper.artifacts.reading import open_reading

if TYPE_CHECKING:
    from pathlib import Path

    from podcast_scraper.artifacts.records import EpisodeRecord, Node
    from podcast_scraper.artifacts.report import ReadReport


def node(node_id: object, node_type: object, **properties: object) -> dict[str, Any]:
    return {"id": node_id, "type": node_type, "properties": properties}


def edge(edge_type: object, source: object, target: object, **properties: object) -> dict[str, Any]:
    document: dict[str, Any] = {"type": edge_type, "from": source, "to": target}
    return {**document, "properties": properties} if properties else document


def gi(
    episode: str | None, nodes: list[Any], edges: list[Any], version: object = "3.1"
) -> dict[str, Any]:
    document = {"schema_version": version, "nodes": nodes, "edges": edges}
    return document if episode is None else {**document, "episode_id": episode}


def kg(
    episode: str | None, nodes: list[Any], edges: list[Any], version: object = "2.0"
) -> dict[str, Any]:
    return gi(episode, nodes, edges, version)


def write_files(root: Path, files: dict[str, Any]) -> Path:
    """Write bytes and text as they are, everything else as JSON."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        elif isinstance(content, str):
            path.write_bytes(content.encode())
        else:
            path.write_text(json.dumps(content), "utf-8")
    return root


def read(root: Path, files: dict[str, Any] | None = None) -> tuple[list[EpisodeRecord], ReadReport]:
    """Write files, if any, and read the corpus."""
    write_files(root, files or {})
    reading = open_reading(root)
    records = list(reading.episodes())
    return records, reading.report


def read_one(root: Path, files: dict[str, Any]) -> tuple[EpisodeRecord, ReadReport]:
    """Write files and read the one episode that they are."""
    (record,), report = read(root, files)
    return record, report


def held(record: EpisodeRecord) -> dict[str, Node]:
    """Nodes by id."""
    return {found.id: found for found in record.nodes}


def edges_of(record: EpisodeRecord) -> set[tuple[str, str, str, str]]:
    """Edges as (type, source, target, layer)."""
    return {(found.type, found.source, found.target, found.layer) for found in record.edges}


def settled(record: EpisodeRecord) -> EpisodeRecord:
    """Return a record as it is once its corrected quote offsets were written to its files."""
    nodes = [
        replace(found, properties={**found.properties, "located": "offsets"})
        if found.properties.get("located") == "verbatim"
        else found
        for found in record.nodes
    ]
    return replace(record, nodes=tuple(nodes), fingerprint="")
