"""What systems are built from: the set, an index over it, and the restriction of its queries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from podcast_scraper.evaluate.sets import QuerySet
    from podcast_scraper.evaluate.spans import Span


class Workbench(Protocol):
    """A set made searchable."""

    query_set: QuerySet

    def span_of(self, doc_id: str) -> Span | None: ...

    def show_of(self, doc_id: str) -> str: ...
