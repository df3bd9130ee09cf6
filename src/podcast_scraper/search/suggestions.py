"""What a half-typed query may become: words of the corpus, and people, organisations, topics."""

from __future__ import annotations

import heapq
from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from podcast_scraper.identity.names import normalise

if TYPE_CHECKING:
    from collections.abc import Callable

    from podcast_scraper.identity.registry import Registry, RegistryEntry

MIN_CHARACTERS: Final = 2
MAX_CHARACTERS: Final = 100


@dataclass(frozen=True, slots=True)
class EntitySuggestion:
    """An entity whose name fits; ``matched`` is the alias that did, where its name did not."""

    id: str
    type: str
    name: str
    episodes: int
    matched: str | None = None


@dataclass(frozen=True, slots=True)
class Suggestions:
    """Completions of the text as typed, and entities that its end names."""

    terms: tuple[str, ...] = ()
    entities: tuple[EntitySuggestion, ...] = ()


class Suggester:
    """Completes over the names of a registry. ``complete`` finishes the last word of a text.

    Names are found by the beginning of any of their words, so "vander" finds Ilse Vandermeer.
    """

    def __init__(self, registry: Registry, complete: Callable[[str, int], list[str]]) -> None:
        self._complete = complete
        self._starts = sorted(
            (normal[at:], entry.id, name)
            for entry in registry
            for name in (entry.name, *entry.aliases)
            for normal in [normalise(name)]
            for at in _word_starts(normal)
        )
        self._registry = registry

    def suggest(self, text: str, *, terms: int = 4, entities: int = 5) -> Suggestions:
        """Return suggestions for a text that is still being typed; none for a very short one."""
        text = text[:MAX_CHARACTERS]
        if len(text.strip()) < MIN_CHARACTERS:
            return Suggestions()
        found = self._entities(text, entities)
        return Suggestions(tuple(self._complete(text, terms)), tuple(found))

    def _entities(self, text: str, limit: int) -> list[EntitySuggestion]:
        """Match the longest end of the text that begins a name."""
        spoken = normalise(text)
        for at in _word_starts(spoken):
            if len(spoken) - at >= MIN_CHARACTERS and (names := self._matching(spoken[at:])):
                entries = [(entry, names[entry.id]) for entry in self._entries(names)]
                best = heapq.nsmallest(
                    limit, entries, key=lambda pair: (-pair[0].frequency, pair[0].id)
                )
                return [_suggestion(entry, name) for entry, name in best]
        return []

    def _matching(self, prefix: str) -> dict[str, str]:
        """Return entity id → the name that fits, its display name before its aliases."""
        found: dict[str, str] = {}
        for position in range(bisect_left(self._starts, (prefix,)), len(self._starts)):
            start, entity_id, name = self._starts[position]
            if not start.startswith(prefix):
                break
            entry = self._registry.get(entity_id)
            if entity_id not in found or (entry is not None and entry.name == name):
                found[entity_id] = name
        return found

    def _entries(self, ids: dict[str, str]) -> list[RegistryEntry]:
        return [entry for key in ids if (entry := self._registry.get(key)) is not None]


def _word_starts(text: str) -> list[int]:
    return [at for at in range(len(text)) if text[at] != " " and (at == 0 or text[at - 1] == " ")]


def _suggestion(entry: RegistryEntry, name: str) -> EntitySuggestion:
    alias = name if name != entry.name else None
    return EntitySuggestion(entry.id, entry.type, entry.name, entry.frequency, alias)
