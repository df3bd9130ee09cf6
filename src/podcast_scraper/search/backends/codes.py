"""The codes of a scan, searched by two threads where two are free.

One core reads a hundred megabytes in five milliseconds and more; two cores do it in half the time.
The codes are therefore held in two parts, each of whole blocks of the layout that is scanned in
registers. A second query at the same time finds the other thread busy and scans both parts itself,
so that many clients lose nothing.
"""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Final

import faiss
import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

# Below, handing half of the work over costs about what it saves.
WORTH_SHARING: Final = 400_000

Scored = tuple["NDArray[np.float32]", "NDArray[np.int64]"]


class Codes:
    """Codes of four bits, of two dimensions each; safe among threads."""

    def __init__(self, index: Any) -> None:
        """Take a trained ``IndexPQFastScan`` over inner products."""
        share = index.ntotal >= WORTH_SHARING and _cores() > 1
        self._parts = _halves(index) if share else (index,)
        self._beside = ThreadPoolExecutor(1, "codes")  # starts no thread before it is needed
        self._free = threading.Lock()

    @classmethod
    def read(cls, path: Path) -> Codes:
        """Read a file into memory. Raises RuntimeError for damage."""
        return cls(faiss.read_index(str(path)))

    def write(self, path: Path) -> None:
        """Write the codes into a file, as one index."""
        layout = np.concatenate([faiss.AlignedTable_to_array(part.codes) for part in self._parts])
        whole = _over(self._parts[0], layout, sum(int(part.ntotal) for part in self._parts))
        faiss.write_index(whole, str(path))

    def best(self, unit: NDArray[np.float32], count: int) -> NDArray[np.int64]:
        """Return the ``count`` rows of the best scores for a vector, or all, in no order."""
        first, *others = self._parts
        if others and self._free.acquire(blocking=False):
            try:
                pending = self._beside.submit(_found, first, unit, count)
                found = [_found(part, unit, count) for part in others]
                found.insert(0, pending.result())
            finally:
                self._free.release()
        else:
            found = [_found(part, unit, count) for part in self._parts]
        scores = np.concatenate([one for one, _ in found])
        starts = (0, int(first.ntotal))
        rows = np.concatenate([one + start for (_, one), start in zip(found, starts, strict=False)])
        if len(rows) > count:
            rows = rows[np.argpartition(-scores, count)[:count]]
        return rows


def _found(index: Any, unit: NDArray[np.float32], count: int) -> Scored:
    scores, rows = index.search(unit[None], min(count, int(index.ntotal)))
    present = rows[0] >= 0
    return scores[0][present], rows[0][present]


def _halves(index: Any) -> tuple[Any, Any]:
    """Return two indexes over the codes of one, which lie in blocks of ``bbs`` rows."""
    layout = faiss.AlignedTable_to_array(index.codes)
    blocks = int(index.ntotal2) // int(index.bbs)
    rows = blocks // 2 * int(index.bbs)
    middle = len(layout) // blocks * (blocks // 2)
    return (
        _over(index, layout[:middle], rows),
        _over(index, layout[middle:], int(index.ntotal) - rows),
    )


def _over(like: Any, layout: NDArray[np.uint8], rows: int) -> Any:
    """Return an index of so many rows over whole blocks of codes."""
    made: Any = faiss.IndexPQFastScan(like.d, like.M, int(like.pq.nbits), like.metric_type)
    made.pq, made.is_trained = like.pq, True
    made.ntotal = rows
    made.ntotal2 = -(-rows // int(like.bbs)) * int(like.bbs)
    faiss.copy_array_to_AlignedTable(layout, made.codes)
    return made


def _cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
