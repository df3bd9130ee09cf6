"""Vectors of evaluated texts on disk, so that an interrupted or repeated run embeds nothing twice.

One SQLite file an encoder fingerprint under the cache directory; a text's key is its SHA-256.
"""

from __future__ import annotations

import hashlib
import os
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from podcast_scraper.embed.encoder import Encoder, Progress

_BATCH: Final = 64


def default_cache_dir() -> Path:
    """``$XDG_CACHE_HOME/podcast-scraper/eval``, by default under ``~/.cache``."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "podcast-scraper" / "eval"


class CachedEncoder:
    """An :class:`~podcast_scraper.embed.encoder.Encoder` that remembers. Commits every 64 texts."""

    def __init__(self, encoder: Encoder, cache_dir: Path) -> None:
        self._encoder = encoder
        self.name = encoder.name
        self.dimension = encoder.dimension
        self.max_tokens = encoder.max_tokens
        self.fingerprint = encoder.fingerprint
        folder = cache_dir / "vectors"
        folder.mkdir(parents=True, exist_ok=True)
        self._file = folder / f"{re.sub(r'[^A-Za-z0-9.@-]+', '_', encoder.fingerprint)}.sqlite"
        with closing(self._connect()) as database, database:
            database.execute(
                "CREATE TABLE IF NOT EXISTS document_vector"
                " (text_hash BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID"
            )

    def encode_documents(
        self, texts: Sequence[str], progress: Progress | None = None
    ) -> NDArray[np.float32]:
        """Vectors of ``texts``, shape ``(n, dimension)``; only new texts are embedded."""
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        with closing(self._connect()) as database:
            for start in range(0, len(texts), _BATCH):
                part = list(texts[start : start + _BATCH])
                vectors[start : start + len(part)] = self._batch(database, part)
                if progress is not None:
                    progress(len(part))
        return vectors

    def encode_query(self, text: str) -> NDArray[np.float32]:
        """See :meth:`Encoder.encode_query`; not remembered, so that its time can be measured."""
        return self._encoder.encode_query(text)

    def fit_query(self, text: str) -> tuple[str, bool]:
        """See :meth:`Encoder.fit_query`."""
        return self._encoder.fit_query(text)

    def count_tokens(self, text: str) -> int:
        """See :meth:`Encoder.count_tokens`."""
        return self._encoder.count_tokens(text)

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        """See :meth:`Encoder.token_spans`."""
        return self._encoder.token_spans(text)

    def _batch(self, database: sqlite3.Connection, texts: list[str]) -> NDArray[np.float32]:
        known = {text: _load(database, text) for text in texts}
        new = [text for text, vector in known.items() if vector is None]
        if new:
            made = self._encoder.encode_documents(new)
            _store(database, new, made)
            known.update(zip(new, made, strict=True))
        return np.stack([vector for text in texts if (vector := known[text]) is not None])

    def _connect(self) -> sqlite3.Connection:
        database = sqlite3.connect(self._file, timeout=60)
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
        return database


def _load(database: sqlite3.Connection, text: str) -> NDArray[np.float32] | None:
    row = database.execute(
        "SELECT value FROM document_vector WHERE text_hash = ?", (_hash(text),)
    ).fetchone()
    return None if row is None else np.frombuffer(row[0], dtype=np.float32)


def _store(
    database: sqlite3.Connection, texts: Sequence[str], vectors: NDArray[np.float32]
) -> None:
    rows = [
        (_hash(text), vector.astype(np.float32).tobytes())
        for text, vector in zip(texts, vectors, strict=True)
    ]
    with database:
        database.executemany("INSERT OR IGNORE INTO document_vector VALUES (?, ?)", rows)


def _hash(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
