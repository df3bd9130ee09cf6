"""Vectors that were computed once are not computed again.

Donors are the databases of the live generation and of an abandoned build: a text with the same
hash, under the same encoder fingerprint, has its vector there. This is what makes a second build
quick and lets an interrupted one go on where it stood.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Protocol

import numpy as np
import sqlalchemy as sa

from podcast_scraper.embed.vectors import unit_vectors
from podcast_scraper.errors import PodcastScraperError
from podcast_scraper.storage.schema import DocumentVector, IndexedDocument, Meta
from podcast_scraper.storage.store import FILES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from podcast_scraper.embed.encoder import Encoder
    from podcast_scraper.storage.store import RecordStore

_BATCH = 500


class Donor(Protocol):
    """Finds the stored vectors of texts by their hash."""

    def vectors_for(self, hashes: Sequence[str]) -> Mapping[str, NDArray[np.float32]]: ...

    def close(self) -> None: ...


class StoredVectors:
    """The vectors of a generation's records, where it has those of the encoder that is in use.

    Records that are missing, unreadable or of another encoder simply have none.
    """

    def __init__(
        self, directory: Path, fingerprint: str, dimension: int, store: RecordStore = FILES
    ) -> None:
        self._engine: sa.Engine | None = None
        if not store.has_records(directory):
            return
        engine = store.open_records(directory, read_only=False)
        wanted = sa.select(Meta.value).where(Meta.key == "encoder_fingerprint")
        try:
            with engine.connect() as connection:
                fits = connection.scalar(wanted) == fingerprint
        except (sa.exc.DatabaseError, PodcastScraperError):
            fits = False
        if fits:
            self._engine = engine
        else:
            engine.dispose()
        self._dimension = dimension

    def vectors_for(self, hashes: Sequence[str]) -> Mapping[str, NDArray[np.float32]]:
        """Return hash → unit vector for those that are stored."""
        if self._engine is None:
            return {}
        statement = sa.select(IndexedDocument.text_hash, DocumentVector.embedding).join(
            DocumentVector, DocumentVector.key == IndexedDocument.key
        )
        found: dict[str, NDArray[np.float32]] = {}
        try:
            with self._engine.connect() as connection:
                for start in range(0, len(hashes), _BATCH):
                    part = IndexedDocument.text_hash.in_(hashes[start : start + _BATCH])
                    for text_hash, blob in connection.execute(statement.where(part)):
                        vector = np.frombuffer(blob, dtype="<f4")
                        if vector.shape == (self._dimension,):
                            found[text_hash] = vector
        except (sa.exc.DatabaseError, PodcastScraperError):
            return {}  # a damaged donor gives nothing; the texts are encoded anew
        return found

    def close(self) -> None:
        """Release the database."""
        if self._engine is not None:
            self._engine.dispose()


def embed(
    texts: Sequence[str], hashes: Sequence[str], encoder: Encoder, donors: Sequence[Donor]
) -> tuple[NDArray[np.float32], int]:
    """Return one unit vector a text, shape ``(len(texts), dimension)``, and how many were reused.

    A text longer than the encoder takes gets the normalised mean of the vectors of its parts, so
    that none of it is left out.
    """
    known: dict[str, NDArray[np.float32]] = {}
    for donor in donors:
        missing = [h for h in hashes if h not in known]
        if missing:
            known.update(donor.vectors_for(missing))
    reused = sum(h in known for h in hashes)
    fresh = {h: text for h, text in zip(hashes, texts, strict=True) if h not in known}
    parts = {h: _parts(text, encoder) for h, text in fresh.items()}
    flat = [part for pieces in parts.values() for part in pieces]
    if flat:
        encoded = encoder.encode_documents(flat)
        start = 0
        for h, pieces in parts.items():
            known[h] = encoded[start : start + len(pieces)].mean(axis=0)
            start += len(pieces)
    if not hashes:
        return np.empty((0, encoder.dimension), dtype=np.float32), 0
    stacked = np.stack([known[h] for h in hashes])
    return unit_vectors(stacked, encoder.dimension, model=encoder.name), reused


def _parts(text: str, encoder: Encoder) -> list[str]:
    """Return the text whole where it fits, else cut between tokens into pieces that do."""
    if encoder.count_tokens(text) <= encoder.max_tokens:
        return [text]
    spans = encoder.token_spans(text)
    room = max(1, encoder.max_tokens // 2)  # a piece may tokenise into more than it did in place
    starts = [0, *(spans[i][0] for i in range(room, len(spans), room)), len(text)]
    return [
        piece for start, end in itertools.pairwise(starts) if (piece := text[start:end].strip())
    ]
