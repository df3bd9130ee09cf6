"""Every person, organisation and topic of a corpus: names, aliases, how often, in which shows."""

from __future__ import annotations

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
                    draft.occurrence(
                        node.id, node.type, record.episode_id, record.show.id, node.properties
                    )
            for alias in record.aliases:
                draft.alias(alias.entity_id, record.episode_id, alias.name)
        return draft.registry()

    @classmethod
    def from_index(cls, engine: sa.Engine, identity: IdentityMap | None = None) -> Registry:
        """Collect the entities of an index generation's records."""
        import sqlalchemy as sa

        from podcast_scraper.storage.schema import Alias, Entity, EntityOccurrence, Episode

        draft = _Collector(identity)
        with engine.connect() as connection:
            for row in connection.execute(
                sa.select(
                    EntityOccurrence.entity_id,
                    Entity.type,
                    EntityOccurrence.episode_id,
                    Episode.show_id,
                    EntityOccurrence.name,
                    EntityOccurrence.properties,
                )
                .join(Entity, Entity.id == EntityOccurrence.entity_id)
                .join(Episode, Episode.id == EntityOccurrence.episode_id)
            ):
                properties = {**(row.properties or {}), "name": row.name}
                draft.occurrence(row.entity_id, row.type, row.episode_id, row.show_id, properties)
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

    def occurrence(
        self, raw_id: str, kind: str, episode_id: str, show_id: str, properties: Mapping[str, Any]
    ) -> None:
        if is_voice(raw_id):
            return
        entity_id = self._canonical(raw_id, episode_id)
        draft = self._drafts.setdefault(entity_id, _Draft(kind))
        name = display_name(properties)
        if name:
            # A name under the id itself counts before the names of those merged into it.
            (draft.names if entity_id == raw_id else draft.aliases).update([name])
        aliases = properties.get("aliases")
        if isinstance(aliases, list | tuple):
            draft.aliases.update(a for a in aliases if isinstance(a, str) and a.strip())
        draft.episodes.add(episode_id)
        draft.shows.add(show_id)

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
