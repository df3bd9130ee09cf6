"""A JSONL set as an embedded index of the product, built once and kept on disk by content."""

from __future__ import annotations

import hashlib
import shutil
import time
from contextlib import closing
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy.orm import Session

from podcast_scraper.embed.resolve import open_encoder
from podcast_scraper.errors import EvaluationError, IndexStateError, UsageError
from podcast_scraper.evaluate.set_documents import indexed_documents, parent_of
from podcast_scraper.evaluate.vector_cache import CachedEncoder, default_cache_dir
from podcast_scraper.search.backend import Filters
from podcast_scraper.search.backends.embedded import EmbeddedBackend
from podcast_scraper.search.retrieval import POOL_K
from podcast_scraper.storage.schema import Episode, Show

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from podcast_scraper.evaluate.sets import QuerySet, SetItem
    from podcast_scraper.evaluate.spans import Span
    from podcast_scraper.search.documents import Document

_LAYOUT: Final = "4"
_BATCH: Final = 256
# How deep a stage goes where a document may be many passages: its best passage decides.
_DEEP: Final = 1000

if TYPE_CHECKING:
    Progress = Callable[[str, int, int], None]


class SetWorkbench:
    """A :class:`~podcast_scraper.evaluate.workbench.Workbench` over a set with documents."""

    def __init__(
        self,
        query_set: QuerySet,
        backend: EmbeddedBackend,
        encoder: CachedEncoder,
        restrict: str | None,
    ) -> None:
        self.query_set = query_set
        self.backend = backend
        self.encoder = encoder
        indexed = sum(backend.health().documents.values())
        self.pool_k = _DEEP if indexed > len(query_set.documents) else POOL_K
        self._restrict = restrict
        self._embedded: dict[str, tuple[NDArray[np.float32], float]] = {}

    def embed(self, query: SetItem) -> tuple[NDArray[np.float32], float]:
        """Encode a query once; its time counts for every system that uses the vector."""
        if query.id not in self._embedded:
            started = time.perf_counter()
            vector = self.encoder.encode_query(self.encoder.fit_query(query.text)[0])
            self._embedded[query.id] = vector, (time.perf_counter() - started) * 1000
        return self._embedded[query.id]

    @cached_property
    def _items(self) -> dict[str, SetItem]:
        return {item.id: item for item in self.query_set.documents}

    def filters_for(self, query: SetItem) -> Filters:
        """Return the filter of ``--restrict``; a query without that field is an error."""
        if self._restrict is None:
            return Filters()
        value = query.meta.get(self._restrict)
        if not value:
            raise EvaluationError(
                f"The query {query.id} has no {self._restrict} to be restricted to.",
                subject=query.id,
            )
        if self._restrict == "show":
            return Filters(shows=(str(value),))
        return Filters(episodes=(str(value),))

    def to_set_ids(self, doc_ids: Iterable[str]) -> tuple[str, ...]:
        """Name each passage by its document; a document's best passage decides its rank."""
        return tuple(dict.fromkeys(parent_of(doc_id) for doc_id in doc_ids))

    def span_of(self, doc_id: str) -> Span | None:
        """Documents of such a set are judged by id."""
        return None

    def show_of(self, doc_id: str) -> str:
        """Return ``meta.show`` or the episode's name, empty where the set has neither."""
        meta = self._items[doc_id].meta
        return str(meta.get("show") or meta.get("episode") or meta.get("meeting") or "")

    def judged_id(self, doc_id: str) -> str:
        """A document of such a set is graded under its own id."""
        return doc_id

    def text_of(self, doc_id: str) -> str:
        """Return the whole document."""
        return self._items[doc_id].text

    def settings(self) -> dict[str, Any]:
        """Return encoder, restriction and licence."""
        return {
            "encoder": self.encoder.fingerprint,
            "restrict": self._restrict,
            "licence": self.query_set.licence,
        }

    def close(self) -> None:
        """Release the index."""
        self.backend.close()


def open_set_workbench(
    query_set: QuerySet,
    *,
    restrict: str | None = None,
    model: str | None = None,
    cache_dir: Path | None = None,
    progress: Progress | None = None,
) -> SetWorkbench:
    """Open the index of a set's documents, building it under ``cache_dir`` where it is missing."""
    _check_restriction(query_set, restrict)
    cache = cache_dir or default_cache_dir()
    encoder = CachedEncoder(open_encoder(model), cache)
    folder = cache / "indexes" / f"{query_set.name}-{_digest(query_set, encoder, restrict)}"
    if not folder.is_dir():
        _build(folder, query_set, encoder, restrict, progress)
    try:
        backend = EmbeddedBackend.open(folder)
    except IndexStateError:  # an older version of the product wrote it: the cache is only a cache
        shutil.rmtree(folder)
        _build(folder, query_set, encoder, restrict, progress)
        backend = EmbeddedBackend.open(folder)
    return SetWorkbench(query_set, backend, encoder, restrict)


def _check_restriction(query_set: QuerySet, restrict: str | None) -> None:
    if restrict is None:
        return
    lacking = sum(restrict not in item.meta for item in query_set.documents)
    if lacking:
        raise UsageError(
            f"{lacking} of {len(query_set.documents)} documents have no {restrict}.",
            mend="Name a field of the documents' meta, or leave --restrict out.",
            subject=restrict,
        )


def _digest(query_set: QuerySet, encoder: CachedEncoder, restrict: str | None) -> str:
    digest = hashlib.sha256(repr((_LAYOUT, encoder.fingerprint, restrict)).encode())
    for item in query_set.documents:
        digest.update(repr(item).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:16]


def _build(
    folder: Path,
    query_set: QuerySet,
    encoder: CachedEncoder,
    restrict: str | None,
    progress: Progress | None,
) -> None:
    """Build beside and rename, so that an interrupted build is never opened."""
    documents = list(indexed_documents(query_set, encoder, restrict))
    unfinished = folder.with_name(folder.name + ".part")
    shutil.rmtree(unfinished, ignore_errors=True)
    with closing(EmbeddedBackend.create(unfinished, encoder.dimension)) as backend:
        _write_episodes(backend, documents)
        for start in range(0, len(documents), _BATCH):
            part = documents[start : start + _BATCH]
            vectors = encoder.encode_documents([document.text for document in part])
            backend.upsert_segment(part, vectors)
            if progress:
                progress("index", start + len(part), len(documents))
        backend.create_indices()
    unfinished.rename(folder)


def _write_episodes(backend: EmbeddedBackend, documents: Sequence[Document]) -> None:
    shows = dict.fromkeys(document.show_id for document in documents)
    episodes = {document.episode_id: document for document in documents}
    with Session(backend.engine) as session:
        session.add_all(Show(id=show, title=show, other_ids=[]) for show in shows)
        session.flush()
        session.add_all(
            Episode(
                id=episode_id,
                show_id=document.show_id,
                title=episode_id,
                published=document.published,
                summary_bullets=[],
                stem_path="",
                fingerprint="",
                times_may_drift=False,
                transcript="",
            )
            for episode_id, document in episodes.items()
        )
        session.commit()
