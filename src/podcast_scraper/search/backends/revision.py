"""Changing the documents of an index: the batch as it is checked, and one revision."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from podcast_scraper.embed.vectors import unit_vectors
from podcast_scraper.errors import UsageError
from podcast_scraper.search.backends.checks import check_document
from podcast_scraper.search.backends.records import delete_documents, replace_documents

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import sqlalchemy as sa
    from numpy.typing import NDArray

    from podcast_scraper.search.backends.dense_files import DenseChange
    from podcast_scraper.search.backends.lexical import LexicalIndex
    from podcast_scraper.search.documents import Document


class Revision:
    """What is being changed in :meth:`EmbeddedBackend.revising`.

    ``connection`` is in the transaction of the revision: records are changed through it.
    """

    def __init__(
        self,
        connection: sa.Connection,
        lexical: LexicalIndex,
        change: DenseChange,
        dimension: int,
    ) -> None:
        self.connection = connection
        self._lexical = lexical
        self._change = change
        self._dimension = dimension

    def delete(self, doc_ids: Sequence[str]) -> None:
        """Remove documents and their vectors; unknown ids are ignored."""
        self._gone(delete_documents(self.connection, doc_ids))

    def upsert(
        self, tier: str, documents: Sequence[Document], vectors: NDArray[np.float32]
    ) -> None:
        """Write documents of one tier and their vectors, shape ``(n, dimension)``."""
        batch, rows = checked(tier, documents, vectors, self._dimension)
        if batch:
            keys, gone = replace_documents(self.connection, batch, rows)
            self._gone(gone)
            self._lexical.add(zip(keys, batch, strict=True))
            self._change.add(keys, batch, rows)

    def _gone(self, keys: Sequence[int]) -> None:
        self._lexical.delete(keys)
        self._change.remove(keys)


def checked(
    tier: str, documents: Sequence[Document], vectors: NDArray[np.float32], dimension: int
) -> tuple[list[Document], Any]:
    """Return the documents, of several with one id the last, and their unit vectors."""
    if len(documents) != len(vectors):
        raise UsageError(f"{len(documents)} documents came with {len(vectors)} vectors.")
    if not documents:
        return [], vectors
    rows = unit_vectors(vectors, dimension, model="in use")
    places = list({document.doc_id: n for n, document in enumerate(documents)}.values())
    batch = [documents[place] for place in places]
    for document in batch:
        check_document(document, tier)
    return batch, rows[places]
