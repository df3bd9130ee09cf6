"""One episode record to the rows that it contributes (:mod:`podcast_scraper.storage.schema`)."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from podcast_scraper.identity.canonical import ENTITY_TYPES, base_id
from podcast_scraper.storage import schema

if TYPE_CHECKING:
    from collections.abc import Iterator

    from podcast_scraper.artifacts.records import EpisodeRecord, Node

Rows = list[dict[str, Any]]

_KNOWN_TYPES = frozenset({*ENTITY_TYPES, "episode", "podcast", "insight", "quote"})


def text_hash(text: str) -> str:
    """Return the SHA-256 (hex) of a text: with the encoder's fingerprint it names a vector."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def rows_of(record: EpisodeRecord) -> Iterator[tuple[type[schema.Base], Rows]]:
    """Yield each table with the rows of one episode, parents before children.

    The show is not among them: several episodes share it (:func:`show_row`).
    """
    nodes = record.nodes
    episode = record.episode_id
    yield schema.Episode, [_episode_row(record)]
    yield schema.EntityOccurrence, [_occurrence_row(n, episode) for n in nodes if _is_entity(n)]
    yield schema.Alias, _alias_rows(record)
    yield schema.Insight, [_insight_row(n, episode) for n in nodes if n.type == "insight"]
    yield schema.Quote, [_quote_row(n, episode) for n in nodes if n.type == "quote"]
    yield (
        schema.OtherNode,
        [
            {"episode_id": episode, "id": n.id, "type": n.type, "properties": dict(n.properties)}
            for n in nodes
            if n.type not in _KNOWN_TYPES
        ],
    )
    yield schema.TranscriptSegment, _segment_rows(record)
    yield (
        schema.GraphEdge,
        [
            {
                "episode_id": episode,
                "type": edge.type,
                "source": edge.source,
                "target": edge.target,
                "layer": edge.layer,
                "confidence": _number(edge.properties.get("confidence")),
                "properties": dict(edge.properties),
            }
            for edge in record.edges
        ],
    )


def show_row(record: EpisodeRecord) -> dict[str, Any]:
    """Return the row of an episode's show."""
    show = record.show
    return {
        "id": show.id,
        "title": show.title,
        "description": show.description,
        "url": show.url,
        "image": show.image,
        "publisher": show.publisher,
        "other_ids": list(show.other_ids),
    }


def _is_entity(node: Node) -> bool:
    return node.type in ENTITY_TYPES


def _episode_row(record: EpisodeRecord) -> dict[str, Any]:
    return {
        "id": record.episode_id,
        "show_id": record.show.id,
        "title": record.title,
        "published": record.published.isoformat() if record.published else None,
        "duration": record.duration,
        "media": record.media,
        "language": record.language,
        "summary_title": record.summary_title,
        "summary_bullets": list(record.summary_bullets),
        "summary_text": record.summary_text,
        "stem_path": record.stem_path,
        "fingerprint": record.fingerprint,
        "times_may_drift": record.times_may_drift,
        "transcript": record.transcript.text,
    }


def _occurrence_row(node: Node, episode_id: str) -> dict[str, Any]:
    properties = dict(node.properties)
    name = properties.get("label") if node.type == "topic" else properties.get("name")
    return {
        "episode_id": episode_id,
        "entity_id": node.id,
        "type": node.type,
        "name": name or properties.get("name") or properties.get("label") or node.id,
        "role": properties.get("role"),
        "layers": ",".join(sorted(node.layers)),
        "properties": properties,
    }


def _alias_rows(record: EpisodeRecord) -> Rows:
    unique = {(alias.entity_id, alias.name, alias.origin) for alias in record.aliases}
    return [
        {"episode_id": record.episode_id, "entity_id": entity, "name": name, "origin": origin}
        for entity, name, origin in sorted(unique)
    ]


def _insight_row(node: Node, episode_id: str) -> dict[str, Any]:
    properties = dict(node.properties)
    return {
        "id": node.id,
        "base_id": base_id(node.id),
        "episode_id": episode_id,
        "text": str(properties.get("text", "")),
        "insight_type": str(properties.get("insight_type", "unknown")),
        "grounded": bool(properties.get("grounded")),
        "position_hint": _number(properties.get("position_hint")),
        "confidence": _number(node.confidence),
        "properties": properties,
    }


def _quote_row(node: Node, episode_id: str) -> dict[str, Any]:
    properties = dict(node.properties)
    return {
        "id": node.id,
        "base_id": base_id(node.id),
        "episode_id": episode_id,
        "text": str(properties.get("text", "")),
        "char_start": properties.get("char_start"),
        "char_end": properties.get("char_end"),
        "start_ms": properties.get("start_ms"),
        "end_ms": properties.get("end_ms"),
        "located": str(properties.get("located", "none")),
        "properties": properties,
    }


def _segment_rows(record: EpisodeRecord) -> Rows:
    return [
        {
            "episode_id": record.episode_id,
            "ordinal": segment.ordinal,
            "start": segment.start,
            "end": segment.end,
            "text": segment.text,
            "speaker_label": segment.speaker_label,
            "speaker_id": segment.speaker_id,
            "kind": segment.kind,
            "char_start": segment.char_start,
            "char_end": segment.char_end,
        }
        for segment in record.transcript.segments
    ]


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None
