"""Photograph the pages over the sample corpus into ``docs/images``.

``python3 tasks.py screenshots`` runs it: the real server, headless Chromium, then a palette of 256
colours so that the files stay small.
"""

from __future__ import annotations

import io
import re
import shutil
import sys
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Browser, Page

ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "data" / "sample"
IMAGES = ROOT / "docs" / "images"
COLOURS = 256


@dataclass(frozen=True, slots=True)
class Shot:
    """One picture: where, how large, and what is done before."""

    name: str
    path: str
    width: int = 1280
    height: int = 820
    scheme: str = "light"
    act: Callable[[Page], object] = lambda page: None


def _explain(page: Page) -> None:
    page.locator(".explain summary").first.click()


def _play(page: Page) -> None:
    page.locator(".line .time", has_text="0:22").click()
    page.wait_for_selector(".spoken-now")


def _drawn(page: Page) -> None:
    page.wait_for_selector("#graph[data-ready]")
    page.locator("#graph").scroll_into_view_if_needed()
    page.mouse.wheel(0, 150)
    page.wait_for_timeout(300)


SHOTS = (
    Shot("home", "/"),
    Shot("results", "/?q=who+checks+the+people+who+measure"),
    Shot("explanation", "/?q=Magnus+Sorley+kelp", act=_explain),
    Shot("episode", "/episodes/tidewrack-06", act=_play),
    Shot("person", "/people/person:hanne-sorley"),
    Shot("arc", "/people/person:amara-nwosu/arc/topic:rent-control"),
    Shot("graph", "/graph?id=person:ilse-vandermeer&hops=2", act=_drawn),
    Shot("zero-hits", "/?q=%22xylophone+music%22&show=podcast:tidewrack&type=claim", height=560),
    Shot("phone", "/?q=robot+pulled+up+the+leeks", width=360, height=740),
    Shot("dark", "/?q=do+price+caps+backfire", scheme="dark", act=_explain),
)


def main() -> None:
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        sys.exit("Chromium is not installed (Debian: chromium).")
    from playwright.sync_api import sync_playwright
    from waitress.server import create_server

    from podcast_scraper.corpus import open_corpus
    from podcast_scraper.index.build import build_index
    from podcast_scraper.server.app import create_app

    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        build_index(SAMPLE, index_dir=Path(folder))
        with open_corpus(SAMPLE, index_dir=folder) as corpus, sync_playwright() as playwright:
            corpus.warm()
            server = create_server(create_app(corpus), host="127.0.0.1", port=0, threads=8)
            threading.Thread(target=server.run, daemon=True).start()
            browser = playwright.chromium.launch(
                executable_path=chromium,
                args=["--no-sandbox", "--autoplay-policy=no-user-gesture-required"],
            )
            for shot in SHOTS:
                _take(browser, shot, f"http://127.0.0.1:{server.effective_port}")
            browser.close()
            server.close()


def _take(browser: Browser, shot: Shot, host: str) -> None:
    from PIL import Image

    context = browser.new_context(
        viewport={"width": shot.width, "height": shot.height},
        color_scheme=shot.scheme,  # type: ignore[arg-type]
        reduced_motion="reduce",
    )
    page = context.new_page()
    # A first visit fetches the fonts, the second one is set in them from the start.
    page.goto(host + shot.path, wait_until="networkidle")
    page.goto(host + shot.path, wait_until="networkidle")
    shot.act(page)
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    file = IMAGES / f"{re.sub(r'[^a-z-]', '', shot.name)}.png"
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(file, optimize=True)
    print(f"{file.relative_to(ROOT)}  {file.stat().st_size // 1024} kB")
    context.close()


if __name__ == "__main__":
    main()
