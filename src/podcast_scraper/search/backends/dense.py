"""The dense engine: exact cosine search over the vectors that SQLite holds.

Vectors are plain rows of ``document_vectors``. sqlite-vec's own ``vec0`` tables were the
alternative: they walk every chunk for a filter, keep the room of deleted rows and take ten times
as long to scan (``benchmarks/engines.py``). Here a deleted row is gone, a few allowed documents are
scored in SQL by sqlite-vec, and everything else by one matrix product over a copy in memory, read
once from SQLite and dropped when it changes.

Cosines are rounded to six decimals: below that, a float32 sum depends on where a row lies in the
matrix, and equal texts would not tie.
"""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Final

import numpy as np
import sqlalchemy as sa

from podcast_scraper.embed.vectors import unit_vectors
from podcast_scraper.errors import IndexDamagedError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

SMALL_SET: Final = 500
DECIMALS: Final = 6

_FEW: Final = sa.text(
    f"""
    SELECT v.key, round(1 - vec_distance_cosine(v.embedding, :vector), {DECIMALS}) AS cosine
    FROM document_vectors AS v JOIN documents AS d ON d.key = v.key
    WHERE v.key IN (SELECT value FROM json_each(:keys))
    ORDER BY cosine DESC, d.doc_id LIMIT :k
    """
)
_ALL: Final = sa.text(
    """
    SELECT v.key, v.embedding
    FROM documents AS d JOIN document_vectors AS v ON v.key = d.key ORDER BY d.doc_id
    """
)


class DenseIndex:
    """Exact search over ``document_vectors``; ``dimension`` is that of every vector."""

    def __init__(self, engine: sa.Engine, dimension: int) -> None:
        self.dimension = dimension
        self._engine = engine
        self._lock = threading.Lock()
        self._mirror: _Mirror | None = None

    def search(
        self, vector: ArrayLike, k: int, allowed: NDArray[np.int64] | None = None
    ) -> list[tuple[int, float]]:
        """Return ``(key, cosine)`` of the ``k`` nearest documents, ties by doc_id.

        ``allowed`` holds the sorted keys to search among; None means all. Raises ModelError for a
        vector of another dimension, of zeros, or with NaN or infinity.
        """
        (unit,) = unit_vectors(np.atleast_2d(np.asarray(vector)), self.dimension, model="in use")
        if allowed is not None and len(allowed) <= SMALL_SET:
            return self._among_few(unit, k, allowed)
        return self._current().search(unit, k, allowed)

    def refresh(self) -> None:
        """Forget the copy in memory; the next search reads the vectors again."""
        with self._lock:
            self._mirror = None

    def _among_few(
        self, unit: NDArray[np.float32], k: int, allowed: NDArray[np.int64]
    ) -> list[tuple[int, float]]:
        values = {
            "vector": unit.astype("<f4").tobytes(),
            "keys": json.dumps(allowed.tolist()),
            "k": k,
        }
        with self._engine.connect() as connection:
            rows = connection.execute(_FEW, values).all()
        return [(key, cosine) for key, cosine in rows]

    def _current(self) -> _Mirror:
        with self._lock:
            if self._mirror is None:
                self._mirror = _Mirror.read(self._engine, self.dimension)
            return self._mirror


class _Mirror:
    """The vectors as one matrix, rows in the order of doc_id, so that equal scores tie by it."""

    def __init__(self, keys: NDArray[np.int64], matrix: NDArray[np.float32]) -> None:
        self._keys = keys
        self._matrix = matrix
        self._by_key = np.argsort(keys)

    @classmethod
    def read(cls, engine: sa.Engine, dimension: int) -> _Mirror:
        keys: list[int] = []
        blobs: list[bytes] = []
        with engine.connect() as connection:
            for key, blob in connection.execute(_ALL):
                keys.append(key)
                blobs.append(blob)
        data = b"".join(blobs)
        if len(data) != len(keys) * dimension * 4 or len({len(blob) for blob in blobs}) > 1:
            raise IndexDamagedError(
                f"The index holds vectors that are not of {dimension} dimensions.",
                mend="Build the index again with `podcast-scraper index`.",
                subject=dimension,
            )
        matrix = np.frombuffer(data, dtype="<f4").reshape(-1, dimension)
        return cls(np.array(keys, dtype=np.int64), matrix)

    def search(
        self, unit: NDArray[np.float32], k: int, allowed: NDArray[np.int64] | None
    ) -> list[tuple[int, float]]:
        if allowed is None:
            rows, scores = None, self._matrix @ unit
        else:
            rows = self._rows_of(allowed)
            scores = self._matrix[rows] @ unit
        cosines = np.asarray(scores, dtype=np.float64).round(DECIMALS)
        best = _best(cosines, k)
        keys = self._keys[best if rows is None else rows[best]]
        return list(zip(keys.tolist(), cosines[best].tolist(), strict=True))

    def _rows_of(self, allowed: NDArray[np.int64]) -> NDArray[np.int64]:
        places = np.searchsorted(self._keys, allowed, sorter=self._by_key)
        places = places[places < len(self._keys)]
        rows = self._by_key[places]
        return np.sort(rows[np.isin(self._keys[rows], allowed)])


def _best(scores: NDArray[np.float64], k: int) -> NDArray[np.int64]:
    """Return the places of the ``k`` largest scores, best first, equal ones in their order."""
    if len(scores) > k:
        threshold = np.partition(scores, len(scores) - k)[len(scores) - k]
        places = np.flatnonzero(scores >= threshold)
    else:
        places = np.arange(len(scores))
    return places[np.argsort(-scores[places], kind="stable")][:k]
