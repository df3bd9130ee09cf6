"""Searching the sample corpus: cold start, warm latency by stage, indexing rate, memory.

    python -m benchmarks.search [CORPUS]

Cold start is the whole process of ``podcast-scraper search`` from start to exit, beside a process
that only imports the interpreter's standard library (the floor) and one that imports
sentence-transformers (what the query path avoids). Figures are medians; the target for the cold
start is 1.5 s on free cores.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
QUERIES = (
    "who checks the people who measure",
    "bus lanes",
    "do price caps backfire",
    "Magnus Sorley kelp",
    "robot pulled up the leeks",
    '"the sum is not the sea"',
    "how did the office change after remote work",
    "should people who live by the sea move away",
)
RUNS = 5
ROUNDS = 12


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", nargs="?", type=Path, default=ROOT / "data" / "sample")
    corpus = parser.parse_args().corpus
    with tempfile.TemporaryDirectory() as directory:
        copy = Path(directory) / corpus.name
        shutil.copytree(corpus, copy, ignore=shutil.ignore_patterns(".podcast-scraper"))
        index(copy)
        cold(copy)
        warm(copy)


def index(corpus: Path) -> None:
    from podcast_scraper.index.build import build_index

    first = build_index(corpus, threads=os.cpu_count() or 1).report
    again = build_index(corpus, rebuild=True).report
    documents = sum(first["documents"].values())
    with_embedding = sum(first["seconds"].values())
    without = sum(again["seconds"].values())
    print(f"index: {documents} documents of {first['episodes']} episodes")
    print(f"  with embedding     {documents / with_embedding:8.0f} documents/s  1.0×")
    ratio = with_embedding / without
    print(f"  vectors taken over {documents / without:8.0f} documents/s  {ratio:.1f}×")
    print(f"  by stage: {json.dumps(first['seconds'])}")


def cold(corpus: Path) -> None:
    floor = _process("import json, sqlite3, argparse")
    import_torch = _process("import sentence_transformers", runs=2)
    search = (
        f"from podcast_scraper.cli.main import run; import sys; sys.argv = {_arguments(corpus)}"
    )
    whole = _process(f"{search}; run()")
    print("cold start: process start to exit, median seconds")
    print(f"  interpreter alone        {floor:6.2f}")
    print(f"  podcast-scraper search   {whole:6.2f}  {whole / floor:5.1f}× the interpreter")
    ratio = import_torch / whole
    print(
        f"  sentence-transformers    {import_torch:6.2f}  {ratio:5.1f}× the search (import alone)"
    )


def _arguments(corpus: Path) -> list[str]:
    return ["podcast-scraper", "search", str(corpus), QUERIES[0], "--json"]


def _process(code: str, runs: int = RUNS) -> float:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    spent = []
    for _ in range(runs):
        start = time.perf_counter()
        subprocess.run(
            [sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL, env=environment
        )
        spent.append(time.perf_counter() - start)
    return statistics.median(spent)


def warm(corpus: Path) -> None:
    from podcast_scraper.corpus import open_corpus

    stages: dict[str, list[float]] = defaultdict(list)
    with open_corpus(corpus) as opened:
        opened.warm()
        for number in range(ROUNDS):
            for query in QUERIES:
                # A word of its own in each round, so that no query comes from the query cache.
                start = time.perf_counter()
                found = opened.search(f"{query} {number}")
                stages["whole"].append((time.perf_counter() - start) * 1000)
                for stage, spent in found.timings_ms.items():
                    stages[stage].append(spent)
        memory = _resident_megabytes()
    print("warm query, milliseconds")
    print(f"  {'stage':<12}{'p50':>8}{'p95':>8}  share of the whole")
    whole = statistics.median(stages["whole"])
    for stage, spent in stages.items():
        p50, p95 = statistics.median(spent), statistics.quantiles(spent, n=20)[-1]
        print(f"  {stage:<12}{p50:8.2f}{p95:8.2f}  {p50 / whole:6.1%}")
    print(f"memory of the process that serves the corpus: {memory:.0f} MB")


def _resident_megabytes() -> float:
    status = Path("/proc/self/status")
    if not status.exists():
        return float("nan")
    line = next(x for x in status.read_text().splitlines() if x.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


if __name__ == "__main__":
    main()
