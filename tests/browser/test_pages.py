"""Each page: loads without errors, fits a phone, passes axe, in light and dark, without scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.conftest import AXE
from tests.browser.pages import PAGES

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser]
each_page = pytest.mark.parametrize("path", PAGES.values(), ids=list(PAGES))


def settle(page: Page) -> None:
    page.wait_for_load_state("networkidle")
    for fold in page.locator("main details:not([open]) > summary").all():
        if fold.is_visible():
            fold.click()


def violations(page: Page) -> list[str]:
    """Run axe-core in the page; it is evaluated by the driver, past the page's own policy."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found: dict[str, Any] = page.evaluate(
        "axe.run({runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa',"
        " 'best-practice']})"
    )
    return [
        f"{v['id']}: {v['help']}: {[node['html'][:160] for node in v['nodes'][:3]]}"
        for v in found["violations"]
    ]


@each_page
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(
    open_page: Callable[..., Page], server: str, path: str, scheme: str
) -> None:
    if not AXE.exists():
        pytest.skip("axe-core is not there: python3 tasks.py web")
    page = open_page(server + path, color_scheme=scheme, reduced_motion="reduce")
    settle(page)
    assert violations(page) == []


@each_page
@pytest.mark.parametrize("width", [360, 1600])
def test_it_fits(open_page: Callable[..., Page], server: str, path: str, width: int) -> None:
    page = open_page(server + path, width=width, height=780)
    settle(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@each_page
def test_it_is_complete_without_scripts(
    open_page: Callable[..., Page], server: str, path: str
) -> None:
    page = open_page(server + path, java_script_enabled=False)
    assert page.locator("h1").count() == 1
    assert page.locator("main").inner_text().strip()
    assert page.locator("form[role=search]").first.is_visible()


def test_targets_are_large_enough(open_page: Callable[..., Page], server: str) -> None:
    page = open_page(f"{server}/?q=rent+freeze", width=360, height=780)
    heights: list[float] = page.locator(".actions > a, .facets a, .chip, .tabs a").evaluate_all(
        "all => all.filter(e => e.checkVisibility()).map(e => e.getBoundingClientRect().height)"
    )
    assert heights
    assert min(heights) >= 24


def test_the_sections_keep_their_words_whole(open_page: Callable[..., Page], server: str) -> None:
    page = open_page(f"{server}/?q=kelp", width=360, height=780)
    lines: list[int] = page.locator(".sections a").evaluate_all(
        "all => all.map(e => { const range = document.createRange(); range.selectNodeContents(e);"
        " return new Set([...range.getClientRects()].map(r => Math.round(r.top))).size; })"
    )
    assert lines == [1] * len(lines)
    assert len(lines) == 7
