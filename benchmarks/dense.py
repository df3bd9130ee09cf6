"""Ways to scan vectors: time and recall@100 on real embeddings, all in one run.

    OMP_NUM_THREADS=1 python -m benchmarks.dense CACHE QUERIES... [--rows N] [--no-ivf]

CACHE is one SQLite file of the evaluation's cache (``~/.cache/podcast-scraper/eval/vectors``),
QUERIES are ``queries.jsonl.gz`` files with a ``text`` a line, encoded by the default model. With
``--rows`` beyond what the cache holds, each further row is a real one moved at random, to a cosine
of 0.9: times are those of that many rows, recall is then that of a harder neighbourhood.

Every way but the first finds candidates and scores them again with the float32 vectors. Recall is
against the exact search; one thread; ``ratio`` is the time of the float32 product over this one's.
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING

import faiss
import numpy as np
from benchmarks.scale_index import Vectors

from podcast_scraper.embed.resolve import open_encoder
from podcast_scraper.search.backends.nearest import nearest
from podcast_scraper.search.backends.scan import CODE_CANDIDATES, K, Scan

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Find = Callable[[NDArray[np.float32]], NDArray[np.int64]]

LISTS = 1024
PROBES = (64, 128, 256, 512)
QUERIES = 300


def report(
    name: str,
    find: Find,
    vectors: NDArray[np.float32],
    queries: NDArray[np.float32],
    truth: Sequence[set[int]],
    base: float | None,
) -> float:
    times, shares = [], []
    for query, wanted in zip(queries, truth, strict=True):
        start = time.perf_counter()
        rows = find(query)
        if base is not None:
            rows = rows[nearest(vectors[rows], query, K)]
        times.append((time.perf_counter() - start) * 1000)
        shares.append(len(wanted.intersection(rows.tolist())) / len(wanted))
    p50, p95 = np.percentile(times, (50, 95))
    ratio = (base or p50) / p50
    worst = np.percentile(shares, 5)
    print(
        f"{name:28}{p50:8.2f}{p95:8.2f}{np.mean(shares):10.4f}{worst:8.2f}{ratio:8.1f}x",
        flush=True,
    )
    return float(p50)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cache", type=Path)
    parser.add_argument("queries", type=Path, nargs="+")
    parser.add_argument("--rows", type=int)
    parser.add_argument("--no-ivf", action="store_true")
    options = parser.parse_args()
    faiss.omp_set_num_threads(1)
    encoder = open_encoder(threads=1)
    lines = [x for p in options.queries for x in gzip.decompress(p.read_bytes()).splitlines()]
    texts = [json.loads(line)["text"] for line in lines]
    chosen = np.random.default_rng(3).permutation(len(texts))[:QUERIES]
    queries = np.stack([encoder.encode_query(encoder.fit_query(texts[n])[0]) for n in chosen])
    source = Vectors(options.cache, encoder.dimension)
    count = options.rows or len(source.real)
    vectors = np.empty((count, encoder.dimension), dtype=np.float32)
    for start in range(0, count, 50_000):
        vectors[start : start + 50_000] = source.take(min(50_000, count - start))
    truth = [set(nearest(vectors, query, K).tolist()) for query in queries]
    print(f"{count} rows, {min(count, len(source.real))} of them real; {len(queries)} queries")
    print(f"{'way':28}{'p50 ms':>8}{'p95':>8}{'recall':>10}{'5 %':>8}{'ratio':>9}")

    def row(name: str, find: Find, base: float | None) -> float:
        return report(name, find, vectors, queries, truth, base)

    base = row("float32 product", lambda q: nearest(vectors, q, K), None)
    start = time.perf_counter()
    scan = Scan.build(vectors)
    built = time.perf_counter() - start
    row("mirror, 200 candidates", lambda q: scan.by_mirror(q, 2 * K), base)
    for candidates in CODE_CANDIDATES:
        row(f"codes, {candidates} candidates", lambda q, n=candidates: scan.by_codes(q, n), base)
    print(f"mirror and codes were built in {built:.0f} s")
    if options.no_ivf:
        return
    start = time.perf_counter()
    clustered = faiss.index_factory(vectors.shape[1], f"IVF{LISTS},SQ8", faiss.METRIC_INNER_PRODUCT)
    clustered.train(vectors[:: max(1, count // 100_000)])
    clustered.add(vectors)
    built = time.perf_counter() - start
    for probes in PROBES:
        clustered.nprobe = probes
        row(
            f"IVF{LISTS},SQ8, {probes} lists",
            lambda q: clustered.search(q[None], 2 * K)[1][0],
            base,
        )
    print(f"IVF was built in {built:.0f} s")


if __name__ == "__main__":
    main()
