"""An artifact corpus as a workbench: the product's own index of it, kept in the cache directory."""

from __future__ import annotations

import hashlib
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from podcast_scraper.corpus import open_corpus
from podcast_scraper.errors import EvaluationError
from podcast_scraper.evaluate.spans import Span, parse_span
from podcast_scraper.evaluate.vector_cache import default_cache_dir
from podcast_scraper.index.build import build_index
from podcast_scraper.search.backend import Filters
from podcast_scraper.search.retrieval import POOL_K

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from podcast_scraper.corpus import Corpus
    from podcast_scraper.evaluate.sets import QuerySet, SetItem
    from podcast_scraper.identity.resolver import EntityResolver
    from podcast_scraper.search.backend import IndexBackend
    from podcast_scraper.search.documents import Document


class CorpusWorkbench:
    """A :class:`~podcast_scraper.evaluate.workbench.Workbench` over an indexed corpus."""

    def __init__(self, query_set: QuerySet, corpus: Corpus, restrict: str | None) -> None:
        self.query_set = query_set
        self.corpus = corpus
        self.pool_k = POOL_K
        self._restrict = restrict
        self._documents: dict[str, Document | None] = {}
        self._embedded: dict[str, tuple[NDArray[np.float32], float]] = {}

    @property
    def backend(self) -> IndexBackend:
        """The engines of the live index."""
        return self.corpus.index.backend

    def embed(self, query: SetItem) -> tuple[NDArray[np.float32], float]:
        """Encode a query once; its time counts for every system that uses the vector."""
        if query.id not in self._embedded:
            started = time.perf_counter()
            vector, _ = self.corpus.index.embed(query.text)
            self._embedded[query.id] = vector, (time.perf_counter() - started) * 1000
        return self._embedded[query.id]

    def filters_for(self, query: SetItem) -> Filters:
        """Return the filter of ``--restrict``: ``episode`` or ``show``, by the query's own meta."""
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

    def entity_of(self, text: str) -> str | None:
        """Return the entity that a text names, else the one it mentions alone; None for several."""
        return entity_of(self.corpus.index.resolver, text)

    def to_set_ids(self, doc_ids: Iterable[str]) -> tuple[str, ...]:
        """Documents keep their ids; judgements find them by id or by span."""
        return tuple(dict.fromkeys(doc_ids))

    def span_of(self, doc_id: str) -> Span | None:
        """Return the stretch of its episode that a document covers, None without times."""
        document = self._document(doc_id)
        if document is None or document.start is None or document.end is None:
            return None
        start, end = round(document.start * 1000), round(document.end * 1000)
        return Span(document.episode_id, start, end) if end > start else None

    def show_of(self, doc_id: str) -> str:
        """Return the id of a document's show."""
        document = self._document(doc_id)
        return document.show_id if document else ""

    def judged_id(self, doc_id: str) -> str:
        """An insight is graded by id, a segment by its span, which outlives re-chunking."""
        document, span = self._document(doc_id), self.span_of(doc_id)
        if document is None or document.tier == "insight" or span is None:
            return doc_id
        return f"{span.episode_id}@{span.start_ms}-{span.end_ms}"

    def text_of(self, doc_id: str) -> str:
        """Return what the document says."""
        document = self._document(doc_id)
        return document.text if document else ""

    def settings(self) -> dict[str, Any]:
        """Return encoder, restriction and licence."""
        return {
            "encoder": self.corpus.index.generation.manifest.encoder_fingerprint,
            "restrict": self._restrict,
            "licence": self.query_set.licence,
        }

    def close(self) -> None:
        """Release the index."""
        self.corpus.close()

    def _document(self, doc_id: str) -> Document | None:
        if doc_id not in self._documents:
            self._documents[doc_id] = self.backend.fetch([doc_id]).get(doc_id)
        return self._documents[doc_id]


def entity_of(resolver: EntityResolver, text: str) -> str | None:
    """Return the entity that a text names, else the one it mentions alone; None for several."""
    named = resolver.resolve(text)
    if named is not None:
        return named
    mentioned = resolver.mentions(text)
    return mentioned[0].id if len(mentioned) == 1 else None


def open_corpus_workbench(
    query_set: QuerySet,
    *,
    restrict: str | None = None,
    model: str | None = None,
    cache_dir: Path | None = None,
    entity_queries: bool = False,
) -> CorpusWorkbench:
    """Open the index of the set's corpus, building it under ``cache_dir`` where it is not current.

    The corpus itself is only read. ``entity_queries`` keeps the queries that name an entity.
    Raises :class:`EvaluationError` where the set judges a document that the corpus does not hold.
    """
    if query_set.corpus is None or not query_set.corpus.is_dir():
        raise EvaluationError(
            f"The corpus of {query_set.name} is missing: {query_set.corpus}.",
            mend="set.json names it relative to the set.",
            subject=query_set.path,
        )
    place = str(query_set.corpus.resolve())
    digest = hashlib.sha256(f"{place}\0{model}".encode()).hexdigest()[:16]
    index_dir = (cache_dir or default_cache_dir()) / "indexes" / f"{query_set.name}-{digest}"
    build_index(query_set.corpus, index_dir=index_dir, model=model)
    corpus = open_corpus(query_set.corpus, index_dir=index_dir)
    _check_judgements(query_set, corpus)
    bench = CorpusWorkbench(query_set, corpus, restrict)
    if entity_queries:
        kept = tuple(one for one in query_set.queries if bench.entity_of(one.text))
        qrels = {one.id: query_set.qrels[one.id] for one in kept}
        bench.query_set = replace(query_set, queries=kept, qrels=qrels)
    return bench


def _check_judgements(query_set: QuerySet, corpus: Corpus) -> None:
    judged = {key for grades in query_set.qrels.values() for key in grades}
    documents = sorted(key for key in judged if parse_span(key) is None)
    held = corpus.index.backend.fetch(documents)
    unknown = [key for key in documents if key not in held]
    if unknown:
        raise EvaluationError(
            f"{len(unknown)} judged documents are not in the corpus, such as {unknown[0]}.",
            mend="Judge by insight ids and spans (episode_id@start_ms-end_ms).",
            subject=query_set.path,
        )
