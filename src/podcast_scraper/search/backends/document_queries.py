"""Filters as SQL over the rows of documents: for engines that cannot answer them, and to count.

Everything is built from columns and bound values. The words of phrases are looked for in
``document_words``, where they stand between spaces.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import sqlalchemy as sa

from podcast_scraper.search.analysis import exact_terms
from podcast_scraper.search.backends.lexical_queries import day_number
from podcast_scraper.search.backends.records import FILTERED_ROLES
from podcast_scraper.search.backends.side_tables import DOCUMENT_WORDS
from podcast_scraper.storage.listed import among, listed
from podcast_scraper.storage.schema import DocumentEntity, DocumentVector, IndexedDocument

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from podcast_scraper.search.backend import Filters, Tier

_COLUMNS: Final = {
    "shows": IndexedDocument.show_id,
    "episodes": IndexedDocument.episode_id,
    "insight_types": IndexedDocument.insight_type,
}
_VECTORS: Final = sa.select(DocumentVector.key, DocumentVector.embedding).where(
    among(DocumentVector.key)
)
_VECTOR_OF: Final = sa.select(DocumentVector.embedding).join(
    IndexedDocument, IndexedDocument.key == DocumentVector.key
)

Condition = sa.ColumnElement[bool]


class DocumentQueries:
    """Asks the records which documents filters allow."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def keys(self, filters: Filters, tier: Tier, *, limit: int | None = None) -> NDArray[np.int64]:
        """Return the keys of the documents that are allowed, ascending, at most ``limit``."""
        statement = sa.select(IndexedDocument.key).where(*conditions(filters, tier))
        rows = self._all(statement.order_by(IndexedDocument.key).limit(limit))
        return np.array([row[0] for row in rows], dtype=np.int64)

    def newest(self, filters: Filters, tier: Tier, k: int) -> list[tuple[str, str]]:
        """Return ``(doc_id, tier)`` of the ``k`` latest documents, unknown dates last."""
        document = IndexedDocument
        statement = sa.select(document.doc_id, document.tier).where(*conditions(filters, tier))
        ordered = statement.order_by(document.published.desc().nulls_last(), document.doc_id)
        return [(row[0], row[1]) for row in self._all(ordered.limit(k))]

    def count_undated(self, filters: Filters, tier: Tier) -> int:
        """Count the documents without a date that filters, which name no date, allow."""
        statement = sa.select(sa.func.count()).select_from(IndexedDocument)
        allowed = conditions(filters, tier)
        rows = self._all(statement.where(*allowed, IndexedDocument.published.is_(None)))
        return int(rows[0][0])

    def allowed(self, keys: Sequence[int], filters: Filters, tier: Tier) -> set[int]:
        """Return which of some keys filters allow."""
        statement = sa.select(IndexedDocument.key).where(
            among(IndexedDocument.key), *conditions(filters, tier)
        )
        return {row[0] for row in self._all(statement, listed(keys))}

    def vectors(self, keys: Sequence[int]) -> dict[int, NDArray[np.float32]]:
        """Return key → unit vector of those that exist."""
        rows = self._all(_VECTORS, listed(keys))
        return {row[0]: np.frombuffer(row[1], dtype="<f4") for row in rows}

    def vector(self, doc_id: str) -> NDArray[np.float32] | None:
        """Return the unit vector of a document; None for an unknown id."""
        rows = self._all(_VECTOR_OF.where(IndexedDocument.doc_id == doc_id))
        return np.frombuffer(rows[0][0], dtype="<f4") if rows else None

    def _all(self, statement: Any, values: Any = None) -> list[Any]:
        with self._engine.connect() as connection:
            return list(connection.execute(statement, values).all())


def conditions(filters: Filters, tier: Tier) -> list[Condition]:
    """Return what a row of ``documents`` must satisfy."""
    found: list[Condition] = []
    if tier != "all":
        found.append(IndexedDocument.tier == tier)
    for name, column in _COLUMNS.items():
        if values := getattr(filters, name):
            found.append(column.in_(values))
    for name, role in FILTERED_ROLES.items():
        if values := getattr(filters, name):
            with_entity = sa.select(DocumentEntity.key).where(
                DocumentEntity.role == role, DocumentEntity.entity_id.in_(values)
            )
            found.append(IndexedDocument.key.in_(with_entity))
    if filters.since is not None:
        found.append(IndexedDocument.published >= _day(filters.since))
    if filters.until is not None:
        found.append(IndexedDocument.published <= _day(filters.until))
    if filters.ads == "exclude":
        found.append(IndexedDocument.kind != "ad")
    return [*found, *_words(filters)]


def _day(day: str) -> str:
    day_number(day)  # refuses what is none
    return day


def _words(filters: Filters) -> list[Condition]:
    found: list[Condition] = []
    said, described = DOCUMENT_WORDS.c.said, DOCUMENT_WORDS.c.described
    for phrase in filters.phrases:
        if pattern := _pattern(phrase):
            found.append(_holding(said.like(pattern) | described.like(pattern)))
    for phrase in filters.excluded:
        if pattern := _pattern(phrase):
            found.append(~_holding(said.like(pattern)))
    return found


def _holding(condition: Condition) -> Condition:
    return IndexedDocument.key.in_(sa.select(DOCUMENT_WORDS.c.key).where(condition))


def _pattern(phrase: str) -> str | None:
    """Return the LIKE pattern of a phrase; terms hold letters, marks, digits and apostrophes."""
    words = exact_terms(phrase)
    return f"% {' '.join(words)} %" if words else None


def words_of(text: str) -> str:
    """Return the exact terms of a text as ``document_words`` holds them."""
    words = exact_terms(text)
    return f" {' '.join(words)} " if words else ""
