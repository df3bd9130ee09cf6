"""A directory of embedded engines that follows the records of a corpus, on this or another machine.

::

    DIRECTORY/000007/     corpus.sqlite (documents alone), lexical/, dense/: one generation
    DIRECTORY/lock        held by the worker that tells it

Where the corpus has a new generation, one is filled beside the old, which then goes.
"""

from __future__ import annotations

import contextlib
import shutil
from typing import TYPE_CHECKING, Final

from filelock import FileLock, Timeout
from sqlalchemy.schema import CreateIndex, CreateTable

from podcast_scraper.errors import IndexLockedError
from podcast_scraper.search.backend import Filters, SearchQuery
from podcast_scraper.search.backends.embedded import EmbeddedBackend
from podcast_scraper.search.documents import TIERS
from podcast_scraper.storage.driver import open_engine
from podcast_scraper.storage.schema import (
    Base,
    DocumentEntity,
    DocumentVector,
    IndexedDocument,
    Meta,
    OutboxRow,
    OutboxTarget,
)
from podcast_scraper.storage.store import DATABASE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import sqlalchemy as sa

    from podcast_scraper.search.backend import BackendHealth, Tier
    from podcast_scraper.search.followed import Payload
    from podcast_scraper.storage.outbox import Change

# Far more than documents of one episode tie with each other.
_DEPTH: Final = 1_000
_TABLES = (Meta, IndexedDocument, DocumentEntity, DocumentVector, OutboxRow, OutboxTarget)


class NodeEngines:
    """Embedded engines with documents of their own, as a follower; a batch is one revision."""

    def __init__(self, backend: EmbeddedBackend) -> None:
        self._backend = backend

    def begin(self) -> None:
        """Keep what is there: documents are written over those of the same ids."""

    def tell(self, gone: Sequence[Change], written: Payload) -> None:
        """Remove documents, then write others, as one revision."""
        with self._backend.revising() as revision:
            if gone:
                revision.delete([change.doc_id for change in gone])
            for tier in TIERS:
                part = written.of(tier)
                if part.documents:
                    revision.upsert(tier, part.documents, part.vectors)

    def health(self) -> BackendHealth:
        """Count documents, and say where the engines disagree."""
        return self._backend.health()

    def lacks(self, documents: Payload) -> list[str]:
        """Search for documents by their own vectors; return the ids of those not found."""
        missing = []
        for document, vector in zip(documents.documents, documents.vectors, strict=True):
            filters = Filters(episodes=(document.episode_id,))
            tier: Tier = "insight" if document.tier == "insight" else "segment"
            hits = self._backend.search_vector(SearchQuery("", vector, filters, _DEPTH, tier))
            if all(hit.doc_id != document.doc_id for hit in hits):
                missing.append(document.doc_id)
        return missing


@contextlib.contextmanager
def search_node(directory: Path, generation: str, dimension: int) -> Iterator[EmbeddedBackend]:
    """Open the engines of a generation for writing, and make them where they are missing.

    Raises IndexLockedError where another worker has them, and the errors of a damaged index.
    """
    directory.mkdir(parents=True, exist_ok=True)
    lock = FileLock(directory / "lock")
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        raise IndexLockedError(
            f"Another process is telling {directory}.",
            mend="Wait until it has ended.",
            subject=directory,
        ) from error
    try:
        backend = _opened(directory / generation.partition(".")[0], dimension)
        try:
            yield backend
        finally:
            backend.close()
        _remove_others(directory, backend.path)
    finally:
        lock.release()


def _opened(path: Path, dimension: int) -> EmbeddedBackend:
    if path.exists():
        return EmbeddedBackend.open(path, read_only=False)
    making = path.with_name(f"{path.name}.making")
    shutil.rmtree(making, ignore_errors=True)
    making.mkdir()
    engine = open_engine(making / DATABASE)
    with engine.begin() as connection:
        _create_tables(connection)
    empty = EmbeddedBackend.create(making, dimension, engine=engine)
    empty.create_indices()
    empty.close()
    making.rename(path)
    return EmbeddedBackend.open(path, read_only=False)


def _create_tables(connection: sa.Connection) -> None:
    """Make the tables of documents without the ones of episodes that they refer to."""
    tables = [Base.metadata.tables[model.__tablename__] for model in _TABLES]
    for table in tables:
        inside = [key for key in table.foreign_key_constraints if key.referred_table in tables]
        connection.execute(CreateTable(table, include_foreign_key_constraints=inside))
        for index in table.indexes:
            connection.execute(CreateIndex(index))


def _remove_others(directory: Path, kept: Path) -> None:
    for path in directory.iterdir():
        if path.is_dir() and path != kept:
            shutil.rmtree(path, ignore_errors=True)
