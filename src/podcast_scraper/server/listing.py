"""Finding and listing people, organisations, topics and shows, for pages and API alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from podcast_scraper.errors import NotFoundError
from podcast_scraper.identity.names import normalise
from podcast_scraper.identity.registry import RegistryEntry
from podcast_scraper.search.relations.subjects import did_you_mean

if TYPE_CHECKING:
    from podcast_scraper.corpus import Corpus
    from podcast_scraper.storage.catalog import ShowInfo

PER_PAGE = 60

_LISTS = {"person": "people", "org": "organisations", "topic": "topics"}


@dataclass(frozen=True, slots=True)
class EntityPage:
    """A page of entities, those of most episodes first, and how many there are."""

    entries: tuple[RegistryEntry, ...]
    total: int

    @property
    def pages(self) -> int:
        return max(1, -(-self.total // PER_PAGE))


def entity_page(
    corpus: Corpus, entity_type: str, text: str = "", page: int = 1, per_page: int = PER_PAGE
) -> EntityPage:
    """Return the entities of a type whose name or alias holds a text."""
    wanted = normalise(text)
    found = [
        entry
        for entry in corpus.index.resolver.registry
        if entry.type == entity_type
        and (not wanted or any(wanted in normalise(n) for n in (entry.name, *entry.aliases)))
    ]
    found.sort(key=lambda entry: (-entry.frequency, entry.name, entry.id))
    start = (page - 1) * per_page
    return EntityPage(tuple(found[start : start + per_page]), len(found))


def find_entity(corpus: Corpus, entity_id: str, entity_type: str) -> RegistryEntry:
    """Return an entity, following merges; a voice without a name has an entry of its own.

    Raises NotFoundError, which names ids that may be meant.
    """
    entry = corpus.index.resolver.registry.get(entity_id)
    if entry is None and corpus.graph.node_type(entity_id) == entity_type:
        entry = RegistryEntry(entity_id, entity_type, corpus.graph.label(entity_id) or entity_id)
    if entry is None or entry.type != entity_type:
        near = did_you_mean(corpus.graph, entity_id, entity_type)
        raise NotFoundError(
            f"There is no {entity_type} {entity_id[:200]!r} in this corpus.",
            mend=f"Near are: {', '.join(named.id for named in near)}."
            if near
            else f"/api/{_LISTS[entity_type]} lists the ids.",
            subject=entity_id,
        )
    return entry


def find_show(corpus: Corpus, show_id: str) -> ShowInfo:
    """Return a show by its id, with or without ``podcast:``. Raises NotFoundError."""
    wanted = {show_id, f"podcast:{show_id}"}
    found = next((show for show in corpus.catalog.shows() if show.id in wanted), None)
    if found is None:
        raise NotFoundError(
            f"There is no show {show_id[:200]!r} in this corpus.",
            mend="/api/shows lists the ids.",
            subject=show_id,
        )
    return found
