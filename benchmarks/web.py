"""How fast and how heavy the pages are: server time, first paint, transfer, layout shift.

    python benchmarks/web.py [--requests N]

Indexes the sample corpus in a temporary directory, asks the application for results pages in
process, then loads pages from the real server in headless Chromium (left out where it is missing).
Prints each figure with its ratio to the target of ``docs/rfc/101-web.md``.
"""

from __future__ import annotations

import argparse
import gzip
import json
import shutil
import statistics
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask

ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "data" / "sample"
TARGETS = {"p95": 30.0, "paint": 500.0, "weight": 60.0, "shift": 0.1}
VITALS = """
    new Promise(done => setTimeout(() => done({
        paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
        shift: window.shifts ?? 0,
    }), 600))
"""
COUNT_SHIFTS = """
    window.shifts = 0;
    new PerformanceObserver(list => {
        for (const entry of list.getEntries()) {
            if (!entry.hadRecentInput) window.shifts += entry.value;
        }
    }).observe({type: 'layout-shift', buffered: true});
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--requests", type=int, default=200, help="results pages to ask for")
    arguments = parser.parse_args()
    from podcast_scraper.corpus import open_corpus
    from podcast_scraper.index.build import build_index
    from podcast_scraper.server.app import create_app

    with tempfile.TemporaryDirectory() as folder:
        build_index(SAMPLE, index_dir=Path(folder))
        with open_corpus(SAMPLE, index_dir=folder) as corpus:
            corpus.warm()
            app = create_app(corpus, limit="1000000 per second")
            print(f"{'figure':<44}{'value':>12}{'target':>10}{'ratio':>8}")
            _print_server_times(app, arguments.requests)
            _print_browser(app)


def _queries() -> list[str]:
    rows = json.loads((SAMPLE / "suggested_queries.json").read_text(encoding="utf-8"))
    return [row["query"] for row in rows]


def _print_server_times(app: Flask, count: int) -> None:
    client = app.test_client()
    queries = _queries()
    for path, name in (("/", "results page"), ("/api/search", "search as JSON")):
        times, busy = [], []
        for number in range(count):
            # A new word each time, so that no query vector is at hand from before.
            text = f"{queries[number % len(queries)]} {number}"
            started, worked = time.perf_counter(), time.process_time()
            answer = client.get(path, query_string={"q": text}, headers={"X-Fragment": "none"})
            times.append((time.perf_counter() - started) * 1000)
            busy.append((time.process_time() - worked) * 1000)
            assert answer.status_code == 200
        times.sort()
        _row(f"{name}: server time, median (ms)", statistics.median(times), None)
        _row(f"{name}: processor time, median (ms)", statistics.median(busy), None)
        _row(f"{name}: server time, p95 (ms)", times[int(len(times) * 0.95)], TARGETS["p95"])


def _print_browser(app: Flask) -> None:
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        print("Chromium is not installed: paint, weight and shift are not measured.")
        return
    for url in _served(app):
        for path, name in (("/", "home"), ("/?q=who+checks+the+people+who+measure", "results")):
            paints, shifts, weight = _loads(chromium, url + path)
            _row(f"{name}: first contentful paint, median (ms)", paints, TARGETS["paint"])
            _row(f"{name}: layout shift", shifts, TARGETS["shift"], digits=3)
            _row(f"{name}: script and style, gzip (kB)", weight / 1000, TARGETS["weight"])


def _served(app: Flask) -> Iterator[str]:
    from waitress.server import create_server

    server = create_server(app, host="127.0.0.1", port=0, threads=8)
    threading.Thread(target=server.run, daemon=True).start()
    yield f"http://127.0.0.1:{server.effective_port}"
    server.close()


def _loads(chromium: str, url: str, times: int = 7) -> tuple[float, float, int]:
    """Load a page with an empty cache; return median paint, worst shift, bytes."""
    from playwright.sync_api import sync_playwright

    paints: list[float] = []
    shifts: list[float] = []
    weights: dict[str, int] = {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for _ in range(times):
            context = browser.new_context()
            context.add_init_script(COUNT_SHIFTS)
            page = context.new_page()
            page.on("response", lambda answer: weights.update(_weight(answer)))
            page.goto(url, wait_until="networkidle")
            vitals: dict[str, float] = page.evaluate(VITALS)
            paints.append(vitals["paint"])
            shifts.append(vitals["shift"])
            context.close()
        browser.close()
    return statistics.median(paints), max(shifts), sum(weights.values())


def _weight(answer: Any) -> dict[str, int]:
    if answer.request.resource_type not in ("script", "stylesheet"):
        return {}
    return {answer.url: len(gzip.compress(answer.body()))}


def _row(name: str, value: float, target: float | None, digits: int = 1) -> None:
    against = f"{target:>10g}{value / target:>8.2f}" if target else ""
    print(f"{name:<44}{value:>12.{digits}f}{against}")


if __name__ == "__main__":
    main()
