"""The files of the dense engine: opening one sealed state, and writing the next beside it."""

from __future__ import annotations

import os
from array import array
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from podcast_scraper.search.backends.dense import DenseIndex, map_vectors
from podcast_scraper.search.backends.document_rows import DocumentRows, RowWriter

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    import sqlalchemy as sa
    from numpy.typing import NDArray

    from podcast_scraper.search.backends.scan import Scan
    from podcast_scraper.search.documents import Document

DENSE: Final = "dense"
VECTORS: Final = "vectors.f32"


@dataclass(frozen=True, slots=True)
class DenseSeal:
    """Which files make up a state: directories by name, every file of theirs with its size."""

    count: int = 0
    rows: str = ""
    scan: str = ""
    sizes: dict[str, int] = field(default_factory=dict)


class DenseFiles:
    """The directory ``dense/`` of an index whose vectors have ``dimension`` numbers."""

    def __init__(self, directory: Path, dimension: int) -> None:
        self._directory = directory
        self._dimension = dimension

    def open(self, seal: DenseSeal, engine: sa.Engine) -> DenseIndex:
        """Map a sealed state.

        Raises OSError, ValueError, KeyError or RuntimeError where a file is missing, cut or
        unreadable.
        """
        if not seal.count:
            empty = np.empty((0, self._dimension), dtype=np.float32)
            return DenseIndex(engine, empty, DocumentRows.empty())
        for name, size in seal.sizes.items():
            found = (self._directory / name).stat().st_size
            if found != size:
                raise ValueError(f"{name} has {found} bytes, not {size}")
        vectors = map_vectors(self._directory / VECTORS, seal.count, self._dimension)
        rows = DocumentRows.read(self._directory / seal.rows)
        if len(rows) != seal.count:
            raise ValueError(f"{seal.rows} describes {len(rows)} documents, not {seal.count}")
        return DenseIndex(engine, vectors, rows, self._scan(seal.scan))

    def _scan(self, name: str) -> Any:
        if not name:
            return None
        from podcast_scraper.search.backends.scan import Scan  # faiss: only where it is needed

        return Scan.read(self._directory / name)

    def changing(self, index: DenseIndex, seal: DenseSeal) -> DenseChange:
        """Begin the next state. What an unfinished change left behind is overwritten."""
        self._directory.mkdir(exist_ok=True)
        return DenseChange(self._directory, self._dimension, index, seal)

    def sweep(self, kept: Iterable[DenseSeal]) -> None:
        """Remove the directories that none of the seals names."""
        import shutil

        names = {name for seal in kept for name in (seal.rows, seal.scan)}
        for path in self._directory.iterdir():
            if path.is_dir() and path.name not in names:
                shutil.rmtree(path, ignore_errors=True)


class DenseChange:
    """Collects documents that go and come; vectors go to the end of their file at once."""

    def __init__(self, directory: Path, dimension: int, index: DenseIndex, seal: DenseSeal) -> None:
        self._directory = directory
        self._dimension = dimension
        self._index = index
        self._seal = seal
        self._rows = RowWriter(index.rows)
        self._dead = array("q")
        self._file = (directory / VECTORS).open("ab")
        self._file.truncate(seal.count * dimension * 4)

    def remove(self, keys: Sequence[int]) -> None:
        """Drop the documents with these keys."""
        self._dead.extend(keys)

    def add(
        self, keys: Sequence[int], documents: Sequence[Document], vectors: NDArray[np.float32]
    ) -> None:
        """Take documents with their unit vectors; keys ascend and are above all others."""
        for key, document in zip(keys, documents, strict=True):
            self._rows.add(key, document)
        self._file.write(vectors.astype("<f4").tobytes())

    def finish(
        self, engine: sa.Engine, queries: NDArray[np.float32] | None = None
    ) -> tuple[DenseSeal, DenseIndex]:
        """Write the next state durably and return it.

        ``queries`` are unit vectors, shape ``(m, dimension)``, to tune a scan on where one is due.
        """
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        rows = self._rows.rows(np.frombuffer(self._dead, dtype=np.int64))
        rows_name, scan_name = self._free("rows"), self._seal.scan
        rows.write(self._directory / rows_name)
        vectors = map_vectors(self._directory / VECTORS, len(rows), self._dimension)
        index = DenseIndex(engine, vectors, rows, self._index.scan)
        if index.drifted:
            scan_name = self._free("scan")
            index = DenseIndex(engine, vectors, rows, _scan_of(vectors, queries))
            assert index.scan is not None
            index.scan.write(self._directory / scan_name)
        return DenseSeal(len(rows), rows_name, scan_name, self._sizes(rows_name, scan_name)), index

    def abandon(self) -> None:
        """Let go of the file of vectors; what was appended is overwritten by the next change."""
        self._file.close()

    def _free(self, kind: str) -> str:
        numbers = [int(path.name.partition("-")[2]) for path in self._directory.glob(f"{kind}-*")]
        return f"{kind}-{max(numbers, default=0) + 1}"

    def _sizes(self, *names: str) -> dict[str, int]:
        return {
            path.relative_to(self._directory).as_posix(): path.stat().st_size
            for name in names
            if name
            for path in (self._directory / name).iterdir()
        }


def _scan_of(vectors: NDArray[np.float32], queries: NDArray[np.float32] | None) -> Scan:
    from podcast_scraper.search.backends.scan import Scan

    if queries is None or not len(queries):
        # Without real queries documents stand for them, leaning to where no document is.
        random = np.random.default_rng(0)
        chosen = vectors[np.sort(random.choice(len(vectors), 100, replace=False))]
        noise = random.standard_normal(chosen.shape).astype(np.float32)
        queries = chosen + noise * np.float32(0.5 / chosen.shape[1] ** 0.5)
        queries /= np.linalg.norm(queries, axis=1, keepdims=True)
    return Scan.build(vectors).tuned(vectors, queries)
