"""The exact nearest rows of a matrix, with scores that do not depend on where a row lies.

Cosines are rounded to six decimals: below that, a float32 sum depends on a row's place in the
matrix, and equal texts would not tie.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

DECIMALS: Final = 6


def best(
    scores: NDArray[np.floating[Any]], k: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the places and rounded scores of the ``k`` largest and all that tie with the last."""
    places = np.arange(len(scores))
    if len(scores) > k:
        last = np.partition(scores, len(scores) - k)[len(scores) - k]
        places = np.flatnonzero(scores >= last - 2 * 10.0**-DECIMALS)
    cosines = scores[places].astype(np.float64).round(DECIMALS)
    if len(cosines) > k:
        kept = cosines >= np.partition(cosines, len(cosines) - k)[len(cosines) - k]
        places, cosines = places[kept], cosines[kept]
    return places, cosines


def nearest(vectors: NDArray[np.float32], query: NDArray[np.float32], k: int) -> NDArray[np.int64]:
    """Return the ``k`` rows of largest inner product with a query, best first, ties by row."""
    places, cosines = best(vectors @ query, k)
    return places[np.argsort(-cosines, kind="stable")[:k]]
