"""What every encoder is: text in, unit vectors out, with an identity that the index records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


class Encoder(Protocol):
    """An embedding model. Vectors are float32 of L2 norm 1, shape ``(n, dimension)``.

    ``fingerprint`` identifies the vector space: model, weights, precision, pooling and prompts. Two
    encoders with equal fingerprints may serve documents and queries of one index.
    """

    name: str
    dimension: int
    max_tokens: int
    fingerprint: str

    def encode_documents(self, texts: Sequence[str]) -> NDArray[np.float32]: ...

    def encode_query(self, text: str) -> NDArray[np.float32]: ...

    def count_tokens(self, text: str) -> int: ...

    def token_spans(self, text: str) -> list[tuple[int, int]]: ...
