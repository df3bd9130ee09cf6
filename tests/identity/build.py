"""Hand-made registries and episodes for the tests of this room."""

from __future__ import annotations

from podcast_scraper.artifacts.records import (
    AliasRecord,
    EpisodeRecord,
    Node,
    ShowRecord,
    Transcript,
)
from podcast_scraper.identity.canonical import canonical_id
from podcast_scraper.identity.registry import Registry, RegistryEntry
from podcast_scraper.identity.resolver import EntityResolver


def entry(
    kind: str, name: str, *aliases: str, episodes: str = "e1", shows: str = "podcast:a"
) -> RegistryEntry:
    return RegistryEntry(
        canonical_id(kind, name),
        kind,
        name,
        tuple(sorted(aliases)),
        frozenset(episodes.split()),
        frozenset(shows.split()),
    )


def people(*names: str) -> EntityResolver:
    return EntityResolver(Registry(entry("person", name) for name in names))


def episode(
    episode_id: str, *nodes: Node, show: str = "podcast:a", aliases: tuple[AliasRecord, ...] = ()
) -> EpisodeRecord:
    return EpisodeRecord(
        episode_id,
        ShowRecord(show, show.partition(":")[2].title()),
        f"Episode {episode_id}",
        episode_id,
        "0" * 64,
        nodes,
        (),
        Transcript("", ()),
        aliases=aliases,
    )


def person(name: str, node_id: str | None = None, **properties: object) -> Node:
    return Node(
        node_id or canonical_id("person", name),
        "person",
        {"name": name, **properties},
        frozenset({"kg"}),
    )
