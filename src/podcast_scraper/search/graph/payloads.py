"""What nodes say, fetched when it is asked for: from memory, or from an index' tables."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, Protocol

from podcast_scraper.identity.canonical import (
    ENTITY_TYPES,
    bare_episode_id,
    episode_node_id,
    type_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import sqlalchemy as sa

    from podcast_scraper.artifacts.records import EpisodeRecord
    from podcast_scraper.identity.identity_map import IdentityMap

Payload = dict[str, Any]
Stored = tuple[Payload, frozenset[str]]

CHUNK = 2_000


class PayloadSource(Protocol):
    """Payload and layers by node id; ids that the source does not hold are left out."""

    def fetch(self, ids: Sequence[str]) -> dict[str, Stored]: ...


class RecordPayloads:
    """Payloads of episode records, held in memory."""

    def __init__(self, records: Iterable[EpisodeRecord], identity: IdentityMap) -> None:
        self._stored: dict[str, Stored] = {}
        occurrences: dict[str, list[tuple[str, Mapping[str, Any], frozenset[str]]]] = defaultdict(
            list
        )
        layers: dict[str, frozenset[str]] = defaultdict(frozenset)
        for record in records:
            for node in record.nodes:
                if node.type in ENTITY_TYPES:
                    entity = identity.canonical(node.id, record.episode_id)
                    occurrences[entity].append((record.episode_id, node.properties, node.layers))
                elif node.type in ("episode", "podcast"):
                    layers[node.id] |= node.layers
                else:
                    self._stored[node.id] = (dict(node.properties), node.layers)
            show, episode_id = record.show, episode_node_id(record.episode_id)
            self._stored[show.id] = (
                show_payload(show.title, show.url, show.publisher, show.description, show.image),
                layers[show.id],
            )
            published = record.published.isoformat() if record.published else None
            self._stored[episode_id] = (
                episode_payload(record.title, show.id, published, record.media, record.duration),
                layers[episode_id],
            )
        for entity, seen in occurrences.items():
            self._stored[entity] = merge_occurrences(seen)

    def fetch(self, ids: Sequence[str]) -> dict[str, Stored]:
        return {i: self._stored[i] for i in ids if i in self._stored}


class IndexPayloads:
    """Payloads of an index generation, read in batches.

    The layers of an episode are those that its edges came from; an index keeps none of a show.
    """

    def __init__(self, engine: sa.Engine, identity: IdentityMap) -> None:
        self._engine = engine
        self._identity = identity
        self._members: dict[str, set[str]] = defaultdict(set)
        for old, new in identity.redirects.items():
            self._members[new].add(old)
        for (old, episode_id), _ in identity.scoped.items():
            self._members[identity.canonical(old, episode_id)].add(old)

    def fetch(self, ids: Sequence[str]) -> dict[str, Stored]:
        by_type: dict[str, list[str]] = defaultdict(list)
        for node_id in dict.fromkeys(ids):
            by_type[type_of(node_id) or "other"].append(node_id)
        found: dict[str, Stored] = {}
        with self._engine.connect() as connection:
            for kind, wanted in by_type.items():
                for start in range(0, len(wanted), CHUNK):
                    found.update(self._read(connection, kind, wanted[start : start + CHUNK]))
        return found

    def _read(
        self, connection: sa.Connection, kind: str, ids: list[str]
    ) -> Iterator[tuple[str, Stored]]:
        if kind in ENTITY_TYPES:
            return self._entities(connection, ids)
        if kind in ("insight", "quote"):
            return _statements(connection, kind, ids)
        if kind == "episode":
            return _episodes(connection, ids)
        if kind == "podcast":
            return _shows(connection, ids)
        return _others(connection, ids)

    def _entities(self, connection: sa.Connection, ids: list[str]) -> Iterator[tuple[str, Stored]]:
        import sqlalchemy as sa

        from podcast_scraper.storage.schema import EntityOccurrence as Row

        wanted = set(ids)
        raw = wanted.union(*(self._members.get(i, ()) for i in ids))
        seen: dict[str, list[tuple[str, Mapping[str, Any], frozenset[str]]]] = defaultdict(list)
        columns = sa.select(Row.entity_id, Row.episode_id, Row.properties, Row.layers)
        for row in connection.execute(columns.where(Row.entity_id.in_(sorted(raw)))):
            entity = self._identity.canonical(row.entity_id, row.episode_id)
            if entity in wanted:
                seen[entity].append((row.episode_id, row.properties, _layers(row.layers)))
        for entity, occurrences in seen.items():
            yield entity, merge_occurrences(occurrences)


def merge_occurrences(
    occurrences: Iterable[tuple[str, Mapping[str, Any], frozenset[str]]],
) -> Stored:
    """Merge what episodes say of an entity: KG first, GI wins, later episode ids win in a layer."""
    payload: Payload = {}
    layers: set[str] = set()
    for _, properties, held in sorted(occurrences, key=lambda o: ("gi" in o[2], o[0])):
        payload.update(properties)
        layers |= held
    return payload, frozenset(layers)


def episode_payload(
    title: str, show_id: str, published: str | None, media: str | None, duration: float | None
) -> Payload:
    """Return the payload of an episode in the terms of the ontology."""
    return {
        "title": title,
        "podcast_id": show_id,
        "publish_date": published,
        "audio_url": media,
        "duration_ms": None if duration is None else round(duration * 1000),
    }


def show_payload(
    title: str,
    url: str | None,
    publisher: str | None,
    description: str | None,
    image: str | None,
) -> Payload:
    """Return the payload of a show."""
    return {
        "title": title,
        "rss_url": url,
        "publisher": publisher,
        "description": description,
        "image_url": image,
    }


def _statements(
    connection: sa.Connection, kind: str, ids: list[str]
) -> Iterator[tuple[str, Stored]]:
    import sqlalchemy as sa

    from podcast_scraper.storage import schema

    table = schema.Insight if kind == "insight" else schema.Quote
    for row in connection.execute(sa.select(table.id, table.properties).where(table.id.in_(ids))):
        yield row.id, (row.properties, frozenset({"gi"}))


def _episodes(connection: sa.Connection, ids: list[str]) -> Iterator[tuple[str, Stored]]:
    import sqlalchemy as sa

    from podcast_scraper.storage.schema import Episode, GraphEdge

    bare = [bare_episode_id(i) for i in ids]
    layers: dict[str, set[str]] = defaultdict(set)
    for episode_id, layer in connection.execute(
        sa.select(GraphEdge.episode_id, GraphEdge.layer)
        .where(GraphEdge.episode_id.in_(bare), GraphEdge.layer != "derived")
        .distinct()
    ):
        layers[episode_id].add(layer)
    columns = sa.select(
        Episode.id,
        Episode.title,
        Episode.show_id,
        Episode.published,
        Episode.media,
        Episode.duration,
    )
    for row in connection.execute(columns.where(Episode.id.in_(bare))):
        payload = episode_payload(row.title, row.show_id, row.published, row.media, row.duration)
        yield episode_node_id(row.id), (payload, frozenset(layers[row.id]))


def _shows(connection: sa.Connection, ids: list[str]) -> Iterator[tuple[str, Stored]]:
    import sqlalchemy as sa

    from podcast_scraper.storage.schema import Show

    for row in connection.execute(
        sa.select(
            Show.id, Show.title, Show.url, Show.publisher, Show.description, Show.image
        ).where(Show.id.in_(ids))
    ):
        yield row.id, (show_payload(*row[1:]), frozenset())


def _others(connection: sa.Connection, ids: list[str]) -> Iterator[tuple[str, Stored]]:
    import sqlalchemy as sa

    from podcast_scraper.storage.schema import OtherNode

    for row in connection.execute(
        sa.select(OtherNode.id, OtherNode.properties).where(OtherNode.id.in_(ids))
    ):
        yield row.id, (row.properties, frozenset())


def _layers(text: str) -> frozenset[str]:
    return frozenset(filter(None, text.split(",")))
