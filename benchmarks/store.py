"""Records in PostgreSQL against records in a file: ``python benchmarks/store.py --url URL``.

``URL`` is ``postgresql+psycopg://USER@HOST/DATABASE``; a schema of its own is made in it and
removed. Both stores hold the same documents behind the same embedded engines; the follower is a
directory of engines that is told by the outbox.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import numpy as np
import sqlalchemy as sa
from rich.console import Console
from rich.table import Table

from podcast_scraper.search.backend import Filters, SearchQuery
from podcast_scraper.search.backends.embedded import EmbeddedBackend
from podcast_scraper.search.documents import Document
from podcast_scraper.search.following import Follower
from podcast_scraper.search.search_node import NodeEngines, search_node
from podcast_scraper.storage.schema import Episode, Show
from podcast_scraper.storage.store import store_at

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from podcast_scraper.storage.store import RecordStore

DIMENSION = 384
A_BATCH = 500
AN_EPISODE = 50
REPEATS = 200
WORDS = [f"w{number}" for number in range(5_000)]


@dataclass(frozen=True)
class Figures:
    """Documents a second, milliseconds, bytes a document (0: not asked)."""

    write: float
    fetch: float
    lexical: float
    filtered: float
    follow: float
    bytes: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", required=True)
    parser.add_argument("--documents", type=int, default=10_000)
    options = parser.parse_args()
    documents, vectors = _corpus(options.documents)
    separator = "&" if "?" in options.url else "?"
    stores = (None, f"{options.url}{separator}schema=bench_store")
    files, server = (_measured(store_at(url), documents, vectors) for url in stores)
    _print(len(documents), files, server)


def _corpus(count: int) -> tuple[list[Document], NDArray[np.float32]]:
    chosen = random.Random(0)
    weights = [1 / (rank + 1) for rank in range(len(WORDS))]
    documents = [
        Document(
            f"d{number}",
            "segment",
            " ".join(chosen.choices(WORDS, weights, k=120)),
            f"e{number // AN_EPISODE}",
            "podcast:s",
            "2024-01-01",
            speakers=(f"person:p{number % 97}",),
            ordinal=number % AN_EPISODE,
        )
        for number in range(count)
    ]
    vectors = np.random.default_rng(0).standard_normal((count, DIMENSION)).astype(np.float32)
    return documents, vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def _measured(
    store: RecordStore, documents: list[Document], vectors: NDArray[np.float32]
) -> Figures:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "000001"
        engine = store.create_records(path)
        try:
            with closing(EmbeddedBackend.create(path, DIMENSION, engine=engine)) as backend:
                write = _written(backend, documents, vectors)
            reader = EmbeddedBackend.open(path, engine=store.open_records(path))
            with closing(reader):
                chosen = random.Random(1)
                fetch = _p50(lambda: reader.fetch([d.doc_id for d in chosen.sample(documents, 20)]))
                text = SearchQuery("w10 w200 w3000", k=100)
                lexical = _p50(lambda: reader.search_bm25(text))
                mine = Filters(persons=("person:p3",))
                near = SearchQuery("", vectors[0], mine, 100)
                filtered = _p50(lambda: reader.search_vector(near))
            follow = _followed(store, path, Path(folder) / "node", len(documents))
            return Figures(write, fetch, lexical, filtered, follow, _bytes(store, path, documents))
        finally:
            store.drop_records(path)


def _written(
    backend: EmbeddedBackend, documents: list[Document], vectors: NDArray[np.float32]
) -> float:
    empty = {"title": "", "stem_path": "", "fingerprint": "", "transcript": ""}
    episodes = dict.fromkeys(document.episode_id for document in documents)
    with backend.engine.begin() as connection:
        connection.execute(sa.insert(Show), [{"id": "podcast:s", "title": "", "other_ids": []}])
        rows = [
            {
                "id": episode,
                "show_id": "podcast:s",
                "summary_bullets": [],
                "times_may_drift": False,
                **empty,
            }
            for episode in episodes
        ]
        connection.execute(sa.insert(Episode), rows)
    start = time.perf_counter()
    for first in range(0, len(documents), A_BATCH):
        part = slice(first, first + A_BATCH)
        backend.upsert_segment(documents[part], vectors[part])
    backend.create_indices()
    return len(documents) / (time.perf_counter() - start)


def _followed(store: RecordStore, path: Path, node: Path, count: int) -> float:
    engine = store.open_records(path, read_only=False)
    start = time.perf_counter()
    with search_node(node, "000001", DIMENSION) as backend:
        Follower(engine, NodeEngines(backend), "bench", batch=5_000).catch_up()
    engine.dispose()
    return count / (time.perf_counter() - start)


def _bytes(store: RecordStore, path: Path, documents: list[Document]) -> float:
    engine = store.open_records(path)
    with engine.connect() as connection:
        if engine.dialect.name == "sqlite":
            size = sum(file.stat().st_size for file in path.glob("corpus.sqlite*"))
        else:
            tables = sa.inspect(engine).get_table_names()
            sizes = [
                connection.execute(sa.select(sa.func.pg_total_relation_size(name))).scalar_one()
                for name in tables
            ]
            size = sum(sizes)
    engine.dispose()
    return size / len(documents)


def _p50(act: Callable[[], object]) -> float:
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        act()
        times.append(time.perf_counter() - start)
    return median(times) * 1000


def _print(count: int, files: Figures, server: Figures) -> None:
    table = Table(title=f"{count} documents of 120 words, {DIMENSION} dimensions")
    for name in ("what", "file", "PostgreSQL", "PostgreSQL / file"):
        table.add_column(name, justify="left" if name == "what" else "right")
    for what, name in (
        ("write and index, documents/s", "write"),
        ("fetch 20 documents, ms p50", "fetch"),
        ("BM25, 100 hits, ms p50", "lexical"),
        ("dense within a speaker, ms p50", "filtered"),
        ("fill a follower, documents/s", "follow"),
        ("records, bytes/document", "bytes"),
    ):
        left, right = getattr(files, name), getattr(server, name)
        table.add_row(what, f"{left:,.3g}", f"{right:,.3g}", f"{right / left:.2f}")
    Console(width=100).print(table)


if __name__ == "__main__":
    main()
