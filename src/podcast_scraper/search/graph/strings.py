"""Many strings as two arrays, so that they can be written beside the adjacency."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def pack(strings: Sequence[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the UTF-8 bytes of all strings and their offsets in code points (``n + 1``)."""
    blob = "".join(strings).encode("utf-8", "surrogatepass")
    offsets = np.zeros(len(strings) + 1, dtype=np.int64)
    np.cumsum([len(string) for string in strings], out=offsets[1:])
    return np.frombuffer(blob, dtype=np.uint8), offsets


def unpack(blob: NDArray[np.uint8], offsets: NDArray[np.int64]) -> list[str]:
    """Undo :func:`pack`."""
    text = blob.tobytes().decode("utf-8", "surrogatepass")
    return [text[start:end] for start, end in pairwise(offsets.tolist())]
