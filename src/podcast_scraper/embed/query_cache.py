"""Embeddings of recent queries, so that paging and filtering do not encode again."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from podcast_scraper.embed.encoder import Encoder


class QueryCache:
    """The ``size`` most recently used query vectors of one encoder. Safe among threads.

    Vectors are shared and therefore read-only. Two threads that miss the same query at the same
    time both encode it: the lock is never held while the model runs.
    """

    def __init__(self, encoder: Encoder, size: int = 256) -> None:
        self._encoder = encoder
        self._size = size
        self._vectors: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._lock = Lock()

    def encode(self, text: str) -> NDArray[np.float32]:
        """Return ``encoder.encode_query(text)``, from the cache where it is there."""
        with self._lock:
            vector = self._vectors.get(text)
            if vector is not None:
                self._vectors.move_to_end(text)
                return vector
        vector = self._encoder.encode_query(text)
        vector.setflags(write=False)
        with self._lock:
            self._vectors[text] = vector
            self._vectors.move_to_end(text)
            if len(self._vectors) > self._size:
                self._vectors.popitem(last=False)
        return vector
