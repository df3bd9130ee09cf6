"""The encoder of the query path: onnxruntime and tokenizers, no torch."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

from podcast_scraper.embed.onnx_model import OnnxModel
from podcast_scraper.embed.prompts import NO_PROMPTS, Prompts
from podcast_scraper.embed.vectors import unit_vectors
from podcast_scraper.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from podcast_scraper.embed.encoder import Progress

Pooling = Literal["cls", "mean"]

# Texts between two reports of progress and, on Ctrl-C, the most that is still waited for.
_SLICE = 16


@dataclass(frozen=True, slots=True)
class OnnxSpec:
    """How to use a folder with ``model.onnx`` and ``tokenizer.json``.

    ``weights`` identifies the two files (their hashes); ``max_tokens`` counts special tokens.
    """

    name: str
    weights: str
    max_tokens: int
    pooling: Pooling
    prompts: Prompts = field(default=NO_PROMPTS)

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
        self._overhead = {
            prompt: len(self._model.encode(prompt).ids)
            for prompt in (spec.prompts.query, spec.prompts.document)
        }

    def encode_documents(
        self, texts: Sequence[str], progress: Progress | None = None
    ) -> NDArray[np.float32]:
        """Return the vectors of ``texts``, shape ``(len(texts), dimension)``."""
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        prompt = self._spec.prompts.document
        step = _SLICE * self._threads
        with ThreadPoolExecutor(self._threads) as pool:
            for start in range(0, len(texts), step):
                part = range(start, min(start + step, len(texts)))
                encode = pool.map if self._threads > 1 else map
                for index, vector in zip(
                    part, encode(lambda i: self._encode(prompt, texts[i], i), part), strict=True
                ):
                    vectors[index] = vector
                if progress is not None:
                    progress(len(part))
        return vectors

    def encode_query(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a query, shape ``(dimension,)``."""
        return self._encode(self._spec.prompts.query, text, 0)

    def fit_query(self, text: str) -> tuple[str, bool]:
        """Return ``text`` cut after the last token that fits as a query, and whether it was cut."""
        room = self.max_tokens - self._overhead[self._spec.prompts.query]
        spans = self.token_spans(text)
        return (text, False) if len(spans) <= room else (text[: spans[room - 1][1]], True)

    def count_tokens(self, text: str) -> int:
        """Return the tokens of ``text`` as a document, special tokens and prompt included."""
        return len(self._model.encode(self._spec.prompts.document + text).ids)

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        """Return the character spans of the tokens of ``text`` alone, without special tokens."""
        return list(self._model.encode(text, special=False).offsets)

    def _encode(self, prompt: str, text: str, index: int) -> NDArray[np.float32]:
        encoding = self._model.encode(prompt + text)
        if len(encoding.ids) > self.max_tokens:
            raise ModelError(
                f"Text {index} has {len(encoding.ids)} tokens; {self.name} takes at most"
                f" {self.max_tokens}.",
                mend="Shorten it: nothing is cut silently.",
                subject=index,
            )
        hidden = self._model.run(encoding)
        # Without padding every token counts, so the mean needs no mask.
        pooled = hidden[0] if self._spec.pooling == "cls" else hidden.mean(axis=0)
        unit = unit_vectors(pooled[None, :], self.dimension, model=self.name, first=index)
        return unit.reshape(self.dimension)
