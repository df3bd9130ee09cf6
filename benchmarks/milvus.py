"""Embedded engines against a Milvus server, in one run on the same documents and queries.

    OMP_NUM_THREADS=1 python -m benchmarks.milvus CORPUS --url milvus+http://HOST:PORT
        [--asked QUERIES...] [--queries 100] [--lite 2.5|3.2]

CORPUS has an embedded index, such as ``benchmarks.scale --keep`` leaves; it is only read. Its
documents are written into records of their own and from there into the server, as ``index`` does.
``--lite`` starts a Milvus Lite from ``.engines`` (``tasks.py engines``) instead of ``--url``.
``overlap`` is the share of the embedded engine's top 100 that Milvus finds: of BM25 as it is, of
dense search where every vector is compared. ``ratio`` is Milvus' median over ours.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import sqlalchemy as sa
from benchmarks.engines import K
from benchmarks.make_corpus import Generator
from benchmarks.scale import query_texts, query_vectors, timed
from tests import engines

from podcast_scraper.embed.resolve import open_encoder
from podcast_scraper.errors import EngineUnavailableError
from podcast_scraper.search.backend import Filters, SearchQuery
from podcast_scraper.search.backends.embedded import EmbeddedBackend
from podcast_scraper.search.backends.milvus import MilvusBackend
from podcast_scraper.search.backends.milvus_client import MilvusServer, MilvusTarget
from podcast_scraper.search.default_layer import default_layer
from podcast_scraper.search.followed import FollowedRecords
from podcast_scraper.storage import schema
from podcast_scraper.storage.generations import IndexLocation
from podcast_scraper.storage.store import FILES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from podcast_scraper.search.backend import IndexBackend, SearchBackend

BATCH = 1000
NAME = f"bench{os.getpid()}"
YEARS = Filters(since="2014-01-01", until="2018-12-31")
SHOW = Filters(shows=("podcast:show0001",))
STAGES: dict[str, Filters] = {"": Filters(), ", one show": SHOW, ", five years": YEARS}


def copy_episodes(source: sa.Engine, target: sa.Engine) -> None:
    """Write shows and episodes, without transcripts: documents refer to them."""
    for table in (schema.Show.__table__, schema.Episode.__table__):
        with source.connect() as read, target.begin() as write:
            rows = [dict(row._mapping) for row in read.execute(sa.select(table))]
            write.execute(sa.insert(table), [{**row, "transcript": ""} for row in rows])


def load(source: EmbeddedBackend, target: IndexBackend, name: str) -> float:
    """Copy all documents, print what it took, and return the seconds."""
    copy_episodes(source.engine, target.engine)
    records, after, count = FollowedRecords(source.engine), 0, 0
    start, work = time.perf_counter(), time.process_time()
    while keys := records.keys_after(after, BATCH):
        payload = records.payload(keys)
        segments, insights = payload.of("segment"), payload.of("insight")
        target.upsert_segment(segments.documents, segments.vectors)
        target.upsert_insight(insights.documents, insights.vectors)
        after, count = keys[-1], count + len(keys)
    written, half = time.perf_counter() - start, time.process_time() - work
    target.create_indices()
    wall, work = time.perf_counter() - start, time.process_time() - work
    print(
        f"load, {name}: {wall:.1f} s, {count / wall:.0f} a second: written {written:.1f} s (our"
        f" processor time {half:.1f} s), then {wall - written:.1f} s ({work - half:.1f} s)",
        flush=True,
    )
    return wall


def found(backend: SearchBackend, stage: str, text: str, vector: Any, filters: Filters) -> set[str]:
    query = SearchQuery(text, vector, filters, K)
    hits = backend.search_bm25(query) if stage == "BM25" else backend.search_vector(query)
    return {hit.doc_id for hit in hits}


def asking(backend: SearchBackend, stage: str, filters: Filters) -> Callable[[Any], object]:
    return lambda query: found(backend, stage, *query, filters)


def exact(ours: EmbeddedBackend, vector: Any, filters: Filters) -> set[str]:
    """Return the true nearest documents."""
    allowed = ours.allowed_keys(filters, "all")
    mask = None if allowed is None else ours.dense.rows.of_keys(allowed)
    nearest = ours.dense.exact(vector, K, mask)
    documents = FollowedRecords(ours.engine).payload([key for key, _ in nearest]).documents
    return {document.doc_id for document in documents}


def compare(ours: EmbeddedBackend, theirs: MilvusBackend, queries: Sequence[Any]) -> None:
    print(
        f"{'ms':24}{'ours p50':>9}{'p95':>8}{'Milvus p50':>12}{'p95':>8}{'ratio':>8}{'overlap':>9}"
    )
    for stage in ("BM25", "dense"):
        for name, filters in STAGES.items():
            spreads = [timed(asking(one, stage, filters), queries) for one in (ours, theirs)]
            shares = []
            for text, vector in queries:
                if stage == "BM25":
                    truth = found(ours, stage, text, vector, filters)
                else:
                    truth = exact(ours, vector, filters)
                if truth:
                    hits = found(theirs, stage, text, vector, filters)
                    shares.append(len(truth & hits) / len(truth))
            report(f"{stage}{name}", *spreads, f"{np.mean(shares):9.4f}")
    layers = [default_layer(backend) for backend in (ours, theirs)]
    report("retrieval", *(timed(lambda q, la=layer: la.run(*q), queries) for layer in layers), "")


def warm(backend: MilvusBackend, query: Any) -> None:
    """Search until answers come in time: Lite 3.2 makes its indexes with the first."""
    start = time.perf_counter()
    for stage in ("BM25", "dense"):
        for _ in range(20):
            with contextlib.suppress(EngineUnavailableError):
                found(backend, stage, *query, Filters())
                break
    print(f"first answers after {time.perf_counter() - start:.1f} s", flush=True)


def report(name: str, ours: Any, theirs: Any, overlap: str) -> None:
    high = [np.percentile(np.array(one.times) * 1000, 95) for one in (ours, theirs)]
    print(
        f"{name:24}{ours.p50:9.2f}{high[0]:8.2f}{theirs.p50:12.2f}{high[1]:8.2f}"
        f"{theirs.p50 / ours.p50:8.1f}{overlap}",
        flush=True,
    )


@contextlib.contextmanager
def server_of(options: argparse.Namespace) -> Iterator[str]:
    if options.lite is None:
        yield options.url
        return
    make: Callable[[Path], engines.Server] = {"2.5": engines.lite_25, "3.2": engines.lite_32}[
        options.lite
    ]
    with tempfile.TemporaryDirectory() as folder, engines.running(make(Path(folder))) as server:
        yield f"milvus+{server.uri}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=Path)
    server = parser.add_mutually_exclusive_group(required=True)
    server.add_argument("--url")
    server.add_argument("--lite", choices=("2.5", "3.2"))
    parser.add_argument("--asked", type=Path, nargs="*", default=(), help="real questions")
    parser.add_argument("--queries", type=int, default=100)
    options = parser.parse_args()
    encoder = open_encoder(threads=1)
    live = IndexLocation.of(options.corpus).current()
    size = sum(live.manifest.documents.values())
    texts = query_texts(Generator(size, 8), options.queries)
    queries = list(zip(texts, query_vectors(encoder, texts, options.asked), strict=True))
    with (
        closing(EmbeddedBackend.open(live.path)) as ours,
        tempfile.TemporaryDirectory() as folder,
        server_of(options) as url,
    ):
        target = MilvusTarget.parse(f"{url}{'&' if '?' in url else '?'}name={NAME}")
        engine = FILES.create_records(Path(folder) / "000001")
        with closing(MilvusBackend.create(engine, MilvusServer(target), ours.dimension, 1)) as made:
            print(f"{size} documents; {target.uri}; load average {os.getloadavg()[0]:.1f}")
            with (
                tempfile.TemporaryDirectory() as place,
                closing(EmbeddedBackend.create(Path(place), ours.dimension)) as again,
            ):
                embedded = load(ours, again, "embedded")
            print(f"ratio of loading {load(ours, made, 'Milvus') / embedded:.1f}")
            print(f"health: {made.health()}", flush=True)
            reader = MilvusBackend.open(
                FILES.open_records(Path(folder) / "000001"), MilvusServer(target)
            )
            with closing(reader):
                warm(reader, queries[0])
                compare(ours, reader, queries)
            made.collections.drop()


if __name__ == "__main__":
    main()
