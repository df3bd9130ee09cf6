"""The general door: any model that sentence-transformers can load from a folder."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np

from podcast_scraper.embed.folders import folder_digest
from podcast_scraper.embed.onnx import too_long
from podcast_scraper.embed.prompts import Prompts, prompts_for
from podcast_scraper.embed.tokens import TextTokenizer, printable
from podcast_scraper.embed.vectors import unit_vectors
from podcast_scraper.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from podcast_scraper.embed.encoder import Progress

# Texts between two reports of progress; sorted by length and batched by the library within.
_SLICE = 256
_BATCH = 32
# For models that state no limit (static embeddings): no passage comes near it.
_NO_LIMIT = 32_768


def load_quietly(kind: str, folder: Path, name: str) -> Any:
    """Load ``SentenceTransformer`` or ``CrossEncoder`` from a folder: no network, no foreign code.

    Importing the library takes seconds, which is why it happens here.
    """
    try:
        import sentence_transformers
        from transformers.utils import logging
    except ImportError as error:
        raise ModelError(
            f"The model {name} needs sentence-transformers with torch: {error}",
            mend="Run `python -m pip install sentence-transformers`.",
            subject=name,
        ) from error
    silence: Callable[[], None] = logging.disable_progress_bar
    silence()
    try:
        return getattr(sentence_transformers, kind)(
            str(folder), device="cpu", local_files_only=True, trust_remote_code=False
        )
    # Damaged or foreign folders fail anywhere in three libraries, with every kind of error.
    except Exception as error:
        raise ModelError(f"The model {name} cannot be loaded: {error}", subject=folder) from error


def text_tokenizer(model: Any, name: str) -> TextTokenizer:
    """Return a copy of the tokenizer of a loaded model; it must be a fast one (with offsets)."""
    from tokenizers import Tokenizer

    fast = getattr(model.tokenizer, "backend_tokenizer", model.tokenizer)
    if not isinstance(fast, Tokenizer):
        raise ModelError(
            f"The model {name} has no fast tokenizer, so that texts cannot be cut to its limit.",
            subject=name,
        )
    return TextTokenizer(Tokenizer.from_str(fast.to_str()))


class SentenceTransformersEncoder:
    """An :class:`~podcast_scraper.embed.encoder.Encoder` over a sentence-transformers folder.

    Prompts are those given, else the model's own, else those of its family by ``name``.
    """

    def __init__(
        self, folder: Path, name: str, *, prompts: Prompts | None = None, threads: int = 1
    ) -> None:
        self._model = load_quietly("SentenceTransformer", folder, name)
        # Process-wide in torch; there is one encoder a process.
        import torch

        torch.set_num_threads(max(1, threads))
        self._tokens = text_tokenizer(self._model, name)
        own: dict[str, str] = self._model.prompts or {}
        family = prompts_for(name)
        self._prompts = prompts or Prompts(
            own.get("query") or family.query, own.get("document") or family.document
        )
        self.name = name
        limit = self._model.max_seq_length or _NO_LIMIT
        self.max_tokens = int(min(limit, _NO_LIMIT))
        parts = (folder_digest(folder), self._prompts.query, self._prompts.document)
        digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()
        self.fingerprint = f"sentence-transformers@{digest[:16]}"
        self.dimension = int(self._raw(["dimension"], "").shape[1])

    def encode_documents(
        self, texts: Sequence[str], progress: Progress | None = None
    ) -> NDArray[np.float32]:
        """Return the vectors of ``texts``, shape ``(len(texts), dimension)``."""
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        for start in range(0, len(texts), _SLICE):
            part = texts[start : start + _SLICE]
            vectors[start : start + len(part)] = self._encode(part, self._prompts.document, start)
            if progress is not None:
                progress(len(part))
        return vectors

    def encode_query(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a query, shape ``(dimension,)``."""
        return self._encode([text], self._prompts.query, 0).reshape(self.dimension)

    def fit_query(self, text: str) -> tuple[str, bool]:
        """Return ``text`` cut after the last token that fits as a query, and whether it was cut."""
        room = self.max_tokens - self._tokens.count(self._prompts.query)
        return self._tokens.fit(text, room)

    def count_tokens(self, text: str) -> int:
        """Return the tokens of ``text`` as a document, special tokens and prompt included."""
        return self._tokens.count(self._prompts.document + text)

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        """Return the character spans of the tokens of ``text`` alone, without special tokens."""
        return self._tokens.spans(text)

    def _encode(self, texts: Sequence[str], prompt: str, first: int) -> NDArray[np.float32]:
        for index, text in enumerate(texts, start=first):
            if (found := self._tokens.count(prompt + text)) > self.max_tokens:
                raise too_long(self.name, self.max_tokens, found, index)
        raw = self._raw(texts, prompt)
        return unit_vectors(raw, self.dimension, model=self.name, first=first)

    def _raw(self, texts: Sequence[str], prompt: str) -> NDArray[np.float32]:
        rows = self._model.encode(
            [printable(text) for text in texts],
            prompt=prompt,
            batch_size=_BATCH,
            convert_to_numpy=True,
            show_progress_bar=False,
        )
        return np.asarray(rows, dtype=np.float32)
