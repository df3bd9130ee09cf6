"""Whether a query is nothing but the name of someone whom the index knows.

The spelling of a query says that it looks like a name (``router``); the index says that it is one:
a document in which that person speaks, or that mentions the person or the organisation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from podcast_scraper.identity.slugify import slugify
from podcast_scraper.search.backend import Filters, SearchQuery
from podcast_scraper.search.router import NAME_WORDS, asked_name

if TYPE_CHECKING:
    from podcast_scraper.search.backend import SearchBackend

_KINDS: Final = ("person", "org")


class KnownNames:
    """Looks names up in one backend by their canonical ids, however they are written."""

    def __init__(self, backend: SearchBackend) -> None:
        self._backend = backend

    def __call__(self, text: str) -> bool:
        """Return whether the whole text, or who it asks for, is a known name."""
        name = asked_name(text)
        if not 0 < len(name.split()) <= NAME_WORDS:
            return False
        ids = tuple(f"{kind}:{slugify(name)}" for kind in _KINDS)
        return any(
            self._backend.browse(SearchQuery("", None, filters, 1))
            for filters in (Filters(persons=ids), Filters(mentions=ids))
        )
