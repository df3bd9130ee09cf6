"""The checks that every vector passes before it leaves an encoder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from podcast_scraper.errors import ModelError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def unit_vectors(
    raw: ArrayLike, dimension: int, *, model: str, first: int = 0
) -> NDArray[np.float32]:
    """Return ``raw``, shape ``(n, dimension)``, as float32 rows of L2 norm 1.

    ``ModelError`` when the shape is another, or a row holds NaN, infinity or only zeros; it names
    the text by its index, counted from ``first``.
    """
    rows = np.asarray(raw, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] != dimension:
        raise ModelError(
            f"The model {model} gave vectors of shape {rows.shape}, not (n, {dimension}).",
            subject=model,
        )
    norms = np.linalg.norm(rows, axis=1)
    bad = np.flatnonzero(~np.isfinite(norms) | (norms == 0.0))
    if bad.size:
        index = int(bad[0])
        what = "only zeros" if norms[index] == 0.0 else "values that are not finite"
        raise ModelError(
            f"The model {model} gave a vector of {what} for text {first + index}.",
            mend="Build the index with another model, or report the text.",
            subject=first + index,
        )
    return np.asarray(rows / norms[:, None], dtype=np.float32)
