"""Every person, organisation and topic of a corpus: names, aliases, how often, in which shows."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from podcast_scraper.identity.canonical import ENTITY_TYPES, is_voice

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import sqlalchemy as sa

    from podcast_scraper.artifacts.records import EpisodeRecord
    from podcast_scraper.identity.identity_map import IdentityMap

NAME_PROPERTIES = ("name", "canonical_name", "label")


@dataclass(frozen=True, slots=True)
class RegistryEntry:
    """An entity as the whole corpus knows it. ``aliases`` exclude ``name``; all are sorted."""

    id: str
    type: str
    name: str
    aliases: tuple[str, ...] = ()
    episodes: frozenset[str] = frozenset()
    shows: frozenset[str] = frozenset()

    @property
    def frequency(self) -> int:
        """In how many episodes the entity occurs."""
        return len(self.episodes)


@dataclass(slots=True)
class _Draft:
    type: str
    names: Counter[str] = field(default_factory=Counter)
    aliases: set[str] = field(default_factory=set)
    episodes: set[str] = field(default_factory=set)
    shows: set[str] = field(default_factory=set)


class Registry:
    """Entries by canonical id. Diarisation voices are not in it: they are nobody's names."""

    def __init__(
        self, entries: Iterable[RegistryEntry], *, redirects: Mapping[str, str] | None = None
    ) -> None:
        self._entries = {entry.id: entry for entry in sorted(entries, key=lambda e: e.id)}
        self.redirects = dict(redirects or {})

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[RegistryEntry]:
        return iter(self._entries.values())

    def get(self, entity_id: str) -> RegistryEntry | None:
        """Return the entry of an id, following merges that people decided."""
        return self._entries.get(self.redirects.get(entity_id, entity_id))

    @classmethod
    def from_records(
        cls, records: Iterable[EpisodeRecord], identity: IdentityMap | None = None
    ) -> Registry:
        """Collect the entities of episodes."""
        draft = _Collector(identity)
        for record in records:
            for node in record.nodes:
                if node.type in ENTITY_TYPES:
                    homes = {record.episode_id: record.show.id}
                    draft.occurrences(node.id, node.type, homes, node.properties)
            for alias in record.aliases:
                draft.alias(alias.entity_id, record.episode_id, alias.name)
        return draft.registry()

    @classmethod
    def from_index(cls, engine: sa.Engine, identity: IdentityMap | None = None) -> Registry:
        """Collect the entities of an index generation's records."""
        import sqlalchemy as sa

        from podcast_scraper.storage.schema import Alias, Entity, EntityOccurrence, Episode

        draft = _Collector(identity)
        # A corpus says the same of an entity in many episodes: the database gathers them, so that a
        # million occurrences are not a million rows here.
        written = sa.cast(EntityOccurrence.properties, sa.Text).label("written")
        said = (EntityOccurrence.entity_id, EntityOccurrence.name, written, Entity.type)
        gathered = (
            sa.select(
                *said,
                sa.func.aggregate_strings(EntityOccurrence.episode_id, "\n").label("episodes"),
            )
            .join(Entity, Entity.id == EntityOccurrence.entity_id)
            .group_by(*said)
        )
        with engine.connect() as connection:
            show_of = dict(connection.execute(sa.select(Episode.id, Episode.show_id)).all())
            for row in connection.execute(gathered):
                properties = {**(json.loads(row.written) or {}), "name": row.name}
                homes = {episode: show_of[episode] for episode in row.episodes.split("\n")}
                draft.occurrences(row.entity_id, row.type, homes, properties)
            for alias in connection.execute(
                sa.select(Alias.entity_id, Alias.episode_id, Alias.name)
            ):
                draft.alias(alias.entity_id, alias.episode_id, alias.name)
        return draft.registry()


class _Collector:
    def __init__(self, identity: IdentityMap | None) -> None:
        self._identity = identity
        self._drafts: dict[str, _Draft] = {}
        self._pending: dict[str, set[str]] = defaultdict(set)

    def _canonical(self, entity_id: str, episode_id: str) -> str:
        if self._identity is None:
            return entity_id
        return self._identity.canonical(entity_id, episode_id)

    def occurrences(
        self, raw_id: str, kind: str, homes: Mapping[str, str], properties: Mapping[str, Any]
    ) -> None:
        """Take in what episodes say of an entity; ``homes`` maps each of them to its show."""
        if is_voice(raw_id):
            return
        name = display_name(properties)
        aliases = properties.get("aliases")
        listed = aliases if isinstance(aliases, list | tuple) else ()
        for entity_id, episodes in self._by_canonical(raw_id, homes).items():
            draft = self._drafts.setdefault(entity_id, _Draft(kind))
            if name and entity_id == raw_id:
                draft.names[name] += len(episodes)
            elif name:
                # A name under the id itself counts before the names of those merged into it.
                draft.aliases.add(name)
            draft.aliases.update(a for a in listed if isinstance(a, str) and a.strip())
            draft.episodes.update(episodes)
            draft.shows.update(homes[episode] for episode in episodes)

    def _by_canonical(self, raw_id: str, episodes: Iterable[str]) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for episode in episodes:
            found.setdefault(self._canonical(raw_id, episode), []).append(episode)
        return found

    def alias(self, raw_id: str, episode_id: str, name: str) -> None:
        self._pending[self._canonical(raw_id, episode_id)].add(name)

    def registry(self) -> Registry:
        if self._identity is not None:
            for entity_id, name in self._identity.aliases:
                self._pending[self._identity.canonical(entity_id)].add(name)
        entries = []
        for entity_id, draft in self._drafts.items():
            aliases = draft.aliases | set(draft.names) | self._pending[entity_id]
            name = min(
                draft.names or aliases or {entity_id.partition(":")[2]},
                key=lambda n: (-draft.names[n], -len(n), n),
            )
            entries.append(
                RegistryEntry(
                    entity_id,
                    draft.type,
                    name,
                    tuple(sorted(aliases - {name})),
                    frozenset(draft.episodes),
                    frozenset(draft.shows),
                )
            )
        redirects = self._identity.redirects if self._identity is not None else {}
        return Registry(entries, redirects=redirects)


def display_name(properties: Mapping[str, Any]) -> str | None:
    """Return the first usable name of a node: ``name``, ``canonical_name``, ``label``."""
    for key in NAME_PROPERTIES:
        value = properties.get(key)
        if isinstance(value, str) and value.strip():
            return value.strip()
    return None
