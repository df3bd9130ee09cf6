"""The default backend: one SQLite file and one tantivy index beside it, in one directory.

SQLite holds documents and vectors and is the truth; tantivy holds their terms under the same keys.
Changes are written in batches and become visible together with ``create_indices``, which leaves a
seal in SQLite: tantivy's commit with its files, and the number of documents. A seal that is missing
or does not fit tells at opening that a write was torn or a file was damaged.
"""

from __future__ import annotations

import json
import threading
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Final

import sqlalchemy as sa
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.exc import DatabaseError

from podcast_scraper.embed.vectors import unit_vectors
from podcast_scraper.errors import (
    IndexDamagedError,
    IndexLockedError,
    IndexMissingError,
    UsageError,
)
from podcast_scraper.search.backend import BackendHealth, ScoredResult, SearchQuery
from podcast_scraper.search.backends.dense import DenseIndex
from podcast_scraper.search.backends.lexical import LexicalIndex
from podcast_scraper.search.backends.lexical_queries import day_number
from podcast_scraper.search.backends.records import DocumentRecords
from podcast_scraper.search.spelling import complete, did_you_mean
from podcast_scraper.storage.driver import open_engine
from podcast_scraper.storage.schema import Base, Meta

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from podcast_scraper.search.documents import Document

DATABASE: Final = "corpus.sqlite"
LEXICAL: Final = "lexical"
MAX_ID_LENGTH: Final = 1000

_SEAL: Final = "search_seal"
_MEND: Final = "Build the index again with `podcast-scraper index`."


@dataclass(frozen=True, slots=True)
class _Seal:
    """What the engines held when they last agreed."""

    lexical: dict[str, int]
    documents: int
    dimension: int


class EmbeddedBackend:
    """A :class:`~podcast_scraper.search.backend.SearchBackend` in one directory.

    Searching is safe from many threads. One process writes at a time.
    """

    def __init__(
        self, path: Path, engine: sa.Engine, lexical: LexicalIndex, dimension: int
    ) -> None:
        self.path = path
        self.engine = engine
        self.dimension = dimension
        self.lexical = lexical
        self.dense = DenseIndex(engine, dimension)
        self._records = DocumentRecords(engine)
        self._writing = threading.Lock()

    @classmethod
    def create(cls, path: Path, dimension: int) -> EmbeddedBackend:
        """Make an empty index for vectors of ``dimension`` in a directory.

        The tables of the record schema are made where they are missing. Readers can open the index
        after the first :meth:`create_indices`.
        """
        path.mkdir(parents=True, exist_ok=True)
        engine = open_engine(path / DATABASE)
        Base.metadata.create_all(engine)
        return cls(path, engine, LexicalIndex.create(path / LEXICAL), dimension)

    @classmethod
    def open(cls, path: Path, *, read_only: bool = True) -> EmbeddedBackend:
        """Open a sealed index.

        Raises IndexMissingError where there is none and IndexDamagedError where its parts are
        unreadable or disagree.
        """
        if not (path / DATABASE).is_file():
            raise IndexMissingError(f"There is no index in {path}.", mend=_MEND, subject=path)
        engine = open_engine(path / DATABASE, read_only=read_only)
        try:
            seal = _read_seal(engine, path)
            lexical = LexicalIndex.open(path / LEXICAL)
            if (lexical.seal(), lexical.count) != (seal.lexical, seal.documents):
                raise _torn(
                    path, "The lexical index is not the one that its records were sealed with."
                )
        except BaseException:
            engine.dispose()
            raise
        return cls(path, engine, lexical, seal.dimension)

    def close(self) -> None:
        """Let go of the lexical writer, dropping what was not committed, and of connections."""
        self.lexical.rollback()
        self.engine.dispose()

    def search_bm25(self, query: SearchQuery) -> list[ScoredResult]:
        """Return the documents with the best BM25 score; empty where the text has no terms."""
        _check_k(query.k)
        found = self.lexical.search(query.text, query.filters, query.tier, query.k)
        return _ranked(found, self._records.names([key for key, _ in found]), "bm25", query.k)

    def search_vector(self, query: SearchQuery) -> list[ScoredResult]:
        """Return the documents nearest to the embedding by cosine; empty without an embedding."""
        _check_k(query.k)
        if query.embedding is None:
            return []
        allowed = self.lexical.matching(query.filters, query.tier) if query.filters else None
        found = self.dense.search(query.embedding, query.k, tier=query.tier, allowed=allowed)
        return _ranked(found, self._records.names([key for key, _ in found]), "vector", query.k)

    def browse(self, query: SearchQuery) -> list[ScoredResult]:
        """Return what the filters allow, newest first, unknown dates last; scores are 1 / rank."""
        _check_k(query.k)
        allowed = self.lexical.matching(query.filters, query.tier)
        rows = self._records.newest(allowed.tolist() if allowed is not None else None, query.k)
        return [
            ScoredResult(doc_id, 1.0 / rank, rank, {}, "date", tier)
            for rank, (doc_id, tier) in enumerate(rows, start=1)
        ]

    def count_undated(self, query: SearchQuery) -> int:
        """Return how many documents a date filter hides because their date is unknown."""
        if query.filters.since is None and query.filters.until is None:
            return 0
        others = replace(query.filters, since=None, until=None)
        return self.lexical.count_undated(others, query.tier)

    def explain_bm25(self, text: str, doc_id: str) -> dict[str, float]:
        """Return what each term of a text adds to the BM25 score of a document."""
        keys = self._records.keys([doc_id])
        return self.lexical.explain(text, keys[doc_id]) if doc_id in keys else {}

    def complete(self, text: str, limit: int = 8) -> list[str]:
        """Return what a text may become when its last word is finished, most frequent first."""
        return complete(self.lexical, text, limit)

    def did_you_mean(self, text: str) -> str | None:
        """Return the text with unknown words replaced by near known ones; None if none is."""
        return did_you_mean(self.lexical, text)

    def vector(self, doc_id: str) -> NDArray[np.float32] | None:
        """Return the unit vector of a document; None for an unknown id."""
        keys = self._records.keys([doc_id])
        return self.dense.vector(keys[doc_id]) if doc_id in keys else None

    def fetch(self, doc_ids: Sequence[str]) -> dict[str, Document]:
        """Return the documents with these ids in one read; unknown ids are left out."""
        return self._records.fetch(doc_ids)

    def health(self) -> BackendHealth:
        """Count what each engine holds and say where they disagree."""
        tiers, vectors = self._records.counts()
        documents = sum(tiers.values())
        reasons = tuple(
            f"{documents} documents but {count} {what}"
            for what, count in (("vectors", vectors), ("in the lexical index", self.lexical.count))
            if count != documents
        )
        return BackendHealth(tiers, degraded=bool(reasons), reasons=reasons)

    def upsert_segment(self, documents: Sequence[Document], vectors: NDArray[np.float32]) -> None:
        """Write segments and their vectors, shape ``(n, dimension)``, over those of the same ids.

        One call is one transaction: give some hundred documents at a time.
        """
        self._upsert("segment", documents, vectors)

    def upsert_insight(self, documents: Sequence[Document], vectors: NDArray[np.float32]) -> None:
        """Write insights and their vectors; see :meth:`upsert_segment`."""
        self._upsert("insight", documents, vectors)

    def delete(self, doc_ids: Sequence[str]) -> None:
        """Remove documents and their vectors; unknown ids are ignored."""
        with self._writing:
            self._begin()
            self.lexical.delete(self._records.delete(doc_ids))

    def create_indices(self) -> None:
        """Make every change durable and visible, and seal the index."""
        with self._writing:
            self._begin()
            self.lexical.commit()
            health = self.health()
            if health.degraded:
                raise _torn(self.path, f"It holds {'; '.join(health.reasons)}.")
            seal = _Seal(self.lexical.seal(), self.lexical.count, self.dimension)
            value = {"key": _SEAL, "value": json.dumps(asdict(seal))}
            with self.engine.begin() as connection:
                connection.execute(
                    insert(Meta)
                    .values(value)
                    .on_conflict_do_update(index_elements=["key"], set_=value)
                )
            self.dense.refresh()

    def _upsert(
        self, tier: str, documents: Sequence[Document], vectors: NDArray[np.float32]
    ) -> None:
        if len(documents) != len(vectors):
            raise UsageError(f"{len(documents)} documents came with {len(vectors)} vectors.")
        if not documents:
            return
        rows = unit_vectors(vectors, self.dimension, model="in use")
        # Of several documents with one id the last is meant.
        places = list({document.doc_id: n for n, document in enumerate(documents)}.values())
        batch = [documents[place] for place in places]
        for document in batch:
            _check(document, tier)
        with self._writing:
            self._begin()
            keys, replaced = self._records.replace(batch, rows[places])
            self.lexical.delete(replaced)
            self.lexical.add(zip(keys, batch, strict=True))

    def _begin(self) -> None:
        """Become the writer, and break the seal before anything changes."""
        self.lexical.begin()
        try:
            with self.engine.begin() as connection:
                connection.execute(sa.delete(Meta).where(Meta.key == _SEAL))
        except DatabaseError as error:
            raise IndexLockedError(
                f"The index in {self.path} cannot be written: {error.orig}.",
                mend="Wait until the other writer has ended, or open the index for writing.",
                subject=self.path,
            ) from error


def _ranked(
    found: Iterable[tuple[int, float]],
    names: Mapping[int, tuple[str, str]],
    signal: str,
    k: int,
) -> list[ScoredResult]:
    """Order hits by score, then doc_id. A key without a name was deleted and is not yet sealed."""
    hits = [(-score, *names[key]) for key, score in found if key in names]
    return [
        ScoredResult(doc_id, -negative, rank, {}, signal, tier)
        for rank, (negative, doc_id, tier) in enumerate(sorted(hits)[:k], start=1)
    ]


def _read_seal(engine: sa.Engine, path: Path) -> _Seal:
    try:
        with engine.connect() as connection:
            value = connection.execute(
                sa.select(Meta.value).where(Meta.key == _SEAL)
            ).scalar_one_or_none()
    except DatabaseError as error:
        raise IndexDamagedError(
            f"The records in {path / DATABASE} cannot be read: {error.orig}.",
            mend=_MEND,
            subject=path / DATABASE,
        ) from error
    if value is None:
        raise _torn(path, "Its last write was not finished.")
    return _Seal(**json.loads(value))


def _torn(path: Path, reason: str) -> IndexDamagedError:
    return IndexDamagedError(f"The index in {path} is torn. {reason}", mend=_MEND, subject=path)


def _check_k(k: int) -> None:
    if k < 1:
        raise UsageError(f"k is {k}.", mend="Ask for at least one result.", subject=k)


def _check(document: Document, tier: str) -> None:
    """Refuse what the engines would store wrongly: ids, dates and text that are none."""
    if document.tier != tier:
        raise UsageError(f"{document.doc_id!r} is of tier {document.tier!r}, not {tier!r}.")
    ids = (document.doc_id, document.show_id, document.episode_id)
    listed = (*document.speakers, *document.topics, *document.mentions, *document.linked)
    for value in (*ids, *listed):
        if not 0 < len(value) <= MAX_ID_LENGTH or min(value) < " ":
            raise UsageError(
                f"{value[:80]!r} cannot be an id.",
                mend=f"Ids have 1 to {MAX_ID_LENGTH} characters and no control characters.",
                subject=document.doc_id,
            )
    try:
        "\n".join((document.text, *ids)).encode("utf-8")
    except UnicodeEncodeError as error:
        raise UsageError(
            f"The text of {document.doc_id!r} holds half a surrogate pair.",
            mend="Replace it (U+FFFD) when the text is read.",
            subject=document.doc_id,
        ) from error
    if document.published is not None:
        day_number(document.published)
