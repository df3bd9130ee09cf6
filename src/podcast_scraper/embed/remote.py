"""A remote model behind the OpenAI-compatible ``POST /v1/embeddings``; only on request."""

from __future__ import annotations

import hashlib
import os
import re
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from podcast_scraper.embed.http_json import post_json
from podcast_scraper.embed.onnx import too_long
from podcast_scraper.embed.prompts import prompts_for
from podcast_scraper.embed.tokens import printable
from podcast_scraper.embed.vectors import unit_vectors
from podcast_scraper.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from podcast_scraper.embed.encoder import Progress

KEY_VARIABLE: Final = "PODCAST_SCRAPER_EMBED_KEY"

_NAME = re.compile(r"openai:(?P<model>.+?)@(?P<url>https?://\S+)")
_BATCH = 64
_QUERY_SECONDS = 2.0
_DOCUMENTS_SECONDS = 60.0
# No endpoint tells its limit, and some cut silently; this one holds for the common small models.
_MAX_TOKENS = 512
# The tokenizer is unknown: four letters a token is more than English takes, and every other
# character counts alone.
_TOKEN = re.compile(r"[A-Za-z]{1,4}|\S")


class RemoteEncoder:
    """An :class:`~podcast_scraper.embed.encoder.Encoder` over HTTP.

    Token counts are estimates on the safe side. A query has two seconds in all, a batch of 64
    documents a minute. The key is read from ``PODCAST_SCRAPER_EMBED_KEY``; without one no
    ``Authorization`` is sent. Opening sends one probe, which gives the dimension.
    """

    def __init__(self, model: str, base_url: str, *, key: str | None = None) -> None:
        self._model = model
        self._url = base_url.rstrip("/") + "/embeddings"
        self._key = key
        self._prompts = prompts_for(model)
        self.name = f"openai:{model}@{base_url.rstrip('/')}"
        self.max_tokens = _MAX_TOKENS
        parts = (self.name, self._prompts.query, self._prompts.document)
        self.fingerprint = f"openai@{hashlib.sha256(chr(0).join(parts).encode()).hexdigest()[:16]}"
        self.dimension = len(self._request(["dimension"], _QUERY_SECONDS)[0])

    @classmethod
    def from_name(cls, name: str) -> RemoteEncoder:
        """Return the encoder called ``openai:MODEL@https://host/v1``."""
        match = _NAME.fullmatch(name)
        if match is None:
            raise ModelError(
                f"{name!r} is no remote model.",
                mend="Write it as openai:MODEL@https://host/v1.",
                subject=name,
            )
        return cls(match["model"], match["url"], key=os.environ.get(KEY_VARIABLE))

    def encode_documents(
        self, texts: Sequence[str], progress: Progress | None = None
    ) -> NDArray[np.float32]:
        """Return the vectors of ``texts``, shape ``(len(texts), dimension)``."""
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        for start in range(0, len(texts), _BATCH):
            part = texts[start : start + _BATCH]
            vectors[start : start + len(part)] = self._encode(
                part, self._prompts.document, start, _DOCUMENTS_SECONDS
            )
            if progress is not None:
                progress(len(part))
        return vectors

    def encode_query(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a query, shape ``(dimension,)``."""
        vectors = self._encode([text], self._prompts.query, 0, _QUERY_SECONDS)
        return vectors.reshape(self.dimension)

    def fit_query(self, text: str) -> tuple[str, bool]:
        """Return ``text`` cut after the last token that fits as a query, and whether it was cut."""
        room = self.max_tokens - len(self.token_spans(self._prompts.query))
        spans = self.token_spans(text)
        return (text, False) if len(spans) <= room else (text[: spans[room - 1][1]], True)

    def count_tokens(self, text: str) -> int:
        """Return an upper estimate of the tokens of ``text`` as a document."""
        return len(self.token_spans(self._prompts.document + text))

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        """Return the character spans of estimated tokens."""
        return [match.span() for match in _TOKEN.finditer(text)]

    def _encode(
        self, texts: Sequence[str], prompt: str, first: int, seconds: float
    ) -> NDArray[np.float32]:
        prompted = [prompt + printable(text) for text in texts]
        for index, text in enumerate(prompted, start=first):
            if (found := len(self.token_spans(text))) > self.max_tokens:
                raise too_long(self.name, self.max_tokens, found, index)
        rows = self._request(prompted, seconds)
        return unit_vectors(rows, self.dimension, model=self.name, first=first)

    def _request(self, texts: Sequence[str], seconds: float) -> list[NDArray[np.float64]]:
        body = {"model": self._model, "input": list(texts), "encoding_format": "float"}
        answer = post_json(self._url, body, key=self._key, seconds=seconds)
        rows = _rows(answer, len(texts))
        if rows is None:
            raise ModelError(
                f"{self._url} did not answer with {len(texts)} embeddings of one dimension.",
                mend="Check the model's name and that the endpoint is OpenAI-compatible.",
                subject=self._url,
            )
        return rows


def _rows(answer: Any, count: int) -> list[NDArray[np.float64]] | None:
    """Return the embeddings in the order of their ``index``, or None for any other answer."""
    try:
        by_index = {item["index"]: item["embedding"] for item in answer["data"]}
        rows = [np.asarray(by_index[index], dtype=np.float64) for index in range(count)]
    except (KeyError, TypeError, ValueError):
        return None
    if len(answer["data"]) != count or any(row.ndim != 1 or not row.size for row in rows):
        return None
    return rows if len({row.size for row in rows}) == 1 else None
