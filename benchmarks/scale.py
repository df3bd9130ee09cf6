"""Build and search indexes of growing size, beside FTS5, sqlite-vec and LanceDB in the same run.

    OMP_NUM_THREADS=1 python -m benchmarks.scale [--passages 20000] [--vectors CACHE]
        [--asked QUERIES...] [--keep DIR] [--alone] [--lance]

Vectors: with ``--vectors FILE`` real embeddings of the default model, one SQLite file of the
evaluation's cache (``~/.cache/podcast-scraper/eval/vectors``, see :mod:`benchmarks.real_vectors`);
where more passages are asked for than it has, each further one is a real one moved at random, to a
cosine of 0.9. Without it, random unit vectors. The words of the queries are words of documents;
their vectors are those of the questions in ``--asked`` (``queries.jsonl.gz`` with a ``text`` a
line), or of the words.

``recall@100`` is against the exact float32 search with the same query vectors, on queries that no
index was tuned on. ``limit`` is what reading the bytes of a dense search takes from memory, at the
bandwidth that the same run measures. ``--lance`` adds LanceDB's hybrid search (needs ``lancedb``),
tuned to a recall of 0.99 on some of the same queries.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import json
import os
import resource
import tempfile
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from benchmarks import scale_peers
from benchmarks.engines import K
from benchmarks.make_corpus import INSIGHTS, WINDOWS, Generator
from benchmarks.scale_index import Vectors, build

from podcast_scraper.corpus import open_corpus
from podcast_scraper.embed.resolve import open_encoder
from podcast_scraper.search.backend import Filters, SearchQuery
from podcast_scraper.storage.generations import IndexLocation

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from podcast_scraper.corpus import Corpus
    from podcast_scraper.search.backends.embedded import EmbeddedBackend

CLIENTS = 8
TUNED_ON = 100
PEER_QUERIES = 20
Query = tuple[str, Any]  # words, vector


@dataclass(frozen=True)
class Spread:
    """Wall times in seconds, and processor time in all."""

    times: Sequence[float]
    work: float

    @property
    def p50(self) -> float:
        return float(np.median(self.times)) * 1000

    @property
    def cpu(self) -> float:
        return self.work / len(self.times) * 1000

    def __str__(self) -> str:
        p50, p95, p99 = np.percentile(np.array(self.times) * 1000, (50, 95, 99))
        return f"{p50:8.2f}{p95:8.2f}{p99:8.2f}{self.cpu:8.2f}"


def read_once(folder: Path) -> None:
    """Read every file of an index, so that the system has their pages at hand: warm."""
    for path in IndexLocation.of(folder).directory.rglob("*"):
        if path.is_file():
            with path.open("rb", buffering=0) as file:
                while file.read(1 << 24):
                    pass


def query_texts(generator: Generator, count: int) -> list[str]:
    """Return half keyword queries, half natural questions, of words of the middle frequencies."""
    random = np.random.default_rng(21)
    words = generator.words
    picks = [[words[n] for n in random.integers(300, 6000, 3)] for _ in range(count)]
    return [
        f"{a} {b} {c}" if n % 2 else f"what did they say about the {a} and how is it that {b} {c}"
        for n, (a, b, c) in enumerate(picks)
    ]


def query_vectors(encoder: Any, texts: Sequence[str], asked: Sequence[Path]) -> NDArray[Any]:
    """Return as many vectors as texts: of real questions where there are any."""
    if asked:
        lines = [line for p in asked for line in gzip.decompress(p.read_bytes()).splitlines()]
        chosen = np.random.default_rng(3).permutation(len(lines))[: len(texts)]
        texts = [encoder.fit_query(json.loads(lines[n])["text"])[0] for n in chosen]
    return np.stack([encoder.encode_query(text) for text in texts])


def timed(call: Callable[[Any], object], arguments: Sequence[Any]) -> Spread:
    times = []
    work = time.process_time()
    for argument in arguments:
        start = time.perf_counter()
        call(argument)
        times.append(time.perf_counter() - start)
    return Spread(times, time.process_time() - work)


def measure(corpus: Corpus, queries: Sequence[Query]) -> dict[str, Spread]:
    backend = corpus.index.backend
    one = Filters(shows=("podcast:show0001",))
    years = Filters(since="2014-01-01", until="2018-12-31")
    stages: dict[str, Callable[[Any], object]] = {
        "BM25": lambda q: backend.search_bm25(SearchQuery(q[0])),
        "BM25, five years": lambda q: backend.search_bm25(SearchQuery(q[0], filters=years)),
        "dense": lambda q: backend.search_vector(SearchQuery("", q[1])),
        "dense, one show": lambda q: backend.search_vector(SearchQuery("", q[1], one)),
        "dense, five years": lambda q: backend.search_vector(SearchQuery("", q[1], years)),
        "retrieval": lambda q: corpus.index.layer.run(q[0], lambda: q[1], graph="off"),
        "graph open": lambda q: corpus.index.layer.run(q[0], lambda: q[1], graph="force"),
        "graph open, five years": lambda q: corpus.index.layer.run(
            q[0], lambda: q[1], filters=years, graph="force"
        ),
        "completion": lambda q: backend.complete(q[0][:-2]),
        "correction": lambda q: backend.did_you_mean(q[0][:-2] + "xq"),
    }
    found = {}
    print(f"{'milliseconds':24}{'p50':>8}{'p95':>8}{'p99':>8}{'cpu':>8}")
    for name, call in stages.items():
        timed(call, queries[:10])
        found[name] = timed(call, queries)
        print(f"{name:24}{found[name]}", flush=True)
    found["whole query"] = whole(corpus, queries)
    several(corpus, queries)
    return found


def whole(corpus: Corpus, queries: Sequence[Query]) -> Spread:
    """Time searches with encoding, twenty rows and snippets, and print their stages."""
    stages: dict[str, list[float]] = defaultdict(list)

    def search(query: Query) -> None:
        # A word more, so that the vector is not remembered.
        answer = corpus.search(f"{query[0]} again", graph="off")
        for stage, spent in answer.timings_ms.items():
            stages[stage].append(spent / 1000)

    timed(search, [(f"{text} first", None) for text, _ in queries[:10]])
    stages.clear()
    found = timed(search, queries)
    print(f"{'whole query':24}{found}")
    for stage, times in stages.items():
        p50, p95, p99 = np.percentile(np.array(times) * 1000, (50, 95, 99))
        print(f"  {stage:22}{p50:8.2f}{p95:8.2f}{p99:8.2f}")
    return found


def several(corpus: Corpus, queries: Sequence[Query]) -> None:
    """Time searches of several clients at once."""
    with ThreadPoolExecutor(CLIENTS) as pool:
        start, work = time.perf_counter(), time.process_time()

        def search(query: Query) -> float:
            began = time.perf_counter()
            corpus.search(f"{query[0]} eight", graph="off")
            return time.perf_counter() - began

        times = list(pool.map(search, queries))
        rate = len(queries) / (time.perf_counter() - start)
        work = time.process_time() - work
    print(f"{f'whole query, {CLIENTS} clients':24}{Spread(times, work)}   {rate:.0f} a second")


def recall(backend: EmbeddedBackend, vectors: NDArray[np.float32]) -> float:
    found = []
    for vector in vectors:
        exact = {key for key, _ in backend.dense.exact(vector, K)}
        ours = {key for key, _ in backend.dense.search(vector, K)}
        found.append(len(exact & ours) / len(exact))
    return float(np.mean(found))


def print_limit(backend: EmbeddedBackend) -> None:
    """Print what one core, which reads the bytes of a dense search, takes at least."""
    block = np.ones(1 << 26)  # half a gigabyte: beyond what caches hold
    block.sum()
    passes = timed(lambda _: block.sum(), range(3))
    bandwidth = block.nbytes / min(passes.times)
    rows, dimension = backend.dense.vectors.shape
    scan = backend.dense.scan
    if scan is None:
        what, size = "float32", rows * dimension * 4
    elif scan.choice.candidates:
        what = "codes and candidates"
        size = rows * dimension // 4 + scan.choice.candidates * dimension * 4
    else:
        what, size = "mirror and candidates", rows * dimension + 2 * K * dimension * 4
    print(
        f"limit: {what} are {size / 1e6:.1f} MB; one core reads {bandwidth / 1e9:.1f} GB/s:"
        f" {size / bandwidth * 1000:.2f} ms"
    )


def print_memory() -> None:
    status = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    memory = {
        name: round(int(line.split()[1]) / 1024)
        for line in status
        for name in ("RssAnon", "RssFile")
        if line.startswith(name)
    }
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"memory, MB: {json.dumps(memory)}, peak {peak:.0f}", flush=True)


def compare(
    backend: EmbeddedBackend, queries: Sequence[Query], ours: dict[str, Spread], *, lance: bool
) -> None:
    few = queries[:PEER_QUERIES]
    with tempfile.TemporaryDirectory() as directory:
        plain = scale_peers.plain(Path(directory) / "plain.sqlite", backend)
        rows: list[tuple[str, str, Callable[[Any], object]]] = [
            ("FTS5", "BM25", lambda q: plain.fts5(q[0])),
            ("sqlite-vec vec0", "dense", lambda q: plain.vec0(q[1])),
        ]
        if lance:
            peer = scale_peers.Lance(Path(directory) / "lance", backend)
            truth = [{key for key, _ in backend.dense.exact(vector, K)} for _, vector in few]
            peer.tune([vector for _, vector in few], truth)
            print(f"LanceDB: {peer.probes} probes, recall@100 {peer.recall:.4f}")
            rows += [
                ("LanceDB dense", "dense", lambda q: peer.dense(q[1])),
                ("LanceDB hybrid", "retrieval", lambda q: peer.hybrid(*q)),
            ]
        for name, stage, call in rows:
            call(few[0])
            found = timed(call, few)
            wall, work = found.p50 / ours[stage].p50, found.cpu / ours[stage].cpu
            print(f"{name:24}{found}   {wall:.1f}× our {stage}, {work:.1f}× its cpu", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--passages", type=int, default=20_000)
    parser.add_argument("--vectors", type=Path, metavar="FILE", help="real embeddings")
    parser.add_argument("--asked", type=Path, nargs="*", default=(), help="real questions")
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--keep", type=Path, metavar="DIR", help="index to reuse or to leave")
    parser.add_argument("--alone", action="store_true", help="without FTS5 and sqlite-vec")
    parser.add_argument("--lance", action="store_true", help="with LanceDB")
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        folder = options.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        run(folder, options)


def run(folder: Path, options: argparse.Namespace) -> None:
    generator = Generator(options.passages, 8)
    encoder = open_encoder(threads=1)
    texts = query_texts(generator, options.queries + TUNED_ON)
    embedded = query_vectors(encoder, texts, options.asked)
    if IndexLocation.of(folder).current_name() is None:
        vectors = Vectors(options.vectors, encoder.dimension)
        print(f"{len(vectors.real)} real embeddings, {INSIGHTS + WINDOWS} passages an episode")
        build(folder, generator, vectors, embedded[:TUNED_ON])
    texts, embedded = texts[TUNED_ON:], embedded[TUNED_ON:]
    read_once(folder)
    with open_corpus(folder) as corpus:
        start = time.perf_counter()
        corpus.warm()
        print(f"opened and warm in {time.perf_counter() - start:.1f} s")
        backend = corpus.index.backend
        scan = backend.dense.scan
        print(f"load average {os.getloadavg()[0]:.1f}; dense: {scan and scan.choice}")
        ours = measure(corpus, list(zip(texts, embedded, strict=True)))
        print(f"recall@100 on held-out queries: {recall(backend, embedded):.4f}")
        print_memory()
        print_limit(backend)
        if not options.alone:
            pairs = list(zip(texts, embedded, strict=True))
            compare(backend, pairs, ours, lance=options.lance)


if __name__ == "__main__":
    main()
