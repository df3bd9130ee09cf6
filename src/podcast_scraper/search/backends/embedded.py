"""The default backend: records, and beside them a tantivy index and the dense engine's files.

The records, in a SQLite file or a PostgreSQL database, hold documents and vectors and are the
truth; the engines hold what makes them quick to search, under the same keys. A *seal* in the
records (:mod:`.sealing`) says which files of theirs belong to them. There are two ways to write:

* In bulk, into an index that nobody reads: ``upsert_…`` and ``delete`` break the seal, and
  :meth:`EmbeddedBackend.create_indices` makes every change visible and seals the index again.
* As a *revision* of an index that is being read (:meth:`EmbeddedBackend.revising`): the engines
  write new files beside the old, and one transaction changes the records and the seal.
  Whatever interrupts it, the index is in the state before or the state after.
"""

from __future__ import annotations

import contextlib
import shutil
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from podcast_scraper.errors import (
    IndexDamagedError,
)
from podcast_scraper.search.backend import BackendHealth, Filters, ScoredResult, SearchQuery
from podcast_scraper.search.backends.dense_files import DENSE, DenseChange, DenseFiles
from podcast_scraper.search.backends.lexical import LexicalIndex
from podcast_scraper.search.backends.ranking import by_date, check_k, ranked
from podcast_scraper.search.backends.records import (
    FILTERED_ROLES,
    DocumentRecords,
    delete_documents,
    replace_documents,
)
from podcast_scraper.search.backends.revision import Revision, checked
from podcast_scraper.search.backends.sealing import (
    MEND,
    REBUILD,
    Seal,
    break_seal,
    locked,
    settled_seal,
    torn,
    write_seal,
)
from podcast_scraper.search.spelling import complete, did_you_mean
from podcast_scraper.storage.dialects import integrity, on_postgresql
from podcast_scraper.storage.store import DATABASE, FILES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from pathlib import Path

    import sqlalchemy as sa
    from numpy.typing import NDArray

    from podcast_scraper.search.backend import Tier
    from podcast_scraper.search.backends.dense import DenseIndex
    from podcast_scraper.search.documents import Document

LEXICAL: Final = "lexical"
DOCUMENTS_KEPT: Final = 4096  # some ten megabytes


class EmbeddedBackend:
    """A :class:`~podcast_scraper.search.backend.SearchBackend` in one directory.

    Searching is safe from many threads. One process writes at a time.
    """

    def __init__(
        self,
        path: Path,
        engine: sa.Engine,
        lexical: LexicalIndex,
        dense: DenseIndex,
        seal: Seal,
        *,
        documents_kept: int = 0,
    ) -> None:
        self.path = path
        self.engine = engine
        self.dimension = seal.dimension
        self.lexical = lexical
        self.dense = dense
        self.seal = seal
        self._records = DocumentRecords(engine, kept=documents_kept)
        self._files = DenseFiles(path / DENSE, seal.dimension)
        self._change: DenseChange | None = None
        self._writing = threading.Lock()

    @classmethod
    def create(
        cls, path: Path, dimension: int, *, engine: sa.Engine | None = None
    ) -> EmbeddedBackend:
        """Make an empty index for vectors of ``dimension`` in a directory.

        ``engine`` leads to its records, whose tables are empty; without one they are made in the
        directory. Readers can open the index after the first :meth:`create_indices`.
        """
        engine = FILES.create_records(path) if engine is None else engine
        seal = Seal(0, dimension)
        dense = DenseFiles(path / DENSE, dimension).open(seal.dense, engine)
        return cls(path, engine, LexicalIndex.create(path / LEXICAL), dense, seal)

    @classmethod
    def open(
        cls, path: Path, *, read_only: bool = True, engine: sa.Engine | None = None
    ) -> EmbeddedBackend:
        """Open a sealed index. ``engine`` leads to its records where they are not in the directory.

        Raises IndexMissingError where there is none and IndexDamagedError where its parts are
        unreadable or disagree.
        """
        if engine is None:
            engine = FILES.open_records(path, read_only=read_only)
        try:
            seal = settled_seal(engine, path)
            while True:
                try:
                    lexical = LexicalIndex.open(path / seal.lexical_directory)
                    if (lexical.seal(), lexical.count) != (seal.lexical, seal.documents):
                        raise torn(path, "The lexical index is not the one that was sealed.")
                    dense = _open_dense(path, seal, engine)
                except IndexDamagedError:
                    # Revisions may have come since the seal was read, and swept its files away.
                    engine.dispose()
                    before, seal = seal, settled_seal(engine, path)
                    if seal == before:
                        raise
                else:
                    kept = DOCUMENTS_KEPT if read_only and not on_postgresql(engine) else 0
                    return cls(path, engine, lexical, dense, seal, documents_kept=kept)
        except BaseException:
            engine.dispose()
            raise

    def close(self) -> None:
        """Let go of the lexical writer, dropping what was not committed, and of connections."""
        self.lexical.rollback()
        if self._change is not None:
            self._change.abandon()
        self.engine.dispose()

    # Searching ----------------------------------------------------------------------------------

    def search_bm25(self, query: SearchQuery) -> list[ScoredResult]:
        """Return the documents with the best BM25 score; empty where the text has no terms."""
        check_k(query.k)
        found = self.lexical.search(query.text, query.filters, query.tier, query.k)
        return ranked(found, self._records.names([key for key, _ in found]), "bm25", query.k)

    def search_vector(self, query: SearchQuery) -> list[ScoredResult]:
        """Return the documents nearest to the embedding by cosine; empty without an embedding."""
        check_k(query.k)
        if query.embedding is None:
            return []
        allowed = self._allowed(self.dense, query.filters, query.tier)
        found = self.dense.search(query.embedding, query.k, allowed)
        return ranked(found, self._records.names([key for key, _ in found]), "vector", query.k)

    def browse(self, query: SearchQuery) -> list[ScoredResult]:
        """Return what the filters allow, newest first, unknown dates last; scores are 1 / rank."""
        check_k(query.k)
        rows = self.dense.rows
        newest = rows.newest(self._allowed(self.dense, query.filters, query.tier), query.k)
        keys, days = rows.keys(newest).tolist(), rows.arrays["day"][newest].tolist()
        names = self._records.names(keys)
        order = sorted((-day, *names[k]) for k, day in zip(keys, days, strict=True) if k in names)
        return by_date([(doc_id, tier) for _, doc_id, tier in order[: query.k]])

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
        tiers = self.dense.rows.count()
        documents = self._records.count()
        reasons = tuple(
            f"{documents} documents but {count} {what}"
            for what, count in (
                ("vectors", sum(tiers.values())),
                ("in the lexical index", self.lexical.count),
            )
            if count != documents
        )
        return BackendHealth(tiers, degraded=bool(reasons), reasons=reasons)

    def noticed(self) -> tuple[str, ...]:
        """Return nothing: files that fitted together when they were opened fit still."""
        return ()

    @property
    def revision(self) -> int:
        """How often the index was revised since it was built."""
        return self.seal.revision

    @property
    def is_lean(self) -> bool:
        """Whether revisions have left the dense engine as quick as one that is built anew."""
        return self.dense.is_lean

    def publish(self, generations: Collection[int]) -> None:
        """Do nothing: the files of a generation are in its directory."""

    def allowed_keys(self, filters: Filters, tier: Tier) -> NDArray[np.int64] | None:
        """Return the keys of the documents that filters and tier leave; None: all of them."""
        dense = self.dense
        allowed = self._allowed(dense, filters, tier)
        return None if allowed is None else dense.rows.keys(np.flatnonzero(allowed))

    def check(self) -> None:
        """Read a database file whole; IndexDamagedError where a page of it is corrupt."""
        found = integrity(self.engine)
        if found != "ok":
            raise IndexDamagedError(
                f"{self.path / DATABASE} is damaged: {found}.", mend=REBUILD, subject=self.path
            )

    def _allowed(self, dense: DenseIndex, filters: Filters, tier: Tier) -> NDArray[np.bool_] | None:
        """Return the mask of the rows that the filters allow; None: all of them."""
        masks = [dense.rows.matching(filters, tier)]
        for name, role in FILTERED_ROLES.items():
            if ids := getattr(filters, name):
                masks.append(dense.rows.of_keys(self._records.with_entities(role, ids)))
        for phrase in filters.phrases:
            if (keys := self.lexical.holding(phrase, described=True)) is not None:
                masks.append(dense.rows.of_keys(keys))
        for phrase in filters.excluded:
            if (keys := self.lexical.holding(phrase, described=False)) is not None:
                masks.append(~dense.rows.of_keys(keys))
        real = [mask for mask in masks if mask is not None]
        if not real:
            return None
        allowed = dense.rows.alive.copy()
        for mask in real:
            allowed &= mask
        return allowed

    # Writing ------------------------------------------------------------------------------------

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
            change = self._begin()
            with self.engine.begin() as connection:
                keys = delete_documents(connection, doc_ids)
            self.lexical.delete(keys)
            change.remove(keys)

    def create_indices(self, queries: NDArray[np.float32] | None = None) -> None:
        """Make every change durable and visible, and seal the index.

        ``queries`` are unit vectors, shape ``(m, dimension)``, of queries like those that will be
        asked: a large index tunes its dense engine on them.
        """
        with self._writing:
            change = self._begin()
            self.lexical.commit()
            dense_seal, self.dense = change.finish(self.engine, queries)
            self._change = None
            health = self.health()
            if health.degraded:
                raise torn(self.path, f"It holds {'; '.join(health.reasons)}.")
            self.seal = replace(
                self.seal,
                documents=self.lexical.count,
                lexical=self.lexical.seal(),
                dense=dense_seal,
            )
            with self.engine.begin() as connection:
                write_seal(connection, self.seal)

    def _upsert(
        self, tier: str, documents: Sequence[Document], vectors: NDArray[np.float32]
    ) -> None:
        batch, rows = checked(tier, documents, vectors, self.dimension)
        if not batch:
            return
        with self._writing:
            change = self._begin()
            with self.engine.begin() as connection:
                keys, gone = replace_documents(connection, batch, rows)
            self.lexical.delete(gone)
            self.lexical.add(zip(keys, batch, strict=True))
            change.remove(gone)
            change.add(keys, batch, rows)

    def _begin(self) -> DenseChange:
        """Become the writer, and break the seal before anything changes."""
        self.lexical.begin()
        with locked(self.path), self.engine.begin() as connection:
            break_seal(connection)
        if self._change is None:
            self._change = self._files.changing(self.dense, self.seal.dense)
        return self._change

    @contextlib.contextmanager
    def revising(self) -> Iterator[Revision]:
        """Change an index that is being read; what the block did is visible when it has ended.

        An error in the block leaves the index as it was. Readers see the revision when they open
        the index again. Raises IndexLockedError where the index cannot be written.
        """
        with self._writing:
            number = self.seal.revision + 1
            directory = f"{LEXICAL}-{number}"
            shutil.rmtree(self.path / directory, ignore_errors=True)
            lexical = self.lexical.copied(self.path / directory)
            change = self._files.changing(self.dense, self.seal.dense)
            try:
                with locked(self.path), self.engine.begin() as connection:
                    break_seal(connection)  # from here on this is the one writer
                    yield Revision(connection, lexical, change, self.dimension)
                    lexical.commit()
                    dense_seal, dense = change.finish(self.engine)
                    seal = Seal(
                        lexical.count,
                        self.dimension,
                        directory,
                        lexical.seal(),
                        dense_seal,
                        number,
                    )
                    write_seal(connection, seal)
            except BaseException:
                change.abandon()
                lexical.rollback()
                raise
            before, self.seal, self.lexical, self.dense = self.seal, seal, lexical, dense
            self._sweep(before)

    def _sweep(self, before: Seal) -> None:
        """Remove what neither this state nor the one before it uses."""
        self._files.sweep((before.dense, self.seal.dense))
        kept = (before.lexical_directory, self.seal.lexical_directory)
        for path in self.path.glob(f"{LEXICAL}*"):
            if path.name not in kept:
                shutil.rmtree(path, ignore_errors=True)


def _open_dense(path: Path, seal: Seal, engine: sa.Engine) -> DenseIndex:
    try:
        return DenseFiles(path / DENSE, seal.dimension).open(seal.dense, engine)
    except (OSError, ValueError, KeyError, TypeError, RuntimeError) as error:
        raise IndexDamagedError(
            f"The vectors in {path / DENSE} cannot be used: {error}.", mend=MEND, subject=path
        ) from error
