"""What systems are built from: a set, the index over it, and the restriction of its queries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

    from podcast_scraper.evaluate.sets import QuerySet, SetItem
    from podcast_scraper.evaluate.spans import Span
    from podcast_scraper.search.backend import Filters, SearchBackend


class JudgedSet(Protocol):
    """A set with what measuring needs to know about a document."""

    @property
    def query_set(self) -> QuerySet:
        """The set."""
        ...

    def span_of(self, doc_id: str) -> Span | None:
        """Return the stretch of an episode that a document covers, or None."""
        ...

    def show_of(self, doc_id: str) -> str:
        """Return the id of a document's show; empty where it is unknown."""
        ...


class Workbench(JudgedSet, Protocol):
    """A set made searchable."""

    @property
    def backend(self) -> SearchBackend:
        """The index over the set's documents."""
        ...

    @property
    def pool_k(self) -> int:
        """How deep each first stage goes."""
        ...

    def embed(self, query: SetItem) -> tuple[NDArray[np.float32], float]:
        """Return a query's unit vector and the milliseconds that encoding took."""
        ...

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
