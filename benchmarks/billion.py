"""What a billion passages take: ``python benchmarks/billion.py [--rows 1e9] [--vectors FILE.npy]``.

Some lines are measured in this run, on one core, with faiss' own HNSW over scalar codes and its
RaBitQ, and on the sample corpus; the others are computed from them and say how. A cluster is not
this machine: the table shows orders of magnitude and where the memory goes.

Without ``--vectors`` (float32, shape ``(n, 384)``) the vectors are drawn around 500 centres in 32
dimensions and turned into 384, so that near ones exist as they do among passages.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import faiss
import numpy as np
from rich.console import Console
from rich.table import Table

from podcast_scraper.search.analysis import analyze
from podcast_scraper.search.chunker import chunk_transcript

if TYPE_CHECKING:
    from collections.abc import Iterator

SAMPLE: Final = Path(__file__).resolve().parents[1] / "data" / "sample"
K: Final = 100
QUERIES: Final = 100
GB: Final = 1e9

# What is chosen, not measured.
SEGMENT_BYTES: Final = 4e9  # of a Milvus segment
SHARDS: Final = 8
PARTITIONS: Final = 64
REPLICAS: Final = 2
NODE_MEMORY: Final = 128e9
USABLE: Final = 0.8  # of a node's memory
CORES: Final = 128  # of one replica
BUSY: Final = 0.7
POSTING_BYTES: Final = 8  # a term's number and its weight
SCALAR_BYTES: Final = 130  # key, show, episode, day, speakers and their indexes
ROW_BYTES: Final = 790  # of a document's records beside text and vector: benchmarks/store.py
EMBEDDED_A_SECOND: Final = 3_000  # passages, one accelerator


@dataclass(frozen=True)
class Engine:
    """One way to search vectors: bytes a row, recall@100, seconds a query and a row's build."""

    bytes: float
    recall: float
    query: float
    build: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=float, default=1e9)
    parser.add_argument("--sample-rows", type=int, default=20_000, help="how many to measure with")
    parser.add_argument("--vectors", type=Path)
    options = parser.parse_args()
    faiss.omp_set_num_threads(1)
    vectors = _vectors(options.vectors, options.sample_rows)
    queries, rows = vectors[:QUERIES], vectors[QUERIES:]
    truth = np.argsort(-(queries @ rows.T), axis=1)[:, :K]
    hnsw = _measured(_hnsw(rows.shape[1]), rows, queries, truth)
    rabitq = _measured(_rabitq(rows), rows, queries, truth)
    terms, text = _passages()
    _print(Plan(options.rows, len(rows), hnsw, rabitq, terms, text))


def _vectors(path: Path | None, count: int) -> Any:
    if path is not None:
        found = np.load(path).astype(np.float32)[: count + QUERIES]
    else:
        random = np.random.default_rng(0)
        centres = random.standard_normal((500, 32))
        places = centres[random.integers(500, size=count + QUERIES)]
        places = places + 0.5 * random.standard_normal(places.shape)
        found = (places @ random.standard_normal((32, 384))).astype(np.float32)
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def _hnsw(dimension: int) -> Any:
    index = faiss.IndexHNSWSQ(
        dimension, faiss.ScalarQuantizer.QT_8bit, 16, faiss.METRIC_INNER_PRODUCT
    )
    index.hnsw.efConstruction, index.hnsw.efSearch = 128, 200
    return index


def _rabitq(rows: Any) -> Any:
    lists = max(16, int(4 * len(rows) ** 0.5) // 4)
    coarse = faiss.index_factory(rows.shape[1], f"IVF{lists},RaBitQ", faiss.METRIC_INNER_PRODUCT)
    coarse.nprobe = max(8, lists // 8)
    refine = faiss.IndexScalarQuantizer(
        rows.shape[1], faiss.ScalarQuantizer.QT_8bit, faiss.METRIC_INNER_PRODUCT
    )
    index = faiss.IndexRefine(coarse, refine)
    index.k_factor = 5
    return index


def _measured(index: Any, rows: Any, queries: Any, truth: Any) -> Engine:
    start = time.process_time()
    index.train(rows)
    index.add(rows)
    build = (time.process_time() - start) / len(rows)
    start = time.process_time()
    _, found = index.search(queries, K)
    query = (time.process_time() - start) / len(queries)
    shared = [len(set(a) & set(b)) / K for a, b in zip(found, truth, strict=True)]
    with tempfile.NamedTemporaryFile() as file:
        faiss.write_index(index, file.name)
        size = Path(file.name).stat().st_size / len(rows)
    return Engine(size, float(np.mean(shared)), query, build)


def _passages() -> tuple[float, float]:
    """Return the mean number of distinct terms and of bytes of text of the sample's passages."""
    from podcast_scraper.artifacts.reading import open_reading
    from podcast_scraper.embed.resolve import open_encoder

    encoder = open_encoder()
    texts = [
        document.text
        for record in open_reading(SAMPLE).episodes()
        for document in chunk_transcript(record, encoder)
    ]
    terms = [len(set(analyze(text))) for text in texts]
    return float(np.mean(terms)), float(np.mean([len(text.encode()) for text in texts]))


@dataclass(frozen=True)
class Plan:
    """A billion rows: what was measured of an engine, and of passages."""

    rows: float
    measured: int
    hnsw: Engine
    rabitq: Engine
    terms: float
    text: float

    @property
    def sparse(self) -> float:
        """Bytes of postings a row."""
        return self.terms * POSTING_BYTES

    @property
    def codes(self) -> float:
        """Bytes a row that stay in memory when the refining codes are on disk."""
        return self.rabitq.bytes - 384

    @property
    def segment_rows(self) -> float:
        return SEGMENT_BYTES / (4 * 384 + self.sparse + SCALAR_BYTES)


Line = tuple[str, float, str, str]  # what, value, unit, how


def _print(plan: Plan) -> None:
    title = f"{plan.rows:.0e} passages of 384 dimensions; measured on {plan.measured} rows"
    table = Table(title=title)
    for name in ("what", "value", "unit", "how"):
        table.add_column(name, justify="right" if name == "value" else "left")
    for section in (_measurements(plan), _sizes(plan), _searching(plan)):
        for what, value, unit, how in section:
            shown = f"{value:,.3g}" if value < 1000 else f"{value:,.0f}"
            table.add_row(what, shown, unit, how)
        table.add_section()
    Console(width=110).print(table)


def _measurements(plan: Plan) -> Iterator[Line]:
    for name, engine in (("HNSW + SQ8", plan.hnsw), ("IVF-RaBitQ + SQ8 refine", plan.rabitq)):
        yield f"{name}: memory", engine.bytes, "bytes/row", "measured"
        yield f"{name}: recall@100", engine.recall, "", "measured"
        yield f"{name}: query over {plan.measured} rows", engine.query * 1e3, "ms core", "measured"
        yield f"{name}: build", 1 / engine.build, "rows/s core", "measured"
    yield "distinct terms", plan.terms, "/passage", "measured on the sample corpus"
    yield "text", plan.text, "bytes/row", "measured on the sample corpus"


def _sizes(plan: Plan) -> Iterator[Line]:
    records = plan.text + 4 * 384 + ROW_BYTES
    for name, size, how in (
        ("float32 vectors, in object storage", 4 * 384, "384 x 4"),
        ("HNSW + SQ8, in memory", plan.hnsw.bytes, "measured bytes"),
        ("RaBitQ codes, in memory", plan.codes, "measured bytes - 384"),
        ("refining codes, on NVMe", 384, "384 x 1"),
        ("sparse postings, on NVMe", plan.sparse, f"terms x {POSTING_BYTES}"),
        ("filters, on NVMe", SCALAR_BYTES, "assumed"),
        ("text and rows, in PostgreSQL", records, f"text + vector + {ROW_BYTES}"),
    ):
        yield name, size * plan.rows / GB, "GB", f"computed: {how}"


def _searching(plan: Plan) -> Iterator[Line]:
    segments = plan.rows / plan.segment_rows
    share = plan.segment_rows / plan.measured
    # A graph's search grows with the logarithm of its rows, a list's with their root.
    logarithm = np.log(plan.segment_rows) / np.log(plan.measured)
    for name, engine, memory, growth in (
        ("HNSW + SQ8", plan.hnsw, 1.2 * plan.hnsw.bytes + 0.25 * plan.sparse, logarithm),
        ("IVF-RaBitQ", plan.rabitq, 1.2 * plan.codes + 0.25 * (plan.sparse + 384), share**0.5),
    ):
        nodes = memory * plan.rows / (NODE_MEMORY * USABLE)
        seconds = segments * engine.query * growth
        rate = CORES * BUSY / seconds
        build = plan.rows * engine.build / CORES / 3600
        yield f"{name}: memory of a replica", memory * plan.rows / GB, "GB", "computed: hot quarter"
        yield f"{name}: nodes", REPLICAS * nodes, "of 128 GB", f"computed: {REPLICAS} replicas"
        yield f"{name}: an unfiltered query", seconds, "core s", "computed: segments x query"
        yield f"{name}: QPS of a replica", rate, "", f"computed: {CORES} cores"
        within = f"computed: 1/{PARTITIONS} of the rows"
        yield f"{name}: QPS within one show", PARTITIONS * rate, "", within
        yield f"{name}: build", build, "h", f"computed: {CORES} cores"
    yield "shards", SHARDS, "", "chosen: 125 M rows each"
    yield "segments", segments, "", "computed: 4 GB each"
    hours = plan.rows / EMBEDDED_A_SECOND / 3600
    yield "embedding", hours, "accelerator h", f"computed: {EMBEDDED_A_SECOND}/s"


if __name__ == "__main__":
    main()
