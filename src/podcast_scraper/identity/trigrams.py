"""Names that share character trigrams with a query: the cheap step before string distances."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

# A query is looked up by its rarest trigrams, so that a common ending such as "son" does not pull
# in a tenth of all names; so many postings are enough to find its neighbours among.
RAREST: Final = 12
POSTINGS: Final = 4_000
FEWEST: Final = 4
_END: Final = 0x0A


class TrigramIndex:
    """An inverted index of trigrams over folded names; positions are those of ``names``."""

    def __init__(self, names: Sequence[str]) -> None:
        codes, owners = _trigrams(names)
        self._keys, places = np.unique(codes, return_inverse=True)
        # One number for each (trigram, name) pair: sorted, they are the postings in order.
        pairs = np.sort(places * len(names) + owners)
        pairs = pairs[np.diff(pairs, prepend=-1) > 0]
        rows = pairs // max(len(names), 1)
        self._offsets = np.searchsorted(rows, np.arange(self._keys.size + 1))
        self._postings = (pairs - rows * len(names)).astype(np.int32)
        self._sizes = np.bincount(self._postings, minlength=len(names)).astype(np.int32)

    def nearest(self, name: str, limit: int = 50) -> list[int]:
        """Return up to ``limit`` positions, the highest trigram overlap (Jaccard) first.

        Ties stand in ascending position. Names without a common trigram are never returned.
        """
        codes = np.unique(_trigrams([name])[0])
        if not codes.size or not self._keys.size:
            return []
        places = np.minimum(np.searchsorted(self._keys, codes), self._keys.size - 1)
        places = places[self._keys[places] == codes]
        counts = self._offsets[places + 1] - self._offsets[places]
        rarest = np.argsort(counts, kind="stable")[:RAREST]
        enough = int(np.searchsorted(np.cumsum(counts[rarest]), POSTINGS)) + 1
        places = places[rarest[: max(enough, FEWEST)]]
        if not places.size:
            return []
        hits = np.concatenate(
            [self._postings[self._offsets[p] : self._offsets[p + 1]] for p in places]
        )
        found, shared = np.unique(hits, return_counts=True)
        overlap = shared / (codes.size + self._sizes[found] - shared)
        order = np.lexsort((found, -overlap))[:limit]
        return [int(position) for position in found[order]]


def _trigrams(names: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the trigram codes of all names and the position of the name each belongs to."""
    joined = "".join(f"  {name.replace(chr(_END), ' ')} \n" for name in names)
    points = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    points = points.astype(np.int64)
    if points.size < 3:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    ends = points == _END
    owners = np.cumsum(ends) - ends
    inside = ~(ends[:-2] | ends[1:-1] | ends[2:])
    codes = (points[:-2] << 42) | (points[1:-1] << 21) | points[2:]
    return codes[inside], owners[:-2][inside]
