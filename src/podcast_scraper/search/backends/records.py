"""Documents and vectors as rows of the records: the truth that the engines are built from.

A document that is written again gets a new key, and no key is ever used twice: a reader that still
holds an older state of the engines finds nothing under a key that went, never another document.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from podcast_scraper.errors import IndexStateError
from podcast_scraper.search.documents import Document
from podcast_scraper.storage.dialects import new_keys
from podcast_scraper.storage.listed import among, listed
from podcast_scraper.storage.outbox import note
from podcast_scraper.storage.schema import DocumentEntity, DocumentVector, IndexedDocument

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

# Filter → role.
FILTERED_ROLES: Final = {"persons": "speaker", "mentions": "mention", "topics": "topic"}
_ROLES: Final = {"speaker": "speakers", "topic": "topics", "mention": "mentions"}
_NAMES: Final = tuple(field.name for field in fields(Document))
_COLUMNS: Final = tuple(getattr(IndexedDocument, name) for name in _NAMES)


# Built once: composing a statement costs more than running one of these.
_KEY_OF: Final = sa.select(IndexedDocument.doc_id, IndexedDocument.key).where(
    among(IndexedDocument.doc_id)
)
_GOING: Final = sa.select(IndexedDocument.doc_id, IndexedDocument.tier, IndexedDocument.key).where(
    among(IndexedDocument.doc_id)
)
_ROWS: Final = sa.select(IndexedDocument.key, *_COLUMNS)
_FETCH_KEYS: Final = _ROWS.where(among(IndexedDocument.key))
_FETCH: Final = _ROWS.where(among(IndexedDocument.doc_id))
_WITH_ENTITY: Final = sa.select(DocumentEntity.key).where(
    DocumentEntity.role == sa.bindparam("role"), among(DocumentEntity.entity_id)
)
_DELETE: Final = sa.delete(IndexedDocument).where(among(IndexedDocument.key))


class DocumentRecords:
    """Reads the rows of documents. Every method is at most one transaction.

    The ``kept`` documents that were read last stay in memory: what a stage of a query finds is then
    read once, and what many queries find is not read at all. Only for an engine whose connections
    stay in one snapshot.
    """

    def __init__(self, engine: sa.Engine, *, kept: int = 0) -> None:
        self.engine = engine
        self._kept = _Kept(kept)

    def keys(self, doc_ids: Sequence[str]) -> dict[str, int]:
        """Return doc_id → key of those that exist."""
        return {row[0]: row[1] for row in self._read(_KEY_OF, doc_ids)}

    def names(self, keys: Sequence[int]) -> dict[int, tuple[str, str]]:
        """Return key → (doc_id, tier) of those that exist."""
        found = self.of_keys(keys)
        return {key: (document.doc_id, document.tier) for key, document in found.items()}

    def of_keys(self, keys: Sequence[int]) -> dict[int, Document]:
        """Return key → document of those that exist."""
        found, missing = self._kept.of_keys(keys)
        if missing:
            found.update(self._documents(_FETCH_KEYS, missing))
        return found

    def fetch(self, doc_ids: Sequence[str]) -> dict[str, Document]:
        """Return the documents with these ids in one read; unknown ids are left out."""
        found, missing = self._kept.of_ids(doc_ids)
        if missing:
            read = self._documents(_FETCH, missing)
            found.update((document.doc_id, document) for document in read.values())
        return found

    def _documents(
        self, statement: sa.Executable, values: Sequence[str | int]
    ) -> dict[int, Document]:
        found = {row[0]: Document(*row[1:]) for row in self._read(statement, values)}
        self._kept.add(found)
        return found

    def with_entities(self, role: str, entity_ids: Sequence[str]) -> NDArray[np.int64]:
        """Return the keys of the documents that have one of the entities in a role, ascending."""
        keys = [row[0] for row in self._read(_WITH_ENTITY, entity_ids, role=role)]
        return np.unique(np.array(keys, dtype=np.int64))

    def count(self) -> int:
        """Return how many documents there are."""
        with self.engine.connect() as connection:
            statement = sa.select(sa.func.count()).select_from(IndexedDocument)
            return connection.execute(statement).scalar_one()

    def _read(
        self, statement: sa.Executable, values: Sequence[str | int], **more: str
    ) -> list[Any]:
        with self.engine.connect() as connection:
            return list(connection.execute(statement, {**listed(values), **more}).all())


class _Kept:
    """The documents that were added last, by key and by id. Safe among threads."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._documents: OrderedDict[int, Document] = OrderedDict()
        self._keys: dict[str, int] = {}
        self._lock = threading.Lock()

    def of_keys(self, keys: Sequence[int]) -> tuple[dict[int, Document], list[int]]:
        """Return the documents that are kept, and the keys of the others."""
        with self._lock:
            found = {key: self._documents[key] for key in keys if key in self._documents}
            for key in found:
                self._documents.move_to_end(key)
        return found, [key for key in keys if key not in found]

    def of_ids(self, doc_ids: Sequence[str]) -> tuple[dict[str, Document], list[str]]:
        """Return the documents that are kept, and the ids of the others."""
        with self._lock:
            keys = {doc_id: self._keys[doc_id] for doc_id in doc_ids if doc_id in self._keys}
            found = {doc_id: self._documents[key] for doc_id, key in keys.items()}
            for key in keys.values():
                self._documents.move_to_end(key)
        return found, [doc_id for doc_id in doc_ids if doc_id not in found]

    def add(self, documents: Mapping[int, Document]) -> None:
        """Keep documents in place of those that were asked for longest ago."""
        if not self._size:
            return
        with self._lock:
            self._documents.update(documents)
            self._keys.update((one.doc_id, key) for key, one in documents.items())
            while len(self._documents) > self._size:
                _, dropped = self._documents.popitem(last=False)
                del self._keys[dropped.doc_id]


def documents_of_keys(connection: sa.Connection, keys: Sequence[int]) -> dict[int, Document]:
    """Return key → document of those that exist, as a transaction sees it."""
    return {row[0]: Document(*row[1:]) for row in connection.execute(_FETCH_KEYS, listed(keys))}


def replace_documents(
    connection: sa.Connection, documents: Sequence[Document], vectors: NDArray[np.float32]
) -> tuple[list[int], list[int]]:
    """Write documents of distinct ids in place of those with the same ids; note it in the outbox.

    Returns their keys, ascending and never used before, and the keys that went.
    """
    gone = delete_documents(connection, [document.doc_id for document in documents])
    keys = new_keys(connection, IndexedDocument.__tablename__, len(documents))
    try:
        _insert(connection, keys, documents, vectors)
    except IntegrityError as error:
        raise IndexStateError(
            "Documents were written before their episodes.",
            mend="Write the rows of shows and episodes first.",
            subject=documents[0].episode_id,
        ) from error
    pairs = zip(keys, documents, strict=True)
    note(connection, [("upsert", one.doc_id, one.tier, key) for key, one in pairs])
    return keys, gone


def delete_documents(connection: sa.Connection, doc_ids: Sequence[str]) -> list[int]:
    """Remove documents with their vectors, and note it in the outbox; return their keys."""
    going = connection.execute(_GOING, listed(doc_ids)).all()
    keys = [row.key for row in going]
    if keys:
        connection.execute(_DELETE, listed(keys))
        note(connection, [("delete", row.doc_id, row.tier, row.key) for row in going])
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
