"""What systems are built from: a set, the index over it, and the restriction of its queries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable

    from podcast_scraper.embed.encoder import Encoder
    from podcast_scraper.evaluate.sets import QuerySet, SetItem
    from podcast_scraper.evaluate.spans import Span
    from podcast_scraper.search.backend import Filters, SearchBackend


class JudgedSet(Protocol):
    """A set with what measuring needs to know about a document."""

    query_set: QuerySet

    def span_of(self, doc_id: str) -> Span | None:
        """Return the stretch of an episode that a document covers, or None."""
        ...

    def show_of(self, doc_id: str) -> str:
        """Return the id of a document's show; empty where it is unknown."""
        ...


class Workbench(JudgedSet, Protocol):
    """A set made searchable."""

    backend: SearchBackend
    encoder: Encoder
    pool_k: int

    def filters_for(self, query: SetItem) -> Filters:
        """Return the filters that keep a query to its own episode, meeting or show, if any."""
        ...

    def to_set_ids(self, doc_ids: Iterable[str]) -> tuple[str, ...]:
        """Name each indexed document by the set's document it is part of, first rank only."""
        ...

    def judged_id(self, doc_id: str) -> str:
        """Return the id under which a grade of this document is kept."""
        ...

    def text_of(self, doc_id: str) -> str:
        """Return the text that a grader reads."""
        ...

    def settings(self) -> dict[str, Any]:
        """Return what a report says about the run."""
        ...
