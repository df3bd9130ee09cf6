"""The collections of a generation as an engine that follows the records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podcast_scraper.search.backend import BackendHealth
from podcast_scraper.search.backends.milvus_collections import Row
from podcast_scraper.search.backends.sparse_bm25 import (
    document_terms,
    document_text,
    document_vector,
)
from podcast_scraper.search.documents import TIERS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from podcast_scraper.search.backends.milvus_collections import Collections
    from podcast_scraper.search.backends.term_statistics import TermStatistics
    from podcast_scraper.search.documents import Document
    from podcast_scraper.search.followed import Payload
    from podcast_scraper.storage.outbox import Change


class FollowingCollections:
    """Keys are never used twice, so removing and writing by key can be repeated."""

    def __init__(
        self,
        collections: Collections,
        statistics: TermStatistics,
        dimension: int,
        consistency: str,
    ) -> None:
        self._collections = collections
        self._statistics = statistics
        self._dimension = dimension
        self._consistency = consistency

    def begin(self) -> None:
        """Make empty collections."""
        self._collections.create(self._dimension)

    def tell(self, gone: Sequence[Change], written: Payload) -> None:
        """Remove documents by key, then write others."""
        averages = self._statistics.average_lengths()
        for tier in TIERS:
            if keys := [change.key for change in gone if change.tier == tier]:
                self._collections.delete(tier, keys)
            part = written.of(tier)
            rows = [
                Row(key, document, vector, self._lexical(document, averages))
                for key, document, vector in zip(
                    part.keys, part.documents, part.vectors, strict=True
                )
            ]
            self._collections.upsert(tier, rows)

    def _lexical(
        self, document: Document, averages: Mapping[str, float]
    ) -> Mapping[int, float] | str:
        terms = document_terms(document)
        if self._collections.scores_itself:
            return document_text(terms)
        return document_vector(terms, averages)

    def health(self) -> BackendHealth:
        """Count rows."""
        return BackendHealth(
            {tier: self._collections.count(tier, consistency=self._consistency) for tier in TIERS}
        )

    def lacks(self, documents: Payload) -> list[str]:
        """Ask for documents by key; return the ids of those not found."""
        if not documents.keys:
            return []
        tier = documents.documents[0].tier
        present = self._collections.present(tier, documents.keys, consistency=self._consistency)
        pairs = zip(documents.keys, documents.documents, strict=True)
        return [document.doc_id for key, document in pairs if key not in present]
