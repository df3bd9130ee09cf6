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
from typing import Any, Final

import faiss
import numpy as np
from rich.console import Console
from rich.table import Table

from podcast_scraper.search.analysis import analyze
from podcast_scraper.search.chunker import chunk_transcript

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
    _print(options.rows, len(rows), hnsw, rabitq, terms, text)


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


def _print(
    rows: float, measured: int, hnsw: Engine, rabitq: Engine, terms: float, text: float
) -> None:
    table = Table(title=f"{rows:.0e} passages of 384 dimensions; measured on {measured} rows")
    for name in ("what", "value", "unit", "how"):
        table.add_column(name, justify="right" if name == "value" else "left")

    def line(what: str, value: float, unit: str, how: str) -> None:
        table.add_row(what, f"{value:,.3g}" if value < 1000 else f"{value:,.0f}", unit, how)

    for name, engine in (("HNSW + SQ8", hnsw), ("IVF-RaBitQ + SQ8 refine", rabitq)):
        line(f"{name}: memory", engine.bytes, "bytes/row", "measured")
        line(f"{name}: recall@100", engine.recall, "", "measured")
        line(f"{name}: query over {measured} rows", engine.query * 1e3, "ms core", "measured")
        line(f"{name}: build", 1 / engine.build, "rows/s core", "measured")
    line("distinct terms", terms, "/passage", "measured on the sample corpus")
    line("text", text, "bytes/row", "measured on the sample corpus")
    table.add_section()
    sparse = terms * POSTING_BYTES
    codes = rabitq.bytes - 384  # what is left when the refining codes are on disk
    for name, bytes_, how in (
        ("float32 vectors, in object storage", 4 * 384, "384 x 4"),
        ("HNSW + SQ8, in memory", hnsw.bytes, "measured bytes"),
        ("RaBitQ codes, in memory", codes, "measured bytes - 384"),
        ("refining codes, on NVMe", 384, "384 x 1"),
        ("sparse postings, on NVMe", sparse, f"terms x {POSTING_BYTES}"),
        ("filters, on NVMe", SCALAR_BYTES, "assumed"),
        (
            "text and rows, in PostgreSQL",
            text + 4 * 384 + ROW_BYTES,
            f"text + vector + {ROW_BYTES}",
        ),
    ):
        line(name, bytes_ * rows / GB, "GB", f"computed: {how}")
    table.add_section()
    segment_rows = SEGMENT_BYTES / (4 * 384 + sparse + SCALAR_BYTES)
    segments = rows / segment_rows
    for name, engine, memory in (
        ("HNSW + SQ8", hnsw, 1.2 * hnsw.bytes + 0.25 * sparse),
        ("IVF-RaBitQ", rabitq, 1.2 * codes + 0.25 * (sparse + 384)),
    ):
        nodes = memory * rows / (NODE_MEMORY * USABLE)
        line(f"{name}: memory of a replica", memory * rows / GB, "GB", "computed: hot quarter")
        line(f"{name}: nodes", REPLICAS * nodes, "of 128 GB", f"computed: {REPLICAS} replicas")
        # A graph's search grows with the logarithm of its rows, a list's with the rows.
        growth = (
            np.log(segment_rows) / np.log(measured)
            if engine is hnsw
            else (segment_rows / measured) ** 0.5
        )
        seconds = segments * engine.query * growth
        line(f"{name}: an unfiltered query", seconds, "core s", "computed: segments x query")
        line(f"{name}: QPS of a replica", CORES * BUSY / seconds, "", f"computed: {CORES} cores")
        line(
            f"{name}: QPS within one show",
            PARTITIONS * CORES * BUSY / seconds,
            "",
            f"computed: 1/{PARTITIONS} of the rows",
        )
        line(f"{name}: build", rows * engine.build / CORES / 3600, "h", f"computed: {CORES} cores")
    line("shards", SHARDS, "", "chosen: 125 M rows each")
    line("segments", segments, "", "computed: 4 GB each")
    line(
        "embedding",
        rows / EMBEDDED_A_SECOND / 3600,
        "accelerator h",
        f"computed: {EMBEDDED_A_SECOND}/s",
    )
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
