"""Exporting what graph rescue reads, so that its lanes run elsewhere over plain files."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any, Final

from podcast_scraper.search.rescue.duckdb_source import (
    CHUNKS_FILE,
    EDGES_FILE,
    write_chunks,
    write_edges,
)
from podcast_scraper.search.rescue.hyperedge_store import FILE_NAME, read_hyperedges
from podcast_scraper.search.rescue.records import Candidate

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from podcast_scraper.open_index import OpenIndex
    from podcast_scraper.search.corpus_graph import CorpusGraph

_BATCH: Final = 1000


def export_graph(index: OpenIndex, directory: Path) -> dict[str, int]:
    """Write edges, documents and hyperedges; returns the number of rows by file name.

    Edges are those of the graph with derived speaker links, each of weight 1. Raises
    ConfigurationError where DuckDB is not installed.
    """
    directory.mkdir(parents=True, exist_ok=True)
    edges = [(edge.source, edge.type, edge.target, 1.0) for edge in _graph(index).edges()]
    write_edges(directory / EDGES_FILE, edges)
    write_chunks(directory / CHUNKS_FILE, _chunks(index))
    shutil.copyfile(index.rescue.stored.hyperedge_path, directory / FILE_NAME)
    return {
        EDGES_FILE: len(edges),
        CHUNKS_FILE: len(index.rescue.stored.doc_ids),
        FILE_NAME: len(read_hyperedges(directory / FILE_NAME)),
    }


def _graph(index: OpenIndex) -> CorpusGraph:
    """The graph as the index was built, like the columns and hyperedges beside it."""
    from podcast_scraper.search.corpus_graph import CorpusGraph

    return CorpusGraph.open(index.derived, index.engine, derive_speaker_links=True)


def _chunks(index: OpenIndex) -> Iterator[Candidate]:
    stored = index.rescue.stored
    for start in range(0, len(stored.doc_ids), _BATCH):
        doc_ids = stored.doc_ids[start : start + _BATCH]
        documents = index.backend.fetch(doc_ids)
        for doc_id in doc_ids:
            document = documents[doc_id]
            metadata: dict[str, Any] = {"tier": document.tier, **stored.columns[doc_id]}
            yield Candidate(doc_id, None, document.text, metadata)
