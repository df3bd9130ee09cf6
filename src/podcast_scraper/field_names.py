"""What the values of ``speaker:``, ``show:``, ``topic:`` and the like mean in one index."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podcast_scraper.identity.canonical import type_of
from podcast_scraper.identity.slugify import slugify

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from podcast_scraper.open_index import OpenIndex

_TYPES = {"speaker": ("person",), "mentions": ("person", "org"), "topic": ("topic",)}


class FieldNames:
    """Resolves field values (``FieldResolver`` of :mod:`podcast_scraper.search.query`)."""

    def __init__(self, index: OpenIndex) -> None:
        self._index = index

    def resolve_field(self, field: str, value: str) -> Sequence[str]:
        """Return the ids that a value names: an id, a slug, a title or a name; else nothing."""
        if field == "show":
            return _titled(value, ((s.id, s.title) for s in self._index.catalog.shows()))
        if field == "episode":
            episodes = self._index.catalog.episodes().values()
            return _titled(value, ((e.id, e.title) for e in episodes))
        found = self._index.resolver.resolve(value)
        if found is None or type_of(found) not in _TYPES.get(field, ()):
            return []
        return self._index.identity.members(found)


def _titled(value: str, things: Iterable[tuple[str, str]]) -> list[str]:
    """Return the things of that id or title; where there are none, those that contain it."""
    wanted = slugify(value)
    known = list(things)
    exact = [
        key
        for key, title in known
        if value == key or wanted in (slugify(title), slugify(key.partition(":")[2]))
    ]
    if exact:
        return exact
    return [key for key, title in known if wanted in slugify(title)]
