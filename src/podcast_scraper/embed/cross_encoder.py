"""Models that score a query and a passage together, for rescoring the head of a ranking."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Protocol

import numpy as np

from podcast_scraper.embed.folders import folder_digest, local_model
from podcast_scraper.embed.models import (
    DEFAULT_CROSS_ENCODER,
    PACKAGED,
    packaged_model,
    verified_folder,
)
from podcast_scraper.embed.onnx_model import OnnxModel
from podcast_scraper.embed.parallel import indexed_map
from podcast_scraper.embed.tokens import TextTokenizer, even_windows
from podcast_scraper.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

# A query may take this share of a model's tokens; what is longer is cut (it only steers).
_QUERY_SHARE = 4
_OVERLAP_SHARE = 8
_DEFAULT_MAX_TOKENS = 512


class CrossEncoder(Protocol):
    """Scores passages against a query, higher is better, on the model's own scale (logits).

    A passage that does not fit beside the query is scored in overlapping windows and gets the
    largest of their scores (MaxP, Dai and Callan 2019). A query over a quarter of the model's
    tokens is cut there.
    """

    name: str
    fingerprint: str

    def score(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one score a text, shape ``(len(texts),)``."""
        ...


def open_cross_encoder(name: str | None = None, *, threads: int = 1) -> CrossEncoder:
    """Return the cross-encoder called ``name``: ``pkg:reranker`` (None), a folder, a hub name.

    ``threads`` pairs are scored at the same time. ``ModelError`` as for ``open_encoder``.
    """
    name = name or DEFAULT_CROSS_ENCODER
    if name.startswith("pkg:"):
        model = packaged_model(name, "cross-encoder")
        weights = " ".join(model.files.values())
        return OnnxCrossEncoder(verified_folder(model), name, weights, threads=threads)
    packaged = tuple(m.name for m in PACKAGED.values() if m.role == "cross-encoder")
    folder = local_model(name, packaged)
    return SentenceTransformersCrossEncoder(folder, name, threads=threads)


class OnnxCrossEncoder:
    """A :class:`CrossEncoder` with one output a pair on onnxruntime."""

    def __init__(self, folder: Path, name: str, weights: str, *, threads: int = 1) -> None:
        self._model = OnnxModel(folder, name)
        self._threads = max(1, threads)
        self.name = name
        self.fingerprint = f"{name}@{hashlib.sha256(weights.encode()).hexdigest()[:16]}"

    def score(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one logit a text, shape ``(len(texts),)``."""
        tokens = self._model.tokens
        head, pairs, owners = pair_windows(tokens, query, texts, _DEFAULT_MAX_TOKENS)

        def logit(index: int) -> float:
            return float(self._model.run(tokens.encode(head, pairs[index])).item())

        scores = list(indexed_map(logit, len(pairs), self._threads))
        return best_of_windows(self.name, scores, owners, len(texts))


class SentenceTransformersCrossEncoder:
    """A :class:`CrossEncoder` over a folder that sentence-transformers can load."""

    def __init__(self, folder: Path, name: str, *, threads: int = 1) -> None:
        from podcast_scraper.embed.sentence_transformers import load_quietly, text_tokenizer

        self._model = load_quietly("CrossEncoder", folder, name)
        import torch

        torch.set_num_threads(max(1, threads))
        self._identity = torch.nn.Identity()
        self._tokens = text_tokenizer(self._model, name)
        limit = getattr(self._model, "max_seq_length", None)
        stated = limit or self._model.tokenizer.model_max_length
        self._max_tokens = min(int(stated), _DEFAULT_MAX_TOKENS)
        self.name = name
        self.fingerprint = f"sentence-transformers@{folder_digest(folder)[:16]}"

    def score(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one logit a text, shape ``(len(texts),)``."""
        head, pairs, owners = pair_windows(self._tokens, query, texts, self._max_tokens)
        scores: list[float] = []
        if pairs:
            raw = self._model.predict(
                [(head, pair) for pair in pairs],
                activation_fn=self._identity,
                show_progress_bar=False,
            )
            scores = [float(score) for score in np.asarray(raw).reshape(len(pairs))]
        return best_of_windows(self.name, scores, owners, len(texts))


def pair_windows(
    tokens: TextTokenizer, query: str, texts: Sequence[str], max_tokens: int
) -> tuple[str, list[str], list[int]]:
    """Return the query as it is scored, the windows of all texts, and the text of each window."""
    head, _ = tokens.fit(query, max_tokens // _QUERY_SHARE)
    room = max_tokens - tokens.count(head, "")
    windows: list[str] = []
    owners: list[int] = []
    for index, text in enumerate(texts):
        spans = even_windows(tokens.spans(text), room, room // _OVERLAP_SHARE)
        for start, end in spans or [(0, 0)]:
            # Part of one very long word can still take more tokens alone than within it.
            windows.append(tokens.fit(text[start:end], room)[0])
            owners.append(index)
    return head, windows, owners


def best_of_windows(
    model: str, scores: Sequence[float], owners: Sequence[int], count: int
) -> NDArray[np.float32]:
    """Return the largest score of each text's windows; one that is not finite is an error."""
    values = np.asarray(scores, dtype=np.float32)
    bad = np.flatnonzero(~np.isfinite(values))
    if bad.size:
        text = owners[int(bad[0])]
        raise ModelError(f"The model {model} gave no finite score for text {text}.", subject=text)
    best = np.full(count, -np.inf, dtype=np.float32)
    np.maximum.at(best, np.asarray(owners, dtype=np.intp), values)
    return best
