"""An encoder that costs nothing, for tests of what surrounds encoding."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

import numpy as np
import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from podcast_scraper.embed.encoder import Progress


class WordEncoder:
    """Sums a pseudo-random vector of each word, so that texts with common words are near."""

    name = "words"
    dimension = 16
    max_tokens = 64
    fingerprint = "words@1"

    def encode_documents(
        self, texts: Sequence[str], progress: Progress | None = None
    ) -> NDArray[np.float32]:
        """Encode texts; empty ones point nowhere in particular."""
        return np.stack([self.encode_query(text) for text in texts])

    def encode_query(self, text: str) -> NDArray[np.float32]:
        """Encode one text."""
        words = re.findall(r"\w+", text.lower()) or [""]
        total = np.sum([self._vector(word) for word in words], axis=0)
        return np.asarray(total / np.linalg.norm(total), dtype=np.float32)

    def fit_query(self, text: str) -> tuple[str, bool]:
        """Take any query."""
        return text, False

    def count_tokens(self, text: str) -> int:
        """Count words."""
        return len(self.token_spans(text))

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        """Find words."""
        return [found.span() for found in re.finditer(r"\S+", text)]

    def _vector(self, word: str) -> NDArray[np.float64]:
        seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8])
        return np.random.default_rng(seed).standard_normal(self.dimension)


@pytest.fixture
def word_encoder(monkeypatch: pytest.MonkeyPatch) -> WordEncoder:
    """Let builds and searches use the encoder that costs nothing."""
    encoder = WordEncoder()
    for module in ("index.build", "open_index"):
        monkeypatch.setattr(f"podcast_scraper.{module}.open_encoder", lambda *_, **__: encoder)
    return encoder
