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
from podcast_scraper.search.documents import TIERS

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from podcast_scraper.search.backend import Tier

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
    SELECT v.key, d.tier, v.embedding
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
        self,
        vector: ArrayLike,
        k: int,
        *,
        tier: Tier = "all",
        allowed: NDArray[np.int64] | None = None,
    ) -> list[tuple[int, float]]:
        """Return ``(key, cosine)`` of the ``k`` nearest documents, ties by doc_id.

        ``allowed`` holds the keys to search among; without it, those of ``tier`` are searched.
        Raises ModelError for a vector of another dimension, of zeros, or with NaN or infinity.
        """
        (unit,) = unit_vectors(np.atleast_2d(np.asarray(vector)), self.dimension, model="in use")
        if allowed is not None and len(allowed) <= SMALL_SET:
            return self._among_few(unit, k, allowed)
        return self._current().search(unit, k, tier, allowed)

    def vector(self, key: int) -> NDArray[np.float32] | None:
        """Return the unit vector of a document, or None where it has none."""
        statement = sa.text("SELECT embedding FROM document_vectors WHERE key = :key")
        with self._engine.connect() as connection:
            blob = connection.execute(statement, {"key": key}).scalar()
        return None if blob is None else np.frombuffer(blob, dtype="<f4")

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

    def __init__(
        self, keys: NDArray[np.int64], tiers: NDArray[np.str_], matrix: NDArray[np.float32]
    ) -> None:
        self._keys = keys
        self._matrix = matrix
        self._rows = {"all": np.arange(len(keys))}
        self._rows |= {tier: np.flatnonzero(tiers == tier) for tier in TIERS}
        self._row_by_key = np.argsort(keys)
        self._sorted_keys = keys[self._row_by_key]

    @classmethod
    def read(cls, engine: sa.Engine, dimension: int) -> _Mirror:
        keys: list[int] = []
        tiers: list[str] = []
        blobs: list[bytes] = []
        with engine.connect() as connection:
            for key, tier, blob in connection.execute(_ALL):
                keys.append(key)
                tiers.append(tier)
                blobs.append(blob)
        data = b"".join(blobs)
        if len(data) != len(keys) * dimension * 4 or len({len(blob) for blob in blobs}) > 1:
            raise IndexDamagedError(
                f"The index holds vectors that are not of {dimension} dimensions.",
                mend="Build the index again with `podcast-scraper index`.",
                subject=dimension,
            )
        matrix = np.frombuffer(data, dtype="<f4").reshape(-1, dimension)
        return cls(np.array(keys, dtype=np.int64), np.array(tiers, dtype=np.str_), matrix)

    def search(
        self, unit: NDArray[np.float32], k: int, tier: Tier, allowed: NDArray[np.int64] | None
    ) -> list[tuple[int, float]]:
        rows = self._rows[tier] if allowed is None else self._rows_of(allowed)
        # Copying rows out costs more than multiplying all of them once they are no longer few.
        if len(rows) * 10 < len(self._keys):
            scores = self._matrix[rows] @ unit
        else:
            scores = (self._matrix @ unit)[rows]
        best, cosines = _best(scores, k)
        return list(zip(self._keys[rows[best]].tolist(), cosines.tolist(), strict=True))

    def _rows_of(self, allowed: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the rows of keys in their order; a key without a vector has none."""
        places = np.searchsorted(self._sorted_keys, allowed)
        places[places == len(self._sorted_keys)] = 0
        found = self._sorted_keys[places] == allowed
        return np.sort(self._row_by_key[places[found]])


def _best(scores: NDArray[np.float32], k: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the places and rounded scores of the ``k`` largest; equal ones keep their order."""
    places = np.arange(len(scores))
    if len(scores) > k:
        last = np.partition(scores, len(scores) - k)[len(scores) - k]
        places = np.flatnonzero(scores >= last - np.float32(10.0**-DECIMALS))
    cosines = scores[places].astype(np.float64).round(DECIMALS)
    order = np.argsort(-cosines, kind="stable")[:k]
    return places[order], cosines[order]
