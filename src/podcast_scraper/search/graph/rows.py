"""Nodes and edges of a corpus as plain rows, from episode records or from an index' tables.

Both sources give the same rows, so that a graph over loose files and one over an index answer
alike. Decisions of the ledger and inferred hosts are applied here, while rows still know their
episode.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from podcast_scraper.identity.canonical import (
    ENTITY_TYPES,
    episode_node_id,
    type_of,
)
from podcast_scraper.identity.identity_map import IdentityMap
from podcast_scraper.identity.registry import display_name
from podcast_scraper.search.graph.hosts import Appearance, inferred_hosts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import sqlalchemy as sa

    from podcast_scraper.artifacts.records import EpisodeRecord


@dataclass(slots=True)
class NodeRow:
    """What the adjacency needs to know of a node. ``names`` are counted over episodes."""

    type: str
    home: str | None = None
    published: str | None = None
    position_hint: float | None = None
    grounded: bool = False
    names: Counter[str] = field(default_factory=Counter)

    @property
    def label(self) -> str:
        """The most frequent name; of equally frequent ones the longest, then the first."""
        return min(self.names, key=lambda n: (-self.names[n], -len(n), n), default="")


@dataclass(frozen=True, slots=True)
class EdgeRow:
    """A typed edge as one episode has it."""

    type: str
    source: str
    target: str
    episode_id: str
    layer: str


@dataclass(slots=True)
class GraphRows:
    """All rows of a corpus. ``inferred`` holds edges that rest on host reconciliation alone."""

    nodes: dict[str, NodeRow] = field(default_factory=dict)
    edges: list[EdgeRow] = field(default_factory=list)
    appearances: list[Appearance] = field(default_factory=list)
    inferred: set[tuple[str, str, str]] = field(default_factory=set)

    def show(self, show_id: str, title: str) -> None:
        self.nodes.setdefault(show_id, NodeRow("podcast", names=Counter([title])))

    def episode(self, episode_id: str, show_id: str, title: str, published: str | None) -> None:
        row = NodeRow("episode", home=show_id, published=published, names=Counter([title]))
        self.nodes[episode_node_id(episode_id)] = row

    def entity(
        self, node_id: str, kind: str, episode_id: str, show_id: str, properties: Mapping[str, Any]
    ) -> None:
        row = self.nodes.setdefault(node_id, NodeRow(kind))
        row.names.update([display_name(properties) or node_id.partition(":")[2]])
        role = properties.get("role")
        self.appearances.append(Appearance(show_id, episode_id, node_id, role))

    def statement(
        self, node_id: str, kind: str, episode_id: str, properties: Mapping[str, Any]
    ) -> None:
        hint = properties.get("position_hint")
        self.nodes[node_id] = NodeRow(
            kind,
            home=episode_node_id(episode_id),
            position_hint=float(hint) if isinstance(hint, int | float) else None,
            grounded=bool(properties.get("grounded")),
        )


def rows_from_records(records: Iterable[EpisodeRecord]) -> GraphRows:
    """Collect the rows of episodes."""
    rows = GraphRows()
    for record in records:
        published = record.published.isoformat() if record.published else None
        rows.show(record.show.id, record.show.title)
        rows.episode(record.episode_id, record.show.id, record.title, published)
        for node in record.nodes:
            if node.type in ENTITY_TYPES:
                rows.entity(node.id, node.type, record.episode_id, record.show.id, node.properties)
            elif node.type not in ("episode", "podcast"):
                rows.statement(node.id, node.type, record.episode_id, node.properties)
        rows.edges.extend(
            EdgeRow(edge.type, edge.source, edge.target, record.episode_id, edge.layer)
            for edge in record.edges
        )
    return rows


def rows_from_index(engine: sa.Engine) -> GraphRows:
    """Collect the rows of an index generation."""
    import sqlalchemy as sa

    from podcast_scraper.storage import schema

    rows = GraphRows()
    occurrence, episode = schema.EntityOccurrence, schema.Episode
    with engine.connect() as connection:
        for show in connection.execute(sa.select(schema.Show.id, schema.Show.title)):
            rows.show(show.id, show.title)
        shows: dict[str, str] = {}
        for row in connection.execute(
            sa.select(episode.id, episode.show_id, episode.title, episode.published)
        ):
            shows[row.id] = row.show_id
            rows.episode(row.id, row.show_id, row.title, row.published)
        for row in connection.execute(
            sa.select(occurrence.entity_id, occurrence.episode_id, occurrence.properties).order_by(
                occurrence.episode_id, occurrence.entity_id
            )
        ):
            kind = type_of(row.entity_id) or "entity"
            show_id = shows[row.episode_id]
            rows.entity(row.entity_id, kind, row.episode_id, show_id, row.properties)
        for table, kind in ((schema.Insight, "insight"), (schema.Quote, "quote")):
            for row in connection.execute(sa.select(table.id, table.episode_id, table.properties)):
                rows.statement(row.id, kind, row.episode_id, row.properties)
        other = schema.OtherNode
        for row in connection.execute(
            sa.select(other.id, other.type, other.episode_id, other.properties)
        ):
            rows.statement(row.id, row.type, row.episode_id, row.properties)
        edge = schema.GraphEdge
        rows.edges = [
            EdgeRow(*row)
            for row in connection.execute(
                sa.select(edge.type, edge.source, edge.target, edge.episode_id, edge.layer)
            )
        ]
    return rows


def apply_identity(rows: GraphRows, identity: IdentityMap) -> GraphRows:
    """Return the rows under the ids that people decided on; self-loops that arise are dropped."""
    if not identity.redirects and not identity.scoped:
        return rows
    changed = GraphRows(inferred=set(rows.inferred))
    members: dict[str, set[str]] = defaultdict(set)
    for seen in rows.appearances:
        entity = identity.canonical(seen.entity_id, seen.episode_id)
        members[entity].add(seen.entity_id)
        changed.appearances.append(replace(seen, entity_id=entity))
    changed.nodes = {i: row for i, row in rows.nodes.items() if row.type not in ENTITY_TYPES}
    for entity, merged in members.items():
        # An entity keeps the name under its own id; one that a split made takes the old name.
        own = rows.nodes[entity if entity in merged else min(merged)]
        changed.nodes[entity] = NodeRow(own.type, names=own.names)
    for edge in rows.edges:
        source = identity.canonical(edge.source, edge.episode_id)
        target = identity.canonical(edge.target, edge.episode_id)
        if source != target:
            changed.edges.append(replace(edge, source=source, target=target))
    return changed


def reconcile_hosts(rows: GraphRows) -> GraphRows:
    """Attribute unnamed host voices where that is safe; drop HOSTS of people who never speak."""
    speaking = {(edge.target, edge.episode_id) for edge in rows.edges if edge.type == "SPOKEN_BY"}
    hosts = inferred_hosts(rows.appearances, speaking)
    changed = apply_identity(rows, IdentityMap(scoped=hosts))
    for edge in rows.edges:
        source = hosts.get((edge.source, edge.episode_id), edge.source)
        target = hosts.get((edge.target, edge.episode_id), edge.target)
        if (source, target) != (edge.source, edge.target):
            changed.inferred.add((edge.type, source, target))
    heard = {edge.target for edge in changed.edges if edge.type == "SPOKEN_BY"}
    if heard:
        changed.edges = [e for e in changed.edges if e.type != "HOSTS" or e.source in heard]
    return changed
