"""Build and search indexes of growing size, beside plain FTS5 and sqlite-vec in the same run.

    OMP_NUM_THREADS=1 python -m benchmarks.scale [--passages 20000] [--vectors CACHE] [--keep DIR]

Documents, records and names are those of :mod:`benchmarks.make_corpus`, without the detour over
files, so that building measures the index alone. Vectors: with ``--vectors FILE`` real embeddings
of the default model, one SQLite file of the evaluation's cache
(``~/.cache/podcast-scraper/eval/vectors``); where more passages are asked for than it has, each
further one is a real one moved at random, to a cosine of 0.9. Without it, random unit vectors.
Queries are words of documents, and their vectors come from the default model.

``recall@100`` is against the exact float32 search with the same query vectors, on queries that no
index was tuned on.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import resource
import sqlite3
import tempfile
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import sqlalchemy as sa
from benchmarks.engines import K, Plain
from benchmarks.make_corpus import INSIGHTS, SENTENCES_A_WINDOW, WINDOWS, Episode, Generator

from podcast_scraper.corpus import open_corpus
from podcast_scraper.embed.resolve import open_encoder
from podcast_scraper.identity.identity_map import IdentityMap
from podcast_scraper.index.derived import write_derived
from podcast_scraper.search.backend import Filters, SearchQuery
from podcast_scraper.search.backends.embedded import EmbeddedBackend
from podcast_scraper.search.documents import Document
from podcast_scraper.storage import schema
from podcast_scraper.storage.driver import open_engine
from podcast_scraper.storage.generations import IndexLocation, Manifest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from podcast_scraper.corpus import Corpus

BATCH = 20  # episodes
STEP = SENTENCES_A_WINDOW - 3  # windows overlap by three sentences
MOVED_TO = 0.9


class Vectors:
    """Unit vectors, one a document, in order."""

    def __init__(self, cache: Path | None, dimension: int) -> None:
        self._random = np.random.default_rng(7)
        self._dimension = dimension
        self.real = np.empty((0, dimension), np.float32)
        if cache is not None:
            with contextlib.closing(sqlite3.connect(f"file:{cache}?mode=ro", uri=True)) as database:
                rows = database.execute("SELECT value FROM document_vector ORDER BY text_hash")
                data = b"".join(row[0] for row in rows)
            self.real = np.frombuffer(data, dtype="<f4").reshape(-1, dimension)
        self._given = 0

    def take(self, count: int) -> NDArray[np.float32]:
        first, self._given = self._given, self._given + count
        known = self.real[first : self._given]
        noise = self._random.standard_normal((count - len(known), self._dimension))
        if len(self.real) and len(noise):
            noise /= np.linalg.norm(noise, axis=1, keepdims=True)
            base = self.real[self._random.integers(len(self.real), size=len(noise))]
            noise = MOVED_TO * base + (1 - MOVED_TO**2) ** 0.5 * noise
        noise /= np.maximum(np.linalg.norm(noise, axis=1, keepdims=True), 1e-9)
        return np.concatenate([known, noise.astype(np.float32)])


def documents_of(episode: Episode) -> tuple[list[Document], list[Document]]:
    """Return the windows and the insights of an episode as the index holds them."""
    stem, show = f"e{episode.number:06d}", f"podcast:show{episode.show:04d}"
    shared = {"episode_id": stem, "show_id": show, "published": episode.date.isoformat()}
    insights = [
        Document(
            f"insight:{stem}-{n}", "insight",
            " ".join(episode.sentences[place].split()[:10]),
            start=place * 5.6, end=place * 5.6 + 5.6, grounded=True, insight_type="claim",
            speakers=(f"person:p{episode.speakers[place]}",),
            topics=tuple(f"topic:t{t}" for t in topics),
            linked=(f"segment:{stem}:{min(place // STEP, WINDOWS - 1)}",), ordinal=n, **shared,
        )
        for n, (place, topics) in enumerate(zip(episode.quoted, episode.topics, strict=True))
    ]  # fmt: skip
    held: dict[str, list[str]] = defaultdict(list)
    for insight in insights:
        held[insight.linked[0]].append(insight.doc_id)
    segments = []
    for n in range(WINDOWS):
        part = slice(n * STEP, n * STEP + SENTENCES_A_WINDOW)
        voices = episode.speakers[part]
        key = f"segment:{stem}:{n}"
        segments.append(
            Document(
                key, "segment", " ".join(episode.sentences[part]),
                start=part.start * 5.6, end=part.stop * 5.6,
                speakers=tuple(f"person:p{v}" for v in dict.fromkeys(voices)),
                linked=tuple(held[key]), ordinal=n, **shared,
            )
        )  # fmt: skip
    return segments, insights


def records_of(episodes: Sequence[Episode]) -> Iterator[tuple[Any, list[dict[str, Any]]]]:
    """Yield the rows that search cards read, by table."""
    stems = [f"e{e.number:06d}" for e in episodes]
    yield schema.Episode, [
        {"id": stem, "show_id": f"podcast:show{e.show:04d}", "title": f"Episode {e.number}",
         "published": e.date.isoformat(), "duration": 1680.0, "summary_bullets": [],
         "stem_path": stem, "fingerprint": stem, "times_may_drift": False,
         "transcript": " ".join(e.sentences)}
        for e, stem in zip(episodes, stems, strict=True)
    ]  # fmt: skip
    insights: list[dict[str, Any]] = []
    quotes: list[dict[str, Any]] = []
    edges: list[dict[str, Any]] = []
    seen: dict[tuple[str, str], dict[str, Any]] = {}
    for episode, stem in zip(episodes, stems, strict=True):
        for n, (place, topics) in enumerate(zip(episode.quoted, episode.topics, strict=True)):
            insight, quote = f"insight:{stem}-{n}", f"quote:{stem}-{n}"
            person = f"person:p{episode.speakers[place]}"
            abouts = [f"topic:t{topic}" for topic in topics]
            common = {"episode_id": stem, "properties": {}}
            insights.append(
                {"id": insight, "base_id": insight, "text": episode.sentences[place],
                 "insight_type": "claim", "grounded": True, **common}
            )  # fmt: skip
            quotes.append(
                {"id": quote, "base_id": quote, "located": "given",
                 "text": episode.sentences[place], "start_ms": place * 5600,
                 "end_ms": place * 5600 + 5600, **common}
            )  # fmt: skip
            edges += [
                {"type": kind, "source": source, "target": target, "layer": "gi", **common}
                for kind, source, target in (
                    ("HAS_INSIGHT", f"episode:{stem}", insight),
                    ("SUPPORTED_BY", insight, quote),
                    ("SPOKEN_BY", quote, person),
                    *(("ABOUT", insight, topic) for topic in abouts),
                )
            ]
            for entity in (person, *abouts):
                seen[stem, entity] = {
                    "entity_id": entity, "type": entity.partition(":")[0], "name": entity,
                    "layers": "gi", **common,
                }  # fmt: skip
    yield schema.EntityOccurrence, list(seen.values())
    yield schema.Insight, insights
    yield schema.Quote, quotes
    yield schema.GraphEdge, edges


def build(corpus: Path, generator: Generator, vectors: Vectors, queries: NDArray[Any]) -> None:
    """Write a published index and print what it took."""
    encoder = open_encoder()
    spent: dict[str, float] = defaultdict(float)
    with IndexLocation.of(corpus).building() as place:
        backend = EmbeddedBackend.create(place.path, encoder.dimension)
        for batch in _batches(generator, BATCH):
            start = time.perf_counter()
            with backend.engine.begin() as connection:
                _write_shows(connection, batch)
                for table, rows in records_of(batch):
                    connection.execute(sa.insert(table), rows)
            documents = [documents_of(episode) for episode in batch]
            segments = [d for pair in documents for d in pair[0]]
            insights = [d for pair in documents for d in pair[1]]
            taken = vectors.take(len(segments) + len(insights))
            spent["records"] += time.perf_counter() - start
            start = time.perf_counter()
            backend.upsert_segment(segments, taken[: len(segments)])
            backend.upsert_insight(insights, taken[len(segments) :])
            spent["documents"] += time.perf_counter() - start
        start = time.perf_counter()
        with backend.engine.begin() as connection:
            _write_names(connection, generator)
        backend.create_indices(queries)
        spent["seal, scan, tune"] = time.perf_counter() - start
        counts = backend.dense.rows.count()
        choice = backend.dense.scan.choice if backend.dense.scan else None
        start = time.perf_counter()
        write_derived(place.path, backend.engine, IdentityMap())
        spent["graph, columns"] = time.perf_counter() - start
        backend.close()
        place.publish(
            Manifest(place.name, schema.SCHEMA_VERSION, encoder.name, encoder.fingerprint,
                     encoder.dimension, "", datetime.now(UTC).isoformat(), counts)
        )  # fmt: skip
    total = sum(counts.values())
    seconds = ", ".join(f"{stage} {s:.0f} s" for stage, s in spent.items())
    print(f"{total} passages ({counts}): {seconds}: {total / sum(spent.values()):.0f} a second")
    root = IndexLocation.of(corpus).directory
    sizes = {
        name: sum(f.stat().st_size for f in root.rglob(pattern) if f.is_file()) / 1e6
        for name, pattern in (
            ("SQLite", "corpus.sqlite*"),
            ("tantivy", "lexical*/*"),
            ("float32", "vectors.f32"),
            ("scan", "scan-*/*"),
        )
    }
    print("disk, MB: " + ", ".join(f"{name} {size:.0f}" for name, size in sizes.items()))
    if choice is not None:
        print(f"dense: {choice}")


def _batches(generator: Generator, size: int) -> Iterator[list[Episode]]:
    episodes = iter(generator)
    while batch := list(itertools.islice(episodes, size)):
        yield batch


def _write_shows(connection: sa.Connection, episodes: Sequence[Episode]) -> None:
    known = {row.id for row in connection.execute(sa.select(schema.Show.id))}
    for show in {f"podcast:show{e.show:04d}" for e in episodes} - known:
        row = {"id": show, "title": show, "other_ids": []}
        connection.execute(sa.insert(schema.Show), [row])


def _write_names(connection: sa.Connection, generator: Generator) -> None:
    names = [("person", f"person:p{n}", f"Person {n}") for n in range(generator.people)]
    names += [("topic", f"topic:t{n}", f"topic {n}") for n in range(generator.topics)]
    rows = [{"id": key, "type": kind, "name": name, "voice": False} for kind, key, name in names]
    connection.execute(sa.insert(schema.Entity), rows)


def query_texts(generator: Generator, count: int) -> list[str]:
    """Return half keyword queries, half natural questions, of words of the middle frequencies."""
    random = np.random.default_rng(21)
    words = generator.words
    picks = [[words[n] for n in random.integers(300, 6000, 3)] for _ in range(count)]
    return [
        f"{a} {b} {c}" if n % 2 else f"what did they say about the {a} and how is it that {b} {c}"
        for n, (a, b, c) in enumerate(picks)
    ]


def spread(times: Sequence[float], work: float) -> str:
    """Return percentiles of times and the processor time of one call, in milliseconds."""
    p50, p95, p99 = np.percentile(np.array(times) * 1000, (50, 95, 99))
    return f"{p50:8.2f}{p95:8.2f}{p99:8.2f}{work / len(times) * 1000:8.2f}"


def timed(call: Callable[[Any], object], arguments: Sequence[Any]) -> list[float]:
    times = []
    for argument in arguments:
        start = time.perf_counter()
        call(argument)
        times.append(time.perf_counter() - start)
    return times


def measure(
    corpus: Corpus, texts: Sequence[str], embedded: NDArray[np.float32]
) -> dict[str, float]:
    backend = corpus.index.backend
    one = Filters(shows=("podcast:show0001",))
    years = Filters(since="2014-01-01", until="2018-12-31")
    stages: dict[str, Callable[[Any], object]] = {
        "BM25": lambda q: backend.search_bm25(SearchQuery(q[0])),
        "BM25, five years": lambda q: backend.search_bm25(SearchQuery(q[0], filters=years)),
        "dense": lambda q: backend.search_vector(SearchQuery("", q[1])),
        "dense, one show": lambda q: backend.search_vector(SearchQuery("", q[1], one)),
        "dense, five years": lambda q: backend.search_vector(SearchQuery("", q[1], years)),
        "retrieval": lambda q: corpus.index.layer.run(q[0], q[1], graph="off"),
        "whole query": lambda q: corpus.search(q[0], graph="off"),
        "whole, graph forced": lambda q: corpus.search(f"{q[0]} tied", graph="force"),
        "completion": lambda q: backend.complete(q[0][:-2]),
        "correction": lambda q: backend.did_you_mean(q[0][:-2] + "xq"),
    }
    queries = list(zip(texts, embedded, strict=True))
    medians = {}
    print(f"{'milliseconds':24}{'p50':>8}{'p95':>8}{'p99':>8}{'cpu':>8}")
    for name, call in stages.items():
        timed(call, queries[:10])
        fresh = queries if name != "whole query" else [(f"{t} again", v) for t, v in queries]
        work = time.process_time()
        times = timed(call, fresh)
        work = time.process_time() - work
        medians[name] = float(np.median(times)) * 1000
        print(f"{name:24}{spread(times, work)}", flush=True)
    with ThreadPoolExecutor(8) as pool:
        start, work = time.perf_counter(), time.process_time()
        times = list(pool.map(lambda q: timed(stages["whole query"], [(q[0] + " eight", 0)])[0],
                              queries))  # fmt: skip
        rate = len(queries) / (time.perf_counter() - start)
        work = time.process_time() - work
    print(f"{'whole query, 8 clients':24}{spread(times, work)}   {rate:.0f} a second")
    return medians


def recall(backend: EmbeddedBackend, embedded: NDArray[np.float32]) -> float:
    found = []
    for vector in embedded:
        exact = {key for key, _ in backend.dense.exact(vector, K)}
        ours = {key for key, _ in backend.dense.search(vector, K)}
        found.append(len(exact & ours) / len(exact))
    return float(np.mean(found))


def reference(path: Path, backend: EmbeddedBackend) -> Plain:
    """Fill plain FTS5 and sqlite-vec tables with the documents of an index."""
    engine = open_engine(path)
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE VIRTUAL TABLE fts USING fts5(text, content='', "
                                   "tokenize='porter')")  # fmt: skip
        connection.exec_driver_sql(
            f"CREATE VIRTUAL TABLE vec USING vec0(v float[{backend.dimension}]"
            " distance_metric=cosine)"
        )
    keys = backend.dense.rows.arrays["key"]
    text_of = sa.text("SELECT key, text FROM documents WHERE key > :a AND key <= :b ORDER BY key")
    for start in range(0, len(keys), 5000):
        part = keys[start : start + 5000]
        with backend.engine.connect() as source:
            texts = source.execute(text_of, {"a": int(part[0]) - 1, "b": int(part[-1])}).all()
        with engine.begin() as connection:
            connection.execute(
                sa.text("INSERT INTO fts (rowid, text) VALUES (:k, :t)"),
                [{"k": row.key, "t": row.text} for row in texts],
            )
            connection.execute(
                sa.text("INSERT INTO vec (rowid, v) VALUES (:k, :v)"),
                [
                    {"k": row.key, "v": vector.tobytes()}
                    for row, vector in zip(
                        texts, backend.dense.vectors[start : start + 5000], strict=True
                    )
                ],
            )
    return Plain(engine)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--passages", type=int, default=20_000)
    parser.add_argument("--vectors", type=Path, metavar="FILE", help="real embeddings")
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--keep", type=Path, metavar="DIR", help="index to reuse or to leave")
    parser.add_argument("--alone", action="store_true", help="without FTS5 and sqlite-vec")
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        folder = options.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        run(folder, options)


def run(folder: Path, options: argparse.Namespace) -> None:
    generator = Generator(options.passages, 8)
    encoder = open_encoder(threads=1)
    texts = query_texts(generator, options.queries + 100)
    embedded = np.stack([encoder.encode_query(text) for text in texts])
    if IndexLocation.of(folder).current_name() is None:
        vectors = Vectors(options.vectors, encoder.dimension)
        print(f"{len(vectors.real)} real embeddings, {INSIGHTS + WINDOWS} passages an episode")
        build(folder, generator, vectors, embedded[options.queries :])
    texts, embedded = texts[: options.queries], embedded[: options.queries]
    with open_corpus(folder) as corpus:
        corpus.warm()
        ours = measure(corpus, texts, embedded)
        backend = corpus.index.backend
        print(f"recall@100 on held-out queries: {recall(backend, embedded):.4f}")
        status = Path("/proc/self/status").read_text().splitlines()
        memory = {line.split(":")[0]: int(line.split()[1]) / 1024 for line in status
                  if line.startswith(("RssAnon", "RssFile"))}  # fmt: skip
        print(f"memory, MB: {json.dumps({k: round(v) for k, v in memory.items()})}, "
              f"peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f}")  # fmt: skip
        if options.alone:
            return
        with tempfile.TemporaryDirectory() as directory:
            plain = reference(Path(directory) / "plain.sqlite", backend)
            for name, call in (
                ("BM25", lambda q: plain.fts5(q[0])),
                ("dense", lambda q: plain.vec0(q[1])),
            ):
                work = time.process_time()
                times = timed(call, list(zip(texts, embedded, strict=True))[:20])
                work = time.process_time() - work
                ratio = float(np.median(times)) * 1000 / ours[name]
                other = {"BM25": "FTS5", "dense": "sqlite-vec vec0"}[name]
                print(f"{other:24}{spread(times, work)}   {ratio:.1f}× ours")


if __name__ == "__main__":
    main()
