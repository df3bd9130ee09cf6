"""Documents as an engine on another machine follows them: records first, the engine after.

Every change is one transaction of the records: documents and vectors, the statistics of their
terms, the words that phrases are found in, and a row of the outbox. The engine is told afterwards
(:mod:`podcast_scraper.search.following`) and may be told twice: keys are never used again, so a
change that is repeated changes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import sqlalchemy as sa

from podcast_scraper.search.backends.document_queries import DocumentQueries, words_of
from podcast_scraper.search.backends.records import (
    DocumentRecords,
    delete_documents,
    documents_of_keys,
    replace_documents,
)
from podcast_scraper.search.backends.revision import checked
from podcast_scraper.search.backends.side_tables import DOCUMENT_WORDS, SIDE_TABLES
from podcast_scraper.search.backends.sparse_bm25 import document_terms
from podcast_scraper.search.backends.term_statistics import StoredStatistics, TermCounts
from podcast_scraper.storage.listed import among, listed
from podcast_scraper.storage.schema import IndexedDocument

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from podcast_scraper.search.documents import Document

_GOING: Final = sa.select(IndexedDocument.key).where(among(IndexedDocument.doc_id))


class EngineRecords:
    """The records of one generation, with what an engine elsewhere needs beside them."""

    def __init__(self, engine: sa.Engine) -> None:
        self.engine = engine
        self.documents = DocumentRecords(engine)
        self.queries = DocumentQueries(engine)
        self.statistics = StoredStatistics(engine)

    def create(self) -> None:
        """Make the tables that are missing."""
        SIDE_TABLES.create_all(self.engine)

    def upsert(
        self,
        connection: sa.Connection,
        tier: str,
        documents: Sequence[Document],
        vectors: NDArray[np.float32],
        dimension: int,
    ) -> None:
        """Write documents of one tier over those of the same ids, in a transaction of the caller's.

        Raises UsageError for documents and ModelError for vectors that cannot be indexed.
        """
        batch, rows = checked(tier, documents, vectors, dimension)
        if not batch:
            return
        self._forget(connection, [document.doc_id for document in batch])
        keys, _ = replace_documents(connection, batch, rows)
        counts = TermCounts.of(document_terms(document) for document in batch)
        self.statistics.add(connection, counts)
        pairs = list(zip(keys, batch, strict=True))
        words = [
            {"key": key, "said": words_of(one.text), "described": words_of(one.context)}
            for key, one in pairs
        ]
        connection.execute(sa.insert(DOCUMENT_WORDS), words)

    def delete(self, connection: sa.Connection, doc_ids: Sequence[str]) -> None:
        """Remove documents, in a transaction of the caller's; unknown ids are ignored."""
        self._forget(connection, doc_ids)
        delete_documents(connection, doc_ids)

    def _forget(self, connection: sa.Connection, doc_ids: Sequence[str]) -> None:
        """Take what belongs to documents that are about to go out of the side tables."""
        going = connection.execute(_GOING, listed(doc_ids)).all()
        if not going:
            return
        keys = [row.key for row in going]
        documents = documents_of_keys(connection, keys)
        counts = TermCounts.of(document_terms(document) for document in documents.values())
        self.statistics.remove(connection, counts)
        connection.execute(
            sa.delete(DOCUMENT_WORDS).where(among(DOCUMENT_WORDS.c.key)), listed(keys)
        )
