"""The side files of the dense engine: two compressed copies of the vectors that are quick to scan.

Both find candidates, which the caller scores again with the float32 vectors:

*mirror*
    One signed byte a dimension, each dimension on its own range, scanned whole. 200 candidates hold
    the exact top 100. It takes filters, and is what every other way is measured against.
*codes*
    Product quantisation, four bits for each two dimensions (Jégou, Douze and Schmid, PAMI 33,
    2011), scanned in registers (André, Kermarrec and Le Scouarnec, VLDB 2015; faiss ``PQ…x4fs``): a
    quarter of the bytes and several times as fast. How many candidates it needs depends on the
    vectors, so it is tuned on half of a set of queries, checked on the other half, and used only
    where it saves at least a millisecond of the mirror's time at a recall of at least 0.99. The
    evidence is kept in ``choice.json``.

Clustered indexes (IVF) had to visit a quarter to a half of their lists for that recall on real
vectors and lost to both (``docs/rfc/102-scale.md``). Nothing here is a source of truth: the files
are made from the vectors and can be made again.
"""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

import faiss
import numpy as np

from podcast_scraper.search.backends.codes import Codes
from podcast_scraper.search.backends.nearest import nearest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

MIRROR_CANDIDATES: Final = 2  # times k
CODE_CANDIDATES: Final = (500, 1000, 2000, 4000, 8000)
MIN_RECALL: Final = 0.99
# On the queries of tuning. Scoring twice as many candidates costs little beside the scan, so codes
# are held to nearly what the mirror gives, and others keep MIN_RECALL.
TUNED_RECALL: Final = 0.999
WORTH_MS: Final = 1.0  # of a query: for less, the exact way is kept
K: Final = 100
# For a filter: how many more candidates than its share asks for, and how many times as many are
# still faster than the mirror, which reads the allowed rows alone.
MORE: Final = 1.25
MOST_TIMES: Final = 5

_TRAINED_ON: Final = 50_000
_BATCH: Final = 50_000
_SEED: Final = 102
_LARGEST: Final = 127  # of a signed byte


@dataclass(frozen=True, slots=True)
class Choice:
    """How unfiltered searches scan, and the evidence: recall@100 and p50 in milliseconds.

    ``candidates`` is how many the codes give; 0: the mirror is used. ``recall`` is measured on
    queries that were not used to choose, against the exact float32 search.
    """

    candidates: int = 0
    recall: float | None = None
    recall_of_mirror: float | None = None
    ms: float | None = None
    ms_of_mirror: float | None = None
    queries: int = 0


class Scan:
    """Both copies of the first ``len(self)`` rows of the vectors."""

    def __init__(
        self, mirror: Any, scale: NDArray[np.float32], codes: Codes, choice: Choice
    ) -> None:
        self.choice = choice
        self._mirror = mirror
        self._scale = scale
        self._codes = codes

    @classmethod
    def build(cls, vectors: NDArray[np.float32]) -> Scan:
        """Compress vectors of shape ``(n, dimension)``; :meth:`tuned` chooses how to scan them."""
        size, dimension = vectors.shape
        scale = np.zeros(dimension, dtype=np.float32)
        for start in range(0, size, _BATCH):
            np.maximum(scale, np.abs(vectors[start : start + _BATCH]).max(axis=0), out=scale)
        scale = np.where(scale > 0, scale / _LARGEST, np.float32(1.0)).astype(np.float32)
        mirror = faiss.IndexScalarQuantizer(
            dimension,
            faiss.ScalarQuantizer.QT_8bit_direct_signed,
            faiss.METRIC_INNER_PRODUCT,
        )
        codes = faiss.IndexPQFastScan(dimension, dimension // 2, 4, faiss.METRIC_INNER_PRODUCT)
        random = np.random.default_rng(_SEED)
        sample = np.sort(random.choice(size, min(size, _TRAINED_ON), replace=False))
        codes.train(np.ascontiguousarray(vectors[sample]))
        for start in range(0, size, _BATCH):
            part = np.ascontiguousarray(vectors[start : start + _BATCH])
            mirror.add(np.rint(part / scale))
            codes.add(part)
        return cls(mirror, scale, Codes(codes), Choice())

    @classmethod
    def read(cls, directory: Path) -> Scan:
        """Open the files of a directory. Raises OSError, ValueError or RuntimeError for damage."""
        choice = Choice(**json.loads((directory / "choice.json").read_text(encoding="utf-8")))
        # The mirror is mapped, so that processes share it; the codes have a layout that is not.
        mirror = faiss.read_index(str(directory / "mirror.faiss"), faiss.IO_FLAG_MMAP_IFC)
        codes = Codes.read(directory / "codes.faiss")
        return cls(mirror, np.load(directory / "scale.npy", allow_pickle=False), codes, choice)

    def write(self, directory: Path) -> None:
        """Write the files into a new directory."""
        directory.mkdir()
        faiss.write_index(self._mirror, str(directory / "mirror.faiss"))
        self._codes.write(directory / "codes.faiss")
        np.save(directory / "scale.npy", self._scale, allow_pickle=False)
        evidence = json.dumps(asdict(self.choice), indent=2)
        (directory / "choice.json").write_text(evidence, encoding="utf-8")

    def __len__(self) -> int:
        return int(self._mirror.ntotal)

    def candidates(
        self, unit: NDArray[np.float32], k: int, allowed: NDArray[np.bool_] | None = None
    ) -> NDArray[np.int64]:
        """Return rows that hold the ``k`` nearest, in no order.

        ``allowed``, shape ``(len(self),)``, restricts them.
        """
        count = self.choice.candidates * max(1, k // K)
        if count and allowed is None:
            return self.by_codes(unit, count)
        if (
            count
            and allowed is not None
            and (found := self._allowed_by_codes(unit, count, allowed))
        ):
            return found[0]
        return self.by_mirror(unit, MIRROR_CANDIDATES * k, allowed)

    def _allowed_by_codes(
        self, unit: NDArray[np.float32], count: int, allowed: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int64]] | None:
        """Return the best allowed rows by the codes, at least ``count``; None: that costs more.

        Codes cannot leave rows out, but the allowed ones among many of their best are the best
        allowed ones.
        """
        inside = int(np.count_nonzero(allowed))
        left_out = len(self) - inside
        deep = min(count + left_out, int(count * len(self) / max(1, inside) * MORE))
        if deep > MOST_TIMES * count:
            return None
        found = self.by_codes(unit, deep)
        found = found[allowed[found]]
        return (found,) if len(found) >= min(count, inside) else None

    def by_codes(self, unit: NDArray[np.float32], count: int) -> NDArray[np.int64]:
        """Return the ``count`` best rows by the codes."""
        return self._codes.best(unit, count)

    def by_mirror(
        self, unit: NDArray[np.float32], count: int, allowed: NDArray[np.bool_] | None = None
    ) -> NDArray[np.int64]:
        """Return the ``count`` best rows by the mirror, among the allowed ones."""
        # The rows' scale goes into the query. Where the processor multiplies bytes faiss makes
        # bytes of the query too: on their full range it loses least.
        query = unit * self._scale
        query = np.rint(query * (_LARGEST / np.abs(query).max()))[None]
        if allowed is None:
            return _present(self._mirror.search(query, min(count, len(self)))[1])
        chosen = faiss.SearchParameters()
        bits = np.packbits(allowed, bitorder="little")
        selector = faiss.IDSelectorBitmap(bits.size, faiss.swig_ptr(bits))
        chosen.sel = selector
        return _present(self._mirror.search(query, min(count, len(self)), params=chosen)[1])

    def tuned(self, vectors: NDArray[np.float32], queries: NDArray[np.float32]) -> Scan:
        """Return a scan that chose between codes and mirror by trying unit queries ``(m, d)``."""
        truth = [set(nearest(vectors, query, K).tolist()) for query in queries]
        half = len(queries) // 2

        def trial(
            find: Callable[[NDArray[np.float32]], NDArray[np.int64]], part: slice
        ) -> tuple[float, float]:
            recalls, times = [], []
            for query, wanted in zip(queries[part], truth[part], strict=True):
                start = time.perf_counter()
                rows = find(query)
                best = rows[nearest(vectors[rows], query, K)]
                times.append(time.perf_counter() - start)
                recalls.append(len(wanted.intersection(best.tolist())) / max(1, len(wanted)))
            return float(np.mean(recalls)), float(np.median(times)) * 1000

        tuning, held_out = slice(half), slice(half, None)
        recall_of_mirror, ms_of_mirror = trial(
            lambda query: self.by_mirror(query, MIRROR_CANDIDATES * K), held_out
        )
        for count in CODE_CANDIDATES:
            by_codes = _with_count(self, count)
            if trial(by_codes, tuning)[0] < TUNED_RECALL:
                continue
            recall, ms = trial(by_codes, held_out)
            worth = recall >= MIN_RECALL and ms + WORTH_MS < ms_of_mirror
            chosen = count if worth else 0
            choice = Choice(chosen, recall, recall_of_mirror, ms, ms_of_mirror, len(queries))
            return Scan(self._mirror, self._scale, self._codes, choice)
        choice = Choice(0, None, recall_of_mirror, None, ms_of_mirror, len(queries))
        return Scan(self._mirror, self._scale, self._codes, choice)


def _with_count(scan: Scan, count: int) -> Callable[[NDArray[np.float32]], NDArray[np.int64]]:
    return lambda query: scan.by_codes(query, count)


def _present(found: NDArray[np.int64]) -> NDArray[np.int64]:
    rows: NDArray[np.int64] = found[0]
    return rows[rows >= 0]
