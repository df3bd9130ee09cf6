"""The real server over the sample corpus and a hostile one, and headless Chromium."""

from __future__ import annotations

import shutil
import threading
from typing import TYPE_CHECKING, Any

import pytest

from podcast_scraper.corpus import open_corpus
from podcast_scraper.index.build import build_index
from podcast_scraper.server.app import create_app
from tests.browser.corpus import write_hostile
from tests.corpora import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, BrowserContext, Page

    from podcast_scraper.corpus import Corpus

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome") or ""
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--autoplay-policy=no-user-gesture-required",
]
AXE = ROOT / "web/node_modules/axe-core/axe.min.js"


def _serve(corpus: Corpus) -> Iterator[str]:
    from waitress.server import create_server

    server = create_server(create_app(corpus), host="127.0.0.1", port=0, threads=8)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.effective_port}"
    server.close()
    thread.join(timeout=5)


@pytest.fixture(scope="session")
def server(sample: Corpus) -> Iterator[str]:
    sample.warm()
    yield from _serve(sample)


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    path: Path = tmp_path_factory.mktemp("hostile") / "corpus"
    write_hostile(path)
    build_index(path)
    with open_corpus(path) as corpus:
        yield from _serve(corpus)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if not CHROMIUM:
        pytest.skip("Chromium is not installed (Debian: chromium).")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Open a page; at the end of the test no console error and no foreign request may be left."""
    contexts: list[BrowserContext] = []
    problems: list[str] = []

    def opened(url: str, *, width: int = 1280, height: int = 900, **options: Any) -> Page:
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(15_000)
        here = "/".join(url.split("/")[:3])
        page.on(
            "console",
            lambda message: (
                problems.append(message.text) if message.type in ("error", "warning") else None
            ),
        )
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on(
            "request",
            lambda request: (
                problems.append(f"request to {request.url}")
                if not request.url.startswith((here, "data:", "blob:"))
                else None
            ),
        )
        page.goto(url)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert problems == []
