"""The encoder of the query path: onnxruntime and tokenizers, no torch."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from podcast_scraper.embed.onnx_model import OnnxModel
from podcast_scraper.embed.parallel import indexed_map
from podcast_scraper.embed.prompts import NO_PROMPTS, Prompts
from podcast_scraper.embed.vectors import unit_vectors
from podcast_scraper.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from podcast_scraper.embed.encoder import Progress

Pooling = Literal["cls", "mean"]


@dataclass(frozen=True, slots=True)
class OnnxSpec:
    """How to use a folder with ``model.onnx`` and ``tokenizer.json``.

    ``weights`` identifies the two files (their hashes); ``max_tokens`` counts special tokens.
    """

    name: str
    weights: str
    max_tokens: int
    pooling: Pooling
    prompts: Prompts = NO_PROMPTS

    @property
    def fingerprint(self) -> str:
        """Name and a hash over everything that shapes the vector space."""
        parts = (self.weights, self.pooling, self.prompts.query, self.prompts.document)
        digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()
        return f"{self.name}@{digest[:16]}"


class OnnxEncoder:
    """An :class:`~podcast_scraper.embed.encoder.Encoder` over an ONNX transformer.

    ``threads`` texts are encoded at the same time by ``encode_documents``; a query takes one
    thread. A text's vector does not depend on its neighbours or on ``threads``.
    """

    def __init__(self, folder: Path, spec: OnnxSpec, *, threads: int = 1) -> None:
        self._model = OnnxModel(folder, spec.name)
        self._spec = spec
        self._threads = max(1, threads)
        self.name = spec.name
        self.dimension = self._model.output_width
        self.max_tokens = spec.max_tokens
        self.fingerprint = spec.fingerprint

    def encode_documents(
        self, texts: Sequence[str], progress: Progress | None = None
    ) -> NDArray[np.float32]:
        """Return the vectors of ``texts``, shape ``(len(texts), dimension)``."""
        prompt = self._spec.prompts.document
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        encoded = indexed_map(
            lambda index: self._encode(prompt + texts[index], index),
            len(texts),
            self._threads,
            progress,
        )
        for index, vector in enumerate(encoded):
            vectors[index] = vector
        return vectors

    def encode_query(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a query, shape ``(dimension,)``."""
        return self._encode(self._spec.prompts.query + text, 0)

    def fit_query(self, text: str) -> tuple[str, bool]:
        """Return ``text`` cut after the last token that fits as a query, and whether it was cut."""
        tokens = self._model.tokens
        return tokens.fit(text, self.max_tokens - tokens.count(self._spec.prompts.query))

    def count_tokens(self, text: str) -> int:
        """Return the tokens of ``text`` as a document, special tokens and prompt included."""
        return self._model.tokens.count(self._spec.prompts.document + text)

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        """Return the character spans of the tokens of ``text`` alone, without special tokens."""
        return self._model.tokens.spans(text)

    def _encode(self, text: str, index: int) -> NDArray[np.float32]:
        encoding = self._model.tokens.encode(text)
        if len(encoding.ids) > self.max_tokens:
            raise too_long(self.name, self.max_tokens, len(encoding.ids), index)
        hidden = self._model.run(encoding)
        # Without padding every token counts, so the mean needs no mask.
        pooled = hidden[0] if self._spec.pooling == "cls" else hidden.mean(axis=0)
        unit = unit_vectors(pooled[None, :], self.dimension, model=self.name, first=index)
        return unit.reshape(self.dimension)


def too_long(model: str, max_tokens: int, found: int, index: int) -> ModelError:
    """Return the error of a text over a model's limit."""
    return ModelError(
        f"Text {index} has {found} tokens; {model} takes at most {max_tokens}.",
        mend="Shorten it: nothing is cut silently.",
        subject=index,
    )
