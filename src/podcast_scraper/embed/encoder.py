"""What every encoder is: text in, unit vectors out, with an identity that the index records."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

Progress = Callable[[int], None]
"""Called with the number of texts that were encoded since the last call."""


class Encoder(Protocol):
    """An embedding model. Vectors are float32 of L2 norm 1, shape ``(n, dimension)``.

    ``fingerprint`` identifies the vector space: model, weights, precision, pooling and prompts. Two
    encoders with equal fingerprints may serve documents and queries of one index.

    Nothing is cut silently: a text of more than ``max_tokens`` tokens is a ``ModelError``, as are
    vectors that hold NaN or nothing but zeros.
    """

    name: str
    dimension: int
    max_tokens: int
    fingerprint: str

    def encode_documents(
        self, texts: Sequence[str], progress: Progress | None = None
    ) -> NDArray[np.float32]:
        """Return the vectors of ``texts``, shape ``(len(texts), dimension)``."""
        ...

    def encode_query(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a query, shape ``(dimension,)``."""
        ...

    def fit_query(self, text: str) -> tuple[str, bool]:
        """Return ``text`` cut after the last token that fits as a query, and whether it was cut."""
        ...

    def count_tokens(self, text: str) -> int:
        """Return the tokens of ``text`` as a document: special tokens and the prompt included.

        ``count_tokens("")`` is therefore the overhead of every document.
        """
        ...

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        """Return the character spans of the tokens of ``text`` alone, without special tokens."""
        ...
