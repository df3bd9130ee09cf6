"""Everything that an index holds, in a form that two indexes of one corpus have in common."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import sqlalchemy as sa

from podcast_scraper.search.backend import Filters, SearchQuery
from podcast_scraper.search.backends.embedded import EmbeddedBackend
from podcast_scraper.search.graph.files import StoredGraph
from podcast_scraper.storage import schema
from podcast_scraper.storage.store import FILES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from podcast_scraper.storage.generations import Generation
    from podcast_scraper.storage.store import RecordStore

# Numbers that rows get in the order in which they are written mean nothing.
_NUMBERS = {schema.Alias: "id", schema.GraphEdge: "id", schema.IndexedDocument: "key"}
_TABLES = (
    schema.Show,
    schema.Episode,
    schema.Entity,
    schema.EntityOccurrence,
    schema.Alias,
    schema.Insight,
    schema.Quote,
    schema.OtherNode,
    schema.TranscriptSegment,
    schema.GraphEdge,
    schema.IndexedDocument,
)


def dump(
    generation: Generation, words: Iterable[str], store: RecordStore = FILES
) -> dict[str, Any]:
    """Return records, documents, vectors, postings of the words, rows and graph."""
    records = store.open_records(generation.path)
    backend = EmbeddedBackend.open(generation.path, engine=records)
    try:
        names = {d.doc_id: d for d in _documents(backend)}
        held: dict[str, Any] = {
            table.__tablename__: _rows(backend.engine, table) for table in _TABLES
        }
        held["vectors"] = {
            key: backend.vector(key).round(5).tolist()  # type: ignore[union-attr]
            for key in sorted(names)
        }
        held["postings"] = {
            word: sorted(r.doc_id for r in backend.search_bm25(SearchQuery(word, k=1000)))
            for word in words
        }
        held["filtered"] = {
            day: sorted(
                r.doc_id for r in backend.browse(SearchQuery("", None, Filters(since=day), k=1000))
            )
            for day in ("2020-01-01", "2024-06-01")
        }
        held["entities of documents"] = _rows(
            backend.engine,
            sa.text(
                "SELECT d.doc_id, e.role, e.entity_id FROM document_entities e"
                " JOIN documents d USING (key)"
            ),
        )
        health = backend.health()
        assert not health.degraded
        held["counts"] = dict(health.documents)
        held["graph"] = _graph(StoredGraph(generation.derived))
        return held
    finally:
        backend.close()


def _documents(backend: EmbeddedBackend) -> Iterable[Any]:
    with backend.engine.connect() as connection:
        ids = [row[0] for row in connection.execute(sa.text("SELECT doc_id FROM documents"))]
    return backend.fetch(ids).values()


def _rows(engine: sa.Engine, source: Any) -> Counter[str]:
    statement, number = source, None
    if not isinstance(source, sa.TextClause):
        statement, number = sa.select(source.__table__), _NUMBERS.get(source)
    with engine.connect() as connection:
        return Counter(
            repr(sorted((k, v) for k, v in row.items() if k != number))
            for row in connection.execute(statement).mappings()
        )


def _graph(graph: StoredGraph) -> dict[str, Any]:
    compiled = graph.compiled
    return {
        "ids": list(compiled.ids),
        "labels": list(compiled.labels),
        "edges": [array.tolist() for array in vars_of(compiled.adjacency)],
        "columns": [np.nan_to_num(array, nan=-9).tolist() for array in vars_of(compiled.columns)],
        "centrality": graph.centrality.round(5).tolist(),
        "communities": _groups(graph.community),
    }


def vars_of(record: Any) -> list[NDArray[Any]]:
    return [getattr(record, name) for name in record.__slots__]


def _groups(labels: NDArray[np.int32]) -> set[tuple[int, ...]]:
    """Communities as sets of nodes: their numbers mean nothing."""
    return {tuple(np.flatnonzero(labels == label).tolist()) for label in np.unique(labels)}
