"""The lexical engine: BM25 over a tantivy index of stemmed and exact terms.

tantivy scores with k1 = 1.2 and b = 0.75, fixed in its source, and the idf of Robertson and Spärck
Jones shifted to be positive, so every score is above zero. Documents are known by the integer key
of their row in SQLite; nothing is stored here that SQLite does not hold, and the index can be
built again from it. One process writes at a time; readers see what was committed before they
opened or reloaded.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
import threading
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import tantivy

from podcast_scraper.errors import IndexDamagedError, IndexLockedError, IndexStateError
from podcast_scraper.search.analysis import exact_analyzer, query_terms, stem_analyzer
from podcast_scraper.search.backends.lexical_queries import (
    MUST,
    MUST_NOT,
    QueryBuilder,
    all_of,
    indexed,
    schema,
    unscored,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from podcast_scraper.search.backend import Filters, Tier
    from podcast_scraper.search.documents import Document

HEAP_BYTES: Final = 128_000_000

_MEND: Final = "Build the index again with `podcast-scraper index`."


class LexicalIndex:
    """A tantivy index in one directory. Searching is safe from many threads, writing from one."""

    def __init__(self, path: Path, index: Any) -> None:
        self.path = path
        self._index = index
        index.register_tokenizer("stem", stem_analyzer())
        index.register_tokenizer("exact", exact_analyzer())
        self._queries = QueryBuilder(index.schema)
        self._writer: Any = None
        self._lock = threading.Lock()
        self._searcher = index.searcher()

    @classmethod
    def create(cls, path: Path) -> LexicalIndex:
        """Make an empty index in a new or empty directory."""
        with _translated(path):
            path.mkdir(parents=True, exist_ok=True)
            return cls(path, tantivy.Index(schema(), str(path), reuse=False))

    @classmethod
    def open(cls, path: Path) -> LexicalIndex:
        """Open an index. Raises IndexDamagedError where a file is missing, cut or unreadable."""
        with _translated(path):
            if os.access(path, os.W_OK) or not path.is_dir():
                return cls(path, tantivy.Index.open(str(path)))
            # Even readers of tantivy write a lock file: on a read-only disk they get a directory of
            # links for it, removed with this object.
            links = Path(tempfile.mkdtemp(prefix="podcast-scraper-"))
            for file in path.iterdir():
                if file.suffix != ".lock":
                    (links / file.name).symlink_to(file.resolve())
            opened = cls(path, tantivy.Index.open(str(links)))
            weakref.finalize(opened, shutil.rmtree, links, ignore_errors=True)
            return opened

    @property
    def count(self) -> int:
        """Number of documents that searches see."""
        return int(self._searcher.num_docs)

    def copied(self, path: Path) -> LexicalIndex:
        """Return a copy in a new directory, for changes that readers of this one never see.

        Files that are never changed are shared by hard links where the disk has them.
        """
        with _translated(path):
            path.mkdir()
            for file in self.path.iterdir():
                if file.suffix == ".lock":
                    continue
                if file.suffix == ".json":  # tantivy replaces these two
                    shutil.copy(file, path / file.name)
                    continue
                try:
                    os.link(file, path / file.name)
                except OSError:
                    shutil.copy(file, path / file.name)
        return LexicalIndex.open(path)

    def seal(self) -> dict[str, int]:
        """Return what identifies the last commit: its stamp, and every file with its size."""
        with _translated(self.path):
            meta = json.loads((self.path / "meta.json").read_text(encoding="utf-8"))
            files = [file for file in self.path.iterdir() if not file.name.startswith(".")]
            return {"": int(meta["opstamp"]), **{f.name: f.stat().st_size for f in files}}

    # Writing ------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Become the one writer. Raises IndexLockedError where there is another."""
        with self._lock, _translated(self.path):
            self._writing()

    def add(self, documents: Iterable[tuple[int, Document]]) -> None:
        """Add documents under keys that are free (delete them first); seen after a commit."""
        with self._lock, _translated(self.path):
            writer = self._writing()
            for key, document in documents:
                writer.add_document(indexed(self._index.schema, key, document))

    def delete(self, keys: Iterable[int]) -> None:
        """Remove the documents with these keys; seen after a commit."""
        with self._lock, _translated(self.path):
            writer = self._writing()
            for key in keys:
                writer.delete_documents_by_term("key", key)

    def commit(self) -> None:
        """Make all changes durable and visible, and let other writers in."""
        with self._lock, _translated(self.path):
            writer, self._writer = self._writing(), None
            writer.commit()
            writer.wait_merging_threads()
            self.reload()

    def rollback(self) -> None:
        """Forget every change since the last commit and let other writers in."""
        with self._lock, _translated(self.path):
            if self._writer is not None:
                writer, self._writer = self._writer, None
                writer.rollback()
                writer.wait_merging_threads()

    def reload(self) -> None:
        """See what was committed meanwhile, by this process or another."""
        self._index.reload()
        self._searcher = self._index.searcher()

    def _writing(self) -> Any:
        if self._writer is None:
            self._writer = self._index.writer(HEAP_BYTES, 1)
        return self._writer

    # Searching ----------------------------------------------------------------------------------

    def search(self, text: str, filters: Filters, tier: Tier, k: int) -> list[tuple[int, float]]:
        """Return ``(key, BM25 score)``, best first: the top ``k`` and all that tie with the last.

        Empty where the text has no terms. The caller orders ties and cuts.
        """
        terms = query_terms(text) or query_terms(" ".join(filters.phrases))
        if not terms:
            return []
        return self._top(self._queries.scored(terms, filters, tier), k)

    def holding(self, phrase: str, *, described: bool) -> NDArray[np.int64] | None:
        """Return the keys of the documents that hold a phrase; None where it has no words.

        ``described`` looks in the context of documents too.
        """
        query = self._queries.phrase(phrase, described=described)
        if query is None:
            return None
        with _translated(self.path):
            hits = self._run(unscored(query), self.count)
            keys = self._keys([address for _, address in hits])
        return np.array(keys, dtype=np.int64)

    def count_undated(self, filters: Filters, tier: Tier) -> int:
        """Return how many documents that the other filters allow have no known date."""
        restrictions = self._queries.restrictions(filters, tier)
        restrictions.append((MUST_NOT, tantivy.Query.exists_query("day")))
        with _translated(self.path):
            return int(self._searcher.search(all_of(restrictions), 1).count)

    def explain(self, text: str, key: int) -> dict[str, float]:
        """Return what each term of a text adds to the BM25 score of one document.

        Terms are named ``stem:term`` or ``exact:term``; those that add nothing are left out.
        """
        terms = query_terms(text)
        only = (MUST, unscored(tantivy.Query.term_query(self._index.schema, "key", key)))
        shares: dict[str, float] = {}
        for name, clause in self._queries.clauses(terms):
            hits = self._run(tantivy.Query.boolean_query([(MUST, clause), only]), 1)
            if hits:
                shares[name] = float(hits[0][0])
        return shares

    def _top(self, query: Any, k: int) -> list[tuple[int, float]]:
        limit, total = k + 1, self.count
        while True:
            hits = self._run(query, limit)
            if len(hits) < limit or limit >= total or hits[-1][0] < hits[k - 1][0]:
                break
            limit *= 4
        kept = [hit for hit in hits if hit[0] >= hits[min(k, len(hits)) - 1][0]]
        keys = self._keys([address for _, address in kept])
        return [(key, float(score)) for key, (score, _) in zip(keys, kept, strict=True)]

    def _run(self, query: Any, limit: int) -> list[tuple[float, Any]]:
        # A limit above the number of documents is not only useless: tantivy allocates it.
        limit = min(limit, self.count)
        if limit < 1:
            return []
        with _translated(self.path):
            return list(self._searcher.search(query, limit, count=False).hits)

    def _keys(self, addresses: Sequence[Any]) -> list[int]:
        return list(self._searcher.fast_field_values("key", addresses))

    # The term dictionary ------------------------------------------------------------------------

    def terms_with_prefix(self, prefix: str, limit: int | None = None) -> list[tuple[str, int]]:
        """Return exact terms that begin with ``prefix`` and in how many documents each occurs.

        The most frequent come first; an empty prefix gives the whole dictionary.
        """
        with _translated(self.path):
            return list(self._searcher.terms_with_prefix("exact", prefix, limit=limit))

    def document_frequency(self, term: str, *, stem: bool = False) -> int:
        """Return in how many documents an exact term, or a stem, occurs."""
        with _translated(self.path):
            return int(self._searcher.doc_freq("stem" if stem else "exact", term))


@contextlib.contextmanager
def _translated(path: Path) -> Iterator[None]:
    """Turn what tantivy and the file system raise into errors of this package."""
    try:
        yield
    except PermissionError as error:
        raise IndexStateError(
            f"The lexical index in {path} cannot be written: {error.strerror}.",
            mend="Name another place with --index-dir DIR.",
            subject=path,
        ) from error
    except (OSError, ValueError, KeyError) as error:
        if "LockBusy" in str(error):
            raise IndexLockedError(
                f"Another process is writing the lexical index in {path}.",
                mend="Wait until it has ended.",
                subject=path,
            ) from error
        raise IndexDamagedError(
            f"The lexical index in {path} cannot be used: {error}.", mend=_MEND, subject=path
        ) from error
