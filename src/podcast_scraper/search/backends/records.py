"""Documents and vectors as SQLite rows: the truth that the engines are built from."""

from __future__ import annotations

import hashlib
import json
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from podcast_scraper.errors import IndexStateError
from podcast_scraper.search.documents import TIERS, Document
from podcast_scraper.storage.schema import DocumentEntity, DocumentVector, IndexedDocument

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray
    from sqlalchemy.orm import InstrumentedAttribute

_ROLES: Final = {"speaker": "speakers", "topic": "topics", "mention": "mentions"}
_COLUMNS: Final = tuple(getattr(IndexedDocument, field.name) for field in fields(Document))
_LISTS: Final = ("speakers", "topics", "mentions", "linked")


class DocumentRecords:
    """Reads and writes the rows of documents. Every method is one transaction."""

    def __init__(self, engine: sa.Engine) -> None:
        self.engine = engine

    def keys(self, doc_ids: Sequence[str]) -> dict[str, int]:
        """Return doc_id → key of those that exist."""
        statement = sa.select(IndexedDocument.doc_id, IndexedDocument.key)
        with self.engine.connect() as connection:
            rows = connection.execute(statement.where(_among(IndexedDocument.doc_id, doc_ids)))
            return {row.doc_id: row.key for row in rows}

    def names(self, keys: Sequence[int]) -> dict[int, tuple[str, str]]:
        """Return key → (doc_id, tier) of those that exist."""
        statement = sa.select(IndexedDocument.key, IndexedDocument.doc_id, IndexedDocument.tier)
        with self.engine.connect() as connection:
            rows = connection.execute(statement.where(_among(IndexedDocument.key, keys)))
            return {key: (doc_id, tier) for key, doc_id, tier in rows}

    def fetch(self, doc_ids: Sequence[str]) -> dict[str, Document]:
        """Return the documents with these ids in one read; unknown ids are left out."""
        statement = sa.select(*_COLUMNS).where(_among(IndexedDocument.doc_id, doc_ids))
        with self.engine.connect() as connection:
            rows = connection.execute(statement).all()
        return {row.doc_id: _document(row._mapping) for row in rows}

    def newest(self, allowed: Sequence[int] | None, k: int) -> list[tuple[str, str]]:
        """Return ``(doc_id, tier)`` of the ``k`` newest of the allowed keys, no date last."""
        statement = (
            sa.select(IndexedDocument.doc_id, IndexedDocument.tier)
            .order_by(
                IndexedDocument.published.is_(None),
                IndexedDocument.published.desc(),
                IndexedDocument.doc_id,
            )
            .limit(k)
        )
        if allowed is not None:
            statement = statement.where(_among(IndexedDocument.key, allowed))
        with self.engine.connect() as connection:
            return [(doc_id, tier) for doc_id, tier in connection.execute(statement)]

    def counts(self) -> tuple[dict[str, int], int]:
        """Return how many documents each tier has, and how many vectors there are."""
        tiers = dict.fromkeys(TIERS, 0)
        with self.engine.connect() as connection:
            tier = IndexedDocument.tier
            by_tier = sa.select(tier, sa.func.count()).group_by(tier)
            for row in connection.execute(by_tier):
                tiers[row[0]] = row[1]
            vectors = sa.select(sa.func.count()).select_from(DocumentVector)
            return tiers, connection.execute(vectors).scalar_one()

    def stream(self) -> Iterator[tuple[int, Document]]:
        """Yield every document with its key, in the order of keys."""
        statement = sa.select(IndexedDocument.key, *_COLUMNS).order_by(IndexedDocument.key)
        with self.engine.connect() as connection:
            for row in connection.execution_options(yield_per=500).execute(statement):
                yield row.key, _document(row._mapping)

    def replace(
        self, documents: Sequence[Document], vectors: NDArray[np.float32]
    ) -> tuple[list[int], list[int]]:
        """Write documents of distinct ids in place of those with the same ids.

        Returns the keys of the documents, and those among them that were in use before.
        """
        known = self.keys([document.doc_id for document in documents])
        try:
            with self.engine.begin() as connection:
                connection.execute(
                    sa.delete(IndexedDocument).where(_among(IndexedDocument.key, known.values()))
                )
                last = connection.execute(sa.select(sa.func.max(IndexedDocument.key))).scalar() or 0
                free = iter(range(max(last, *known.values(), 0) + 1, 2**62))
                keys = [
                    known[document.doc_id] if document.doc_id in known else next(free)
                    for document in documents
                ]
                _insert(connection, keys, documents, vectors)
        except IntegrityError as error:
            raise IndexStateError(
                "Documents were written before their episodes.",
                mend="Write the rows of shows and episodes first.",
                subject=documents[0].episode_id,
            ) from error
        return keys, list(known.values())

    def delete(self, doc_ids: Sequence[str]) -> list[int]:
        """Remove documents with their vectors; return their keys."""
        keys = list(self.keys(doc_ids).values())
        with self.engine.begin() as connection:
            connection.execute(sa.delete(IndexedDocument).where(_among(IndexedDocument.key, keys)))
        return keys


def _among(
    column: InstrumentedAttribute[Any], values: Iterable[str | int]
) -> sa.ColumnElement[bool]:
    # One parameter whatever the number of values: SQLite limits parameters, not their length.
    listed = sa.func.json_each(json.dumps(list(values))).table_valued("value")
    return column.in_(sa.select(listed.c.value))


def _insert(
    connection: sa.Connection,
    keys: Sequence[int],
    documents: Sequence[Document],
    vectors: NDArray[np.float32],
) -> None:
    pairs = list(zip(keys, documents, strict=True))
    connection.execute(sa.insert(IndexedDocument), [_row(key, document) for key, document in pairs])
    entities = [
        {"entity_id": entity, "role": role, "key": key}
        for key, document in pairs
        for role, name in _ROLES.items()
        for entity in dict.fromkeys(getattr(document, name))
    ]
    if entities:
        connection.execute(sa.insert(DocumentEntity), entities)
    connection.execute(
        sa.insert(DocumentVector),
        [
            {"key": key, "embedding": row.tobytes()}
            for key, row in zip(keys, vectors.astype("<f4"), strict=True)
        ],
    )


def _row(key: int, document: Document) -> dict[str, Any]:
    row = {field.name: getattr(document, field.name) for field in fields(Document)}
    row |= {name: list(row[name]) for name in _LISTS}
    digest = hashlib.sha256(document.text.encode("utf-8")).hexdigest()
    return {"key": key, "text_hash": digest, **row}


def _document(row: Any) -> Document:
    values = {field.name: row[field.name] for field in fields(Document)}
    return Document(**values | {name: tuple(values[name]) for name in _LISTS})
