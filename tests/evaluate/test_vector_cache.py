"""The cache gives what the encoder gives, asks it once a text, and leaves queries alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from podcast_scraper.evaluate.vector_cache import CachedEncoder

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray


class LetterEncoder:
    """Unit vectors of letter counts; queries are reversed so that the two kinds differ."""

    name = "letters"
    dimension = 26
    max_tokens = 100
    fingerprint = "letters@1/2"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def encode_documents(
        self, texts: Sequence[str], progress: Callable[[int], None] | None = None
    ) -> NDArray[np.float32]:
        self.asked += texts
        counts = np.array([[text.count(chr(97 + i)) for i in range(26)] for text in texts])
        return (counts / np.linalg.norm(counts, axis=1, keepdims=True)).astype(np.float32)

    def encode_query(self, text: str) -> NDArray[np.float32]:
        return np.ascontiguousarray(self.encode_documents([text])[0][::-1])

    def fit_query(self, text: str) -> tuple[str, bool]:
        return text, False

    def count_tokens(self, text: str) -> int:
        return len(text)

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        return [(i, i + 1) for i in range(len(text))]


def test_each_text_is_embedded_once_over_runs(tmp_path: Path) -> None:
    texts = [f"ab{'c' * i}" for i in range(70)] + ["ab"]
    expected = LetterEncoder().encode_documents(texts)
    first = LetterEncoder()
    done: list[int] = []
    vectors = CachedEncoder(first, tmp_path).encode_documents(texts[:50], done.append)
    np.testing.assert_array_equal(vectors, expected[:50])
    assert sum(done) == 50
    second = LetterEncoder()
    np.testing.assert_array_equal(CachedEncoder(second, tmp_path).encode_documents(texts), expected)
    assert second.asked == texts[50:70]


def test_a_query_is_encoded_as_a_query(tmp_path: Path) -> None:
    cached = CachedEncoder(LetterEncoder(), tmp_path)
    document = cached.encode_documents(["aab"])[0]
    np.testing.assert_array_equal(cached.encode_query("aab"), document[::-1])


def test_another_vector_space_has_its_own_file(tmp_path: Path) -> None:
    CachedEncoder(LetterEncoder(), tmp_path).encode_documents(["ab"])
    other = LetterEncoder()
    other.fingerprint = "letters@2"
    CachedEncoder(other, tmp_path).encode_documents(["ab"])
    assert other.asked == ["ab"]
