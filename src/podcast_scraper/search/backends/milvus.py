"""A backend whose engines are a Milvus server: the same queries when one machine is not enough.

Milvus holds keys, filters and two vectors a document (:mod:`.milvus_collections`); texts, names,
phrases and term statistics stay with the records (:mod:`.engine_records`), which are the truth. The
collections follow them by the outbox (:mod:`podcast_scraper.search.following`) and can be filled
anew from them at any time. BM25 weights are ours (:mod:`.sparse_bm25`), so the ranking does not
depend on how many machines share the rows.
"""

from __future__ import annotations

import contextlib
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from podcast_scraper.embed.vectors import unit_vectors
from podcast_scraper.errors import IndexDamagedError
from podcast_scraper.search.analysis import query_terms
from podcast_scraper.search.backends.engine_records import EngineRecords
from podcast_scraper.search.backends.milvus_collections import Collections
from podcast_scraper.search.backends.milvus_followed import FollowingCollections
from podcast_scraper.search.backends.milvus_seal import MilvusSeal, read_seal, write_seal
from podcast_scraper.search.backends.milvus_search import Found, MilvusSearch
from podcast_scraper.search.backends.ranking import by_date, check_k, ranked
from podcast_scraper.search.backends.sparse_bm25 import (
    document_terms,
    query_vector,
    shares,
    wanted_terms,
)
from podcast_scraper.search.documents import TIERS
from podcast_scraper.search.following import Follower
from podcast_scraper.search.spelling import complete, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    import sqlalchemy as sa
    from numpy.typing import NDArray

    from podcast_scraper.search.backend import (
        BackendHealth,
        Filters,
        ScoredResult,
        SearchQuery,
        Tier,
    )
    from podcast_scraper.search.backends.milvus_client import MilvusServer
    from podcast_scraper.search.documents import Document

# Above this change of a mean length the vectors are made anew, with a new generation.
MOST_DRIFT: Final = 0.05


class MilvusBackend:
    """A :class:`~podcast_scraper.search.backend.SearchBackend` over records and a Milvus server.

    Searching is safe from many threads. One process writes at a time; it reads what it wrote
    (strong consistency), others may see changes some moments later (bounded).
    """

    def __init__(
        self, engine: sa.Engine, server: MilvusServer, seal: MilvusSeal, *, writes: bool
    ) -> None:
        self.engine = engine
        self.seal = seal
        self.dimension = seal.dimension
        self.collections = Collections(server, seal.generation)
        self._server = server
        self._writes = writes
        self._records = EngineRecords(engine)
        consistency = "Strong" if writes else server.target.consistency
        self._search = MilvusSearch(self.collections, self._records.queries, consistency)
        followed = FollowingCollections(
            self.collections, self._records.statistics, seal.dimension, consistency
        )
        self.follower = Follower(engine, followed, server.target.label)
        self._writing = threading.Lock()

    @classmethod
    def create(
        cls, engine: sa.Engine, server: MilvusServer, dimension: int, generation: int
    ) -> MilvusBackend:
        """Make the side tables in a database of records.

        Readers can open the index after the first :meth:`create_indices`, which makes collections.
        Raises EngineUnavailableError where the server does not answer.
        """
        backend = cls(engine, server, MilvusSeal(generation, dimension), writes=True)
        server.require()  # said now, not when everything has been embedded
        backend._records.create()
        return backend

    @classmethod
    def open(
        cls, engine: sa.Engine, server: MilvusServer, *, read_only: bool = True
    ) -> MilvusBackend:
        """Open an index that was made visible.

        Where the server has lost its collections, a writer's :meth:`catch_up` fills them anew, and
        a reader gets IndexDamagedError. So does everybody where the records were never finished.
        Raises EngineUnavailableError where the server does not answer.
        """
        try:
            backend = cls(engine, server, read_seal(engine), writes=not read_only)
            backend._find_collections()
        except BaseException:
            server.close()
            engine.dispose()
            raise
        return backend

    def _find_collections(self) -> None:
        if self.collections.exist():
            return
        if self._writes:
            self.follower.start_over()
        else:
            where = self._server.target.uri
            raise IndexDamagedError(
                f"{where} holds no collection {self.collections.name(TIERS[0])} for this index.",
                mend="Fill it with `podcast-scraper outbox drain CORPUS`.",
                subject=where,
            )

    def close(self) -> None:
        """Let go of connections."""
        self._server.close()
        self.engine.dispose()

    # Searching ----------------------------------------------------------------------------------

    def search_bm25(self, query: SearchQuery) -> list[ScoredResult]:
        """Return the documents with the best BM25 score; empty where the text has no terms."""
        check_k(query.k)
        terms = query_terms(query.text) or query_terms(" ".join(query.filters.phrases))
        vector = query_vector(terms, self._records.statistics.of_terms(wanted_terms(terms)))
        return self._ranked(self._search.sparse(vector, query), "bm25", query.k) if vector else []

    def search_vector(self, query: SearchQuery) -> list[ScoredResult]:
        """Return the documents nearest to the embedding by cosine; empty without an embedding."""
        check_k(query.k)
        if query.embedding is None:
            return []
        rows = np.atleast_2d(np.asarray(query.embedding))
        (unit,) = unit_vectors(rows, self.dimension, model="in use")
        return self._ranked(self._search.dense(unit, query), "vector", query.k)

    def browse(self, query: SearchQuery) -> list[ScoredResult]:
        """Return what the filters allow, newest first, unknown dates last; scores are 1 / rank."""
        check_k(query.k)
        newest = self._records.queries.newest(query.filters, query.tier, query.k)
        return by_date(newest)

    def count_undated(self, query: SearchQuery) -> int:
        """Return how many documents a date filter hides because their date is unknown."""
        if query.filters.since is None and query.filters.until is None:
            return 0
        others = replace(query.filters, since=None, until=None)
        return self._records.queries.count_undated(others, query.tier)

    def explain_bm25(self, text: str, doc_id: str) -> dict[str, float]:
        """Return what each term of a text adds to the BM25 score of a document.

        Nothing where Milvus scores by itself: it does not say.
        """
        document = self.fetch([doc_id]).get(doc_id)
        if document is None or self.collections.scores_itself:
            return {}
        terms, known = query_terms(text), self._records.statistics
        statistics = known.of_terms(wanted_terms(terms))
        return shares(terms, statistics, document_terms(document), known.average_lengths())

    def complete(self, text: str, limit: int = 8) -> list[str]:
        """Return what a text may become when its last word is finished, most frequent first."""
        return complete(self._records.statistics, text, limit)

    def did_you_mean(self, text: str) -> str | None:
        """Return the text with unknown words replaced by near known ones; None if none is."""
        return did_you_mean(self._records.statistics, text)

    def vector(self, doc_id: str) -> NDArray[np.float32] | None:
        """Return the unit vector of a document; None for an unknown id."""
        return self._records.queries.vector(doc_id)

    def fetch(self, doc_ids: Sequence[str]) -> dict[str, Document]:
        """Return the documents with these ids in one read; unknown ids are left out."""
        return self._records.documents.fetch(doc_ids)

    def allowed_keys(self, filters: Filters, tier: Tier) -> NDArray[np.int64] | None:
        """Return the keys of the documents that filters and tier leave; None: all of them."""
        if not filters and tier == "all":
            return None
        return self._records.queries.keys(filters, tier)

    def health(self) -> BackendHealth:
        """Count what Milvus finds and say where that is not what it was given."""
        return self.follower.completeness.look()

    def noticed(self) -> tuple[str, ...]:
        """Return what was wrong with Milvus within the last half minute."""
        return self.follower.completeness.recent().reasons

    def check(self) -> None:
        """Do nothing: the store and Milvus look for damage themselves."""

    def _ranked(self, found: Found, signal: str, k: int) -> list[ScoredResult]:
        names = self._records.documents.names([key for key, _ in found])
        return ranked(found, names, signal, k)

    # Writing ------------------------------------------------------------------------------------

    def upsert_segment(self, documents: Sequence[Document], vectors: NDArray[np.float32]) -> None:
        """Write segments and their vectors, shape ``(n, dimension)``, over those of the same ids.

        One call is one transaction: give some hundred documents at a time.
        """
        with self.changing() as change:
            change.upsert("segment", documents, vectors)

    def upsert_insight(self, documents: Sequence[Document], vectors: NDArray[np.float32]) -> None:
        """Write insights and their vectors; see :meth:`upsert_segment`."""
        with self.changing() as change:
            change.upsert("insight", documents, vectors)

    def delete(self, doc_ids: Sequence[str]) -> None:
        """Remove documents and their vectors; unknown ids are ignored."""
        with self.changing() as change:
            change.delete(doc_ids)

    @contextlib.contextmanager
    def changing(self) -> Iterator[MilvusChange]:
        """Change records in one transaction; Milvus is told by :meth:`create_indices`."""
        with self._writing, self.engine.begin() as connection:
            yield MilvusChange(connection, self._records, self.dimension)

    @contextlib.contextmanager
    def revising(self) -> Iterator[MilvusChange]:
        """Change an index that is being read; what the block did is found when it has ended."""
        with self.changing() as change:
            self.seal = replace(self.seal, revision=self.seal.revision + 1)
            write_seal(change.connection, self.seal)
            yield change
        self.catch_up()

    def create_indices(self, queries: NDArray[np.float32] | None = None) -> None:
        """Make every change visible. ``queries`` are for engines that are tuned on some."""
        with self._writing, self.engine.begin() as connection:
            if not self._records.statistics.frozen:
                self._records.statistics.freeze(connection)
            write_seal(connection, self.seal)
        self.catch_up()

    def catch_up(self) -> int:
        """Tell Milvus what it has yet to be told; safe to repeat after any failure."""
        with self._writing:
            return self.follower.catch_up()

    def publish(self, generations: Collection[int]) -> None:
        """Lead the aliases to these collections; drop those of other than these generations."""
        try:
            self.collections.publish(generations)
        finally:
            self._server.close()

    @property
    def revision(self) -> int:
        """How often the index was changed since it was built."""
        return self.seal.revision

    @property
    def is_lean(self) -> bool:
        """Whether it can be changed further: not where its mean lengths have become others."""
        return self._records.statistics.drift() <= MOST_DRIFT


class MilvusChange:
    """What is being changed: ``connection`` is in the transaction that changes the records."""

    def __init__(self, connection: sa.Connection, records: EngineRecords, dimension: int) -> None:
        self.connection = connection
        self._records = records
        self._dimension = dimension

    def upsert(
        self, tier: str, documents: Sequence[Document], vectors: NDArray[np.float32]
    ) -> None:
        """Write documents of one tier and their vectors, shape ``(n, dimension)``."""
        self._records.upsert(self.connection, tier, documents, vectors, self._dimension)

    def delete(self, doc_ids: Sequence[str]) -> None:
        """Remove documents and their vectors; unknown ids are ignored."""
        self._records.delete(self.connection, doc_ids)
