"""The embedded engines against plain FTS5 and plain sqlite-vec, in one run on the same documents.

    OMP_NUM_THREADS=1 PYTHONPATH=src python benchmarks/engines.py [--size 20000] [--queries 50]

Text is Zipfian over 30 000 words with the real stop words in front, vectors are random unit vectors
of 384 dimensions; both are seeded. Every engine runs on one thread and returns its top 100 with
ids. ``ratio`` is the baseline's median over ours.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import sqlalchemy as sa
from sqlalchemy.orm import Session

from podcast_scraper.search.analysis import STOP_WORDS
from podcast_scraper.search.backend import Filters, SearchQuery
from podcast_scraper.search.backends.embedded import EmbeddedBackend
from podcast_scraper.search.documents import Document
from podcast_scraper.storage.driver import open_engine
from podcast_scraper.storage.schema import Episode, Show

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

DIMENSION = 384
WORDS = 150
VOCABULARY = 30_000
SHOWS = 20
BATCH = 1000
K = 100


@dataclass(frozen=True)
class Corpus:
    documents: list[Document]
    vectors: NDArray[np.float32]
    words: list[str]


def make_corpus(size: int) -> Corpus:
    random = np.random.default_rng(20)
    stop = sorted(word for word in STOP_WORDS if word.isalpha() and len(word) > 1)
    words = [*stop, *(f"word{n}" for n in range(VOCABULARY - len(stop)))]
    weights = 1 / np.arange(1, VOCABULARY + 1)
    drawn = random.choice(VOCABULARY, size=(size, WORDS), p=weights / weights.sum())
    documents = [
        Document(
            f"segment:{n}",
            "segment",
            " ".join(words[w] for w in row),
            f"e{n % SHOWS}",
            f"podcast:{n % SHOWS}",
            published=f"20{10 + n % 15:02d}-{1 + n % 12:02d}-01",
        )
        for n, row in enumerate(drawn)
    ]
    vectors = random.standard_normal((size, DIMENSION)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return Corpus(documents, vectors, words)


def make_queries(corpus: Corpus, count: int) -> dict[str, list[str]]:
    random = np.random.default_rng(21)
    stop = len([word for word in corpus.words if word in STOP_WORDS])
    picks = [[corpus.words[stop + n] for n in random.integers(20, 3000, 3)] for _ in range(count)]
    return {
        "keywords": [" ".join(words) for words in picks],
        "question": [
            f"what did they say about the {a} and how is it that {b} {c}" for a, b, c in picks
        ],
    }


def batches(size: int) -> Iterator[slice]:
    for start in range(0, size, BATCH):
        yield slice(start, start + BATCH)


def build_ours(path: Path, corpus: Corpus) -> EmbeddedBackend:
    backend = EmbeddedBackend.create(path, DIMENSION)
    with Session(backend.engine) as session:
        session.add_all(Show(id=f"podcast:{n}", title="", other_ids=[]) for n in range(SHOWS))
        session.flush()
        session.add_all(
            Episode(
                id=f"e{n}",
                show_id=f"podcast:{n}",
                title="",
                summary_bullets=[],
                stem_path="",
                fingerprint="",
                times_may_drift=False,
                transcript="",
            )
            for n in range(SHOWS)
        )
        session.commit()
    for part in batches(len(corpus.documents)):
        backend.upsert_segment(corpus.documents[part], corpus.vectors[part])
    backend.create_indices()
    return backend


def build_plain(path: Path, corpus: Corpus) -> sa.Engine:
    engine = open_engine(path)
    with engine.begin() as connection:
        connection.execute(
            sa.text("CREATE VIRTUAL TABLE fts USING fts5(text, content='', tokenize='porter')")
        )
        connection.execute(
            sa.text(
                f"CREATE VIRTUAL TABLE vec USING vec0(v float[{DIMENSION}] distance_metric=cosine)"
            )
        )
        connection.execute(sa.text("CREATE TABLE plain (key INTEGER PRIMARY KEY, v BLOB)"))
        connection.execute(sa.text("CREATE TABLE shows (key INTEGER PRIMARY KEY, show TEXT)"))
    for part in batches(len(corpus.documents)):
        rows = [
            {"key": key, "text": document.text, "show": document.show_id, "v": vector.tobytes()}
            for key, (document, vector) in enumerate(
                zip(corpus.documents[part], corpus.vectors[part], strict=True), start=part.start
            )
        ]
        with engine.begin() as connection:
            for statement in (
                "INSERT INTO fts (rowid, text) VALUES (:key, :text)",
                "INSERT INTO vec (rowid, v) VALUES (:key, :v)",
                "INSERT INTO plain VALUES (:key, :v)",
                "INSERT INTO shows VALUES (:key, :show)",
            ):
                connection.execute(sa.text(statement), rows)
    return engine


class Plain:
    """The baselines: what SQLite and sqlite-vec do when asked directly."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def fts5(self, text: str, show: str | None = None) -> list[Any]:
        match = " OR ".join(f'"{word}"' for word in text.split())
        # A cross join keeps the order of the tables: the other plan asks FTS5 once a row.
        join = "CROSS JOIN shows ON key = fts.rowid AND show = :show" if show else ""
        return self._rows(
            f"SELECT fts.rowid, rank FROM fts {join} WHERE fts MATCH :match"
            f" ORDER BY rank LIMIT {K}",
            match=match,
            show=show,
        )

    def vec0(self, vector: NDArray[np.float32], keys: Sequence[int] | None = None) -> list[Any]:
        where = "AND rowid IN (SELECT value FROM json_each(:keys))" if keys is not None else ""
        return self._rows(
            f"SELECT rowid, distance FROM vec WHERE v MATCH :v AND k = {K} {where}",
            v=vector.tobytes(),
            keys=json.dumps(keys),
        )

    def scan(self, vector: NDArray[np.float32]) -> list[Any]:
        return self._rows(
            f"SELECT key, vec_distance_cosine(v, :v) AS d FROM plain ORDER BY d LIMIT {K}",
            v=vector.tobytes(),
        )

    def _rows(self, statement: str, **values: Any) -> list[Any]:
        with self._engine.connect() as connection:
            used = {name: value for name, value in values.items() if f":{name}" in statement}
            return list(connection.execute(sa.text(statement), used).all())


def measure(call: Callable[[Any], object], arguments: Sequence[Any]) -> tuple[float, float]:
    """Return the median and 95th percentile of one call in milliseconds, after a warm-up."""
    call(arguments[0])
    times = []
    for argument in arguments:
        start = time.perf_counter()
        call(argument)
        times.append((time.perf_counter() - start) * 1000)
    return float(np.median(times)), float(np.percentile(times, 95))


def compare(
    label: str,
    ours: Callable[[Any], object],
    baselines: dict[str, Callable[[Any], object]],
    arguments: Sequence[Any],
) -> None:
    median, high = measure(ours, arguments)
    for name, call in baselines.items():
        other, other_high = measure(call, arguments)
        print(
            f"{label:28} {median:8.2f} {high:8.2f}   {name:12} {other:8.2f} {other_high:8.2f}"
            f"  {other / median:6.1f}x"
        )


def size_of(path: Path) -> float:
    files = [path] if path.is_file() else path.rglob("*")
    return sum(file.stat().st_size for file in files if file.is_file()) / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=20_000, help="documents")
    parser.add_argument("--queries", type=int, default=50)
    options = parser.parse_args()
    corpus = make_corpus(options.size)
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        start = time.perf_counter()
        ours = build_ours(root / "ours", corpus)
        built = time.perf_counter()
        engine = build_plain(root / "plain.sqlite", corpus)
        print(f"{options.size} documents of {WORDS} words, {DIMENSION} dimensions")
        print(
            f"build   ours {built - start:6.1f} s {size_of(root / 'ours'):7.0f} MB"
            f"   FTS5 + vec0 + plain {time.perf_counter() - built:6.1f} s"
            f" {size_of(root / 'plain.sqlite'):7.0f} MB"
        )
        run(ours, Plain(engine), corpus, options.queries)
        ours.close()
        engine.dispose()


def run(ours: EmbeddedBackend, plain: Plain, corpus: Corpus, count: int) -> None:
    print(
        f"{'top 100, ms':28} {'p50':>8} {'p95':>8}   {'baseline':12} {'p50':>8} {'p95':>8}   ratio"
    )
    one_show = Filters(shows=("podcast:3",))
    dates = Filters(since="2015-01-01", until="2019-12-31")
    for kind, texts in make_queries(corpus, count).items():
        compare(
            f"BM25, {kind}",
            lambda text: ours.search_bm25(SearchQuery(text)),
            {"FTS5": plain.fts5},
            texts,
        )
        compare(
            f"BM25, {kind}, one show",
            lambda text: ours.search_bm25(SearchQuery(text, filters=one_show)),
            {"FTS5": lambda text: plain.fts5(text, "podcast:3")},
            texts,
        )
    vectors = list(corpus.vectors[:count] + np.float32(0.01))
    keys = list(range(3, len(corpus.documents), SHOWS))
    compare(
        "cosine",
        lambda vector: ours.search_vector(SearchQuery("", vector)),
        {"vec0": plain.vec0, "plain table": plain.scan},
        vectors,
    )
    compare(
        "cosine, one show",
        lambda vector: ours.search_vector(SearchQuery("", vector, one_show)),
        {"vec0": lambda vector: plain.vec0(vector, keys)},
        vectors,
    )
    compare(
        "cosine, five years",
        lambda vector: ours.search_vector(SearchQuery("", vector, dates)),
        {"vec0, unfiltered": plain.vec0},
        vectors,
    )


if __name__ == "__main__":
    main()
