"""Indexes of synthetic documents with real or random vectors, for :mod:`benchmarks.scale`.

Documents, records and names are those of :mod:`benchmarks.make_corpus`, without the detour over
files, so that building measures the index alone.
"""

from __future__ import annotations

import contextlib
import itertools
import sqlite3
import time
from collections import defaultdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import sqlalchemy as sa
from benchmarks.make_corpus import SENTENCES_A_WINDOW, WINDOWS, Episode, Generator

from podcast_scraper.embed.resolve import open_encoder
from podcast_scraper.identity.identity_map import IdentityMap
from podcast_scraper.index.derived import write_derived
from podcast_scraper.search.backends.embedded import EmbeddedBackend
from podcast_scraper.search.documents import Document
from podcast_scraper.storage import schema
from podcast_scraper.storage.generations import IndexLocation, Manifest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

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
