"""Documents and vectors as SQLite rows: the truth that the engines are built from."""

from __future__ import annotations

import hashlib
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from podcast_scraper.errors import IndexStateError
from podcast_scraper.search.documents import TIERS, Document
from podcast_scraper.storage.listed import among, listed
from podcast_scraper.storage.schema import DocumentEntity, DocumentVector, IndexedDocument

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

_ROLES: Final = {"speaker": "speakers", "topic": "topics", "mention": "mentions"}
_NAMES: Final = tuple(field.name for field in fields(Document))
_COLUMNS: Final = tuple(getattr(IndexedDocument, name) for name in _NAMES)


# Built once: composing a statement costs more than running one of these.
_KEY_OF: Final = sa.select(IndexedDocument.doc_id, IndexedDocument.key).where(
    among(IndexedDocument.doc_id)
)
_NAME_OF: Final = sa.select(
    IndexedDocument.key, IndexedDocument.doc_id, IndexedDocument.tier
).where(among(IndexedDocument.key))
_FETCH: Final = sa.select(*_COLUMNS).where(among(IndexedDocument.doc_id))
_NEWEST: Final = (
    sa.select(IndexedDocument.doc_id, IndexedDocument.tier)
    .order_by(
        IndexedDocument.published.is_(None),
        IndexedDocument.published.desc(),
        IndexedDocument.doc_id,
    )
    .limit(sa.bindparam("k"))
)
_NEWEST_AMONG: Final = _NEWEST.where(among(IndexedDocument.key))
_DELETE: Final = sa.delete(IndexedDocument).where(among(IndexedDocument.key))


class DocumentRecords:
    """Reads and writes the rows of documents. Every method is one transaction."""

    def __init__(self, engine: sa.Engine) -> None:
        self.engine = engine

    def keys(self, doc_ids: Sequence[str]) -> dict[str, int]:
        """Return doc_id → key of those that exist."""
        return {row[0]: row[1] for row in self._read(_KEY_OF, doc_ids)}

    def names(self, keys: Sequence[int]) -> dict[int, tuple[str, str]]:
        """Return key → (doc_id, tier) of those that exist."""
        return {key: (doc_id, tier) for key, doc_id, tier in self._read(_NAME_OF, keys)}

    def fetch(self, doc_ids: Sequence[str]) -> dict[str, Document]:
        """Return the documents with these ids in one read; unknown ids are left out."""
        return {row[0]: Document(*row) for row in self._read(_FETCH, doc_ids)}

    def newest(self, allowed: Sequence[int] | None, k: int) -> list[tuple[str, str]]:
        """Return ``(doc_id, tier)`` of the ``k`` newest of the allowed keys, no date last."""
        if allowed is not None:
            return [(row[0], row[1]) for row in self._read(_NEWEST_AMONG, allowed, k=k)]
        with self.engine.connect() as connection:
            return [(row[0], row[1]) for row in connection.execute(_NEWEST, {"k": k})]

    def _read(
        self, statement: sa.Executable, values: Sequence[str | int], **more: int
    ) -> list[Any]:
        parameters = {**listed(values), **more}
        with self.engine.connect() as connection:
            return list(connection.execute(statement, parameters).all())

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

    def replace(
        self, documents: Sequence[Document], vectors: NDArray[np.float32]
    ) -> tuple[list[int], list[int]]:
        """Write documents of distinct ids in place of those with the same ids.

        Returns the keys of the documents, and those among them that were in use before.
        """
        known = self.keys([document.doc_id for document in documents])
        try:
            with self.engine.begin() as connection:
                connection.execute(_DELETE, listed(known.values()))
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
            connection.execute(_DELETE, listed(keys))
        return keys


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
    digest = hashlib.sha256(document.text.encode("utf-8")).hexdigest()
    return {
        "key": key,
        "text_hash": digest,
        **{name: getattr(document, name) for name in _NAMES},
    }
