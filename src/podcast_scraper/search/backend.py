"""The seam between engines and fusion (RFC-090): queries in, ranked ids with raw scores out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from contextlib import AbstractContextManager

    import numpy as np
    import sqlalchemy as sa
    from numpy.typing import NDArray

    from podcast_scraper.search.documents import Document

Signal = Literal["bm25", "vector", "kg", "rrf", "rescue"]
Tier = Literal["all", "insight", "segment"]
AdPolicy = Literal["include", "exclude"]


@dataclass(frozen=True, slots=True)
class Filters:
    """What a document must satisfy. Values of one field are alternatives, fields are all required.

    ``persons`` means *speaks in the document*, ``mentions`` *is mentioned in it*. ``since`` and
    ``until`` are days (``YYYY-MM-DD``), both inclusive; an unknown date matches neither.
    ``phrases`` must all occur as consecutive words, ``excluded`` must not occur at all.
    """

    shows: tuple[str, ...] = ()
    episodes: tuple[str, ...] = ()
    persons: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    insight_types: tuple[str, ...] = ()
    since: str | None = None
    until: str | None = None
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    ads: AdPolicy = "include"

    def __bool__(self) -> bool:
        return self != Filters()


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """One query for one stage. ``embedding`` is a unit vector of the index' dimension or None."""

    text: str
    embedding: NDArray[np.float32] | None = None
    filters: Filters = field(default_factory=Filters)
    k: int = 100
    tier: Tier = "all"


@dataclass(frozen=True, slots=True)
class ScoredResult:
    """One document of a ranked list. ``rank`` is 1-based, ``score`` the stage's own (raw) scale."""

    doc_id: str
    score: float
    rank: int
    payload: Mapping[str, Any]
    signal: str
    source_tier: str

    def moved(self, score: float, rank: int, signal: str | None = None) -> ScoredResult:
        """Return the same document with another score and rank, and signal where one is given."""
        # Every stage moves every candidate: dataclasses.replace takes four times as long.
        return ScoredResult(
            self.doc_id, score, rank, self.payload, signal or self.signal, self.source_tier
        )


@dataclass(frozen=True, slots=True)
class CompoundResult:
    """A segment and an insight grounded in it as one result: max score, min rank.

    ``attached`` holds further insights of the same segment, in rank order.
    """

    doc_id: str
    score: float
    rank: int
    segment: ScoredResult
    insight: ScoredResult
    signal: str = "rrf"
    source_tier: str = "compound"
    attached: tuple[ScoredResult, ...] = ()


@dataclass(frozen=True, slots=True)
class BackendHealth:
    """State of an engine: document counts per tier and what is wrong, if anything."""

    documents: Mapping[str, int]
    degraded: bool = False
    reasons: tuple[str, ...] = ()


class DocumentChanges(Protocol):
    """What a revision does; nothing of it is seen before all of it is."""

    def upsert(
        self, tier: str, documents: Sequence[Document], vectors: NDArray[np.float32]
    ) -> None: ...

    def delete(self, doc_ids: Sequence[str]) -> None: ...


@runtime_checkable
class SearchBackend(Protocol):
    """An engine that holds the documents of one index generation.

    Lists are complete under their filters (a filter never shrinks a list that was cut before it),
    ordered by score, ties by ``doc_id``, at most ``query.k`` long.
    """

    def search_bm25(self, query: SearchQuery) -> list[ScoredResult]: ...

    def search_vector(self, query: SearchQuery) -> list[ScoredResult]: ...

    def browse(self, query: SearchQuery) -> list[ScoredResult]:
        """List the documents that satisfy the filters, newest day first, then by ``doc_id``."""
        ...

    def explain_bm25(self, text: str, doc_id: str) -> dict[str, float]:
        """Return what each term of a text adds to the BM25 score of a document; {} if unknown."""
        ...

    def did_you_mean(self, text: str) -> str | None:
        """Return the text with words that no document holds replaced by near ones, or None."""
        ...

    def complete(self, text: str, limit: int = 8) -> list[str]:
        """Return the text with its last word finished in known ways, the most frequent first."""
        ...

    def count_undated(self, query: SearchQuery) -> int:
        """Count the documents that a date filter hides because their date is unknown."""
        ...

    def upsert_segment(
        self, documents: Sequence[Document], vectors: NDArray[np.float32]
    ) -> None: ...

    def upsert_insight(
        self, documents: Sequence[Document], vectors: NDArray[np.float32]
    ) -> None: ...

    def delete(self, doc_ids: Sequence[str]) -> None: ...

    def create_indices(self) -> None: ...

    def fetch(self, doc_ids: Sequence[str]) -> dict[str, Document]: ...

    def health(self) -> BackendHealth: ...


class RecordChanges(DocumentChanges, Protocol):
    """Changes of documents in the transaction of a ``connection`` that changes the records."""

    connection: sa.Connection


class IndexBackend(SearchBackend, Protocol):
    """The backend of an index generation: over its records, and changed while it is being read."""

    engine: sa.Engine
    dimension: int

    def create_indices(self, queries: NDArray[np.float32] | None = None) -> None:
        """Make every change visible. ``queries`` are unit vectors to tune a dense engine on."""
        ...

    def revising(self) -> AbstractContextManager[RecordChanges]:
        """Change it; what the block did is found when it has ended, and an error undoes it."""
        ...

    @property
    def revision(self) -> int:
        """How often it was revised since it was built."""
        ...

    @property
    def is_lean(self) -> bool:
        """Whether revising it is better than building it anew."""
        ...

    def publish(self, generations: Collection[int]) -> None:
        """Be the live generation; what is kept elsewhere for others than these may go."""
        ...

    def vector(self, doc_id: str) -> NDArray[np.float32] | None:
        """Return the unit vector of a document; None for an unknown id."""
        ...

    def allowed_keys(self, filters: Filters, tier: Tier) -> NDArray[np.int64] | None:
        """Return the keys of the documents that filters and tier leave; None: all of them."""
        ...

    def noticed(self) -> tuple[str, ...]:
        """Return what is known to be wrong with engines elsewhere; quick enough for each search."""
        ...

    def check(self) -> None:
        """Read what it keeps in files; IndexDamagedError where that is corrupt."""
        ...

    def close(self) -> None: ...
