"""The dense engine: cosine search over the vectors of an index, exact as to float32 scores.

``dense/`` beside the records holds what SQLite's ``document_vectors``, the truth, is searched by::

    vectors.f32     one row a document, in the order of keys; only ever appended to
    rows-N/         what filters ask of each row (:mod:`.document_rows`)
    scan-N/         from LARGE rows on: compressed copies (:mod:`.scan`)

All are mapped into memory, so processes share them. A few allowed documents are scored in SQL by
sqlite-vec where the records are in SQLite, a small index by one matrix product; in a large one the
scan finds candidates. Rows that came after the scan was made are multiplied as they are, until
there are too many (:attr:`DenseIndex.drifted`).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import numpy as np
import sqlalchemy as sa

from podcast_scraper.embed.vectors import unit_vectors
from podcast_scraper.search.backends.nearest import DECIMALS, best
from podcast_scraper.storage.dialects import on_postgresql

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import ArrayLike, NDArray

    from podcast_scraper.search.backends.document_rows import DocumentRows
    from podcast_scraper.search.backends.scan import Scan

SMALL_SET: Final = 500
LARGE: Final = 20_000
MOST_DEAD: Final = 0.1  # of the rows
# Of the allowed rows of a large index: up to here, copying them out beats scanning for them.
FEW_ROWS: Final = 2_000
MOST_NEW_ROWS: Final = 20_000

_FEW: Final = sa.text(
    f"""
    SELECT v.key, round(1 - vec_distance_cosine(v.embedding, :vector), {DECIMALS}) AS cosine
    FROM document_vectors AS v WHERE v.key IN (SELECT value FROM json_each(:keys))
    """
)

Found = list[tuple[int, float]]


class DenseIndex:
    """One sealed state: ``vectors`` of shape ``(n, dimension)`` and as many ``rows``."""

    def __init__(
        self,
        engine: sa.Engine,
        vectors: NDArray[np.float32],
        rows: DocumentRows,
        scan: Scan | None = None,
    ) -> None:
        self.vectors = vectors
        self.rows = rows
        self.scan = scan
        self._engine = engine
        self.dead = len(rows) - int(rows.alive.sum())

    def search(self, vector: ArrayLike, k: int, allowed: NDArray[np.bool_] | None = None) -> Found:
        """Return ``(key, cosine)`` of the ``k`` nearest documents and all that tie with the last.

        ``allowed`` is the mask of the rows to search among (None: all that are alive). The caller
        orders ties and cuts. Raises ModelError for a vector of another dimension, of zeros, or
        with NaN or infinity.
        """
        dimension = self.vectors.shape[1]
        (unit,) = unit_vectors(np.atleast_2d(np.asarray(vector)), dimension, model="in use")
        if allowed is None:
            if self.scan is not None:
                return self._among(unit, k, self._candidates(unit, k, self.scan))
            if self.dead == 0:
                return self._scored(np.arange(len(self.rows)), self.vectors @ unit, k)
            allowed = self.rows.alive
        count = int(allowed.sum())
        if count <= SMALL_SET and not on_postgresql(self._engine):
            return self._in_sql(unit, k, np.flatnonzero(allowed))
        if self.scan is not None and count > FEW_ROWS:
            return self._among(unit, k, self._candidates(unit, k, self.scan, allowed))
        rows = np.flatnonzero(allowed)
        # Copying rows out costs more than multiplying all of them once they are no longer few.
        if self.scan is not None or count * 4 < len(self.rows):
            return self._among(unit, k, rows)
        return self._scored(rows, (self.vectors @ unit)[rows], k)

    def vector(self, key: int) -> NDArray[np.float32] | None:
        """Return the unit vector of a document, or None where it has none."""
        row = int(np.searchsorted(self.rows.arrays["key"], key))
        if row == len(self.rows) or self.rows.arrays["key"][row] != key:
            return None
        vector: NDArray[np.float32] = self.vectors[row]
        return vector

    def exact(
        self, unit: NDArray[np.float32], k: int, allowed: NDArray[np.bool_] | None = None
    ) -> Found:
        """Return what :meth:`search` should: by a product with every vector."""
        rows = np.flatnonzero(self.rows.alive if allowed is None else allowed)
        return self._scored(rows, (self.vectors @ unit)[rows], k)

    @property
    def is_lean(self) -> bool:
        """Whether few rows are of documents that are gone, and the scan fits the others."""
        few = self.dead <= max(1000, MOST_DEAD * len(self.rows))
        return few and not (self.drifted and self.scan is None)

    @property
    def drifted(self) -> bool:
        """Whether the scan is missing, or has too many rows beside it."""
        if self.scan is None:
            return len(self.rows) >= LARGE
        return len(self.rows) - len(self.scan) > MOST_NEW_ROWS

    def _candidates(
        self,
        unit: NDArray[np.float32],
        k: int,
        scan: Scan,
        allowed: NDArray[np.bool_] | None = None,
    ) -> NDArray[np.int64]:
        inside = len(scan)
        if allowed is None and self.dead == 0:
            found = scan.candidates(unit, k)
            return np.concatenate([found, np.arange(inside, len(self.rows))])
        allowed = self.rows.alive if allowed is None else allowed
        found = scan.candidates(unit, k, allowed[:inside])
        return np.concatenate([found, inside + np.flatnonzero(allowed[inside:])])

    def _in_sql(self, unit: NDArray[np.float32], k: int, rows: NDArray[np.int64]) -> Found:
        values = {
            "vector": unit.astype("<f4").tobytes(),
            "keys": json.dumps(self.rows.keys(rows).tolist()),
        }
        with self._engine.connect() as connection:
            scored = connection.execute(_FEW, values).all()
        cosines = np.array([cosine for _, cosine in scored], dtype=np.float64)
        kept, _ = best(cosines, k)
        return [(scored[place][0], scored[place][1]) for place in kept.tolist()]

    def _among(self, unit: NDArray[np.float32], k: int, rows: NDArray[np.int64]) -> Found:
        return self._scored(rows, self.vectors[rows] @ unit, k)

    def _scored(self, rows: NDArray[np.int64], scores: NDArray[np.float32], k: int) -> Found:
        places, cosines = best(scores, k)
        keys = self.rows.keys(rows[places])
        return list(zip(keys.tolist(), cosines.tolist(), strict=True))


def map_vectors(path: Path, count: int, dimension: int) -> NDArray[np.float32]:
    """Map the first ``count`` rows of a file of vectors. Raises OSError or ValueError."""
    if count == 0:
        return np.empty((0, dimension), dtype="<f4")
    return np.asarray(np.memmap(path, dtype="<f4", mode="r", shape=(count, dimension)))
