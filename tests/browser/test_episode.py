"""The episode page: follow the sound, seek, find; hostile text and 5 000 lines."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.corpus import COMBINING, IMAGE, LONG_NAME, RTL, SCRIPT

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser]


def test_the_transcript_follows_the_sound(open_page: Callable[..., Page], server: str) -> None:
    page = open_page(f"{server}/episodes/tidewrack-06")
    page.locator(".line .time", has_text="0:22").click()
    now = page.locator(".line.spoken-now")
    expect(now).to_contain_text("painted stick")
    expect(now).to_have_attribute("aria-current", "true")
    expect(page).to_have_url(re.compile(r"\?t=22"))
    page.evaluate("document.querySelector('#audio').currentTime = 60")
    expect(now).not_to_contain_text("painted stick")
    expect(now).to_be_in_viewport()


def test_a_link_with_a_time_leads_to_its_line(open_page: Callable[..., Page], server: str) -> None:
    page = open_page(f"{server}/episodes/tidewrack-06?t=40")
    expect(page.locator(".line.here")).to_be_in_viewport()
    assert page.locator("#audio").get_attribute("src") == "/media/tidewrack-06#t=40"


def test_finding_in_an_episode(open_page: Callable[..., Page], server: str) -> None:
    page = open_page(f"{server}/episodes/tidewrack-06")
    page.keyboard.press("f")
    page.keyboard.type("stick")
    page.keyboard.press("Enter")
    expect(page.locator(".matches li").first).to_contain_text("stick")
    page.locator(".matches li a").nth(1).click()
    expect(page.locator(".line:target mark").first).to_be_in_viewport()


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/?q=picture",
        "/?q=%3Cscript%3Ealert(1)%3C/script%3E",
        "/episodes/hostile",
        "/episodes/hostile?find=%3Cscript%3E",
        "/people",
        "/people/person:ada",
        "/people/person:long",
        "/topics/topic:markup",
        "/shows/podcast:hostile",
        "/graph?id=person:ada",
        "/review",
        "/saved?q=%22%3E%3Cimg+src%3Dx+onerror%3Dx%3E",
    ],
)
@pytest.mark.parametrize("width", [360, 1280])
def test_hostile_text_stays_text(
    open_page: Callable[..., Page], hostile: str, path: str, width: int
) -> None:
    page = open_page(hostile + path, width=width)
    page.wait_for_load_state("networkidle")
    assert page.evaluate("window.broken") is None
    assert page.locator("img").count() == 0
    assert page.locator("script:not([type=module])").count() == 0
    assert page.locator("a[href^='javascript:'], audio[src^='javascript:']").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_hostile_text_is_shown_whole(open_page: Callable[..., Page], hostile: str) -> None:
    page = open_page(f"{hostile}/episodes/hostile")
    shown = page.locator(".transcript-area").inner_text()
    for text in (SCRIPT, IMAGE, RTL):
        assert text in shown
    assert COMBINING.split()[0] in shown
    person = open_page(f"{hostile}/people/person:long")
    assert person.locator("h1").inner_text() == LONG_NAME


def test_five_thousand_lines_come_in_parts_and_fast(
    open_page: Callable[..., Page], hostile: str
) -> None:
    started = time.monotonic()
    page = open_page(f"{hostile}/episodes/endless?t=12000")
    expect(page.locator(".line.here")).to_be_in_viewport()
    assert time.monotonic() - started < 5
    assert page.locator(".line").count() <= 300
    expect(page.locator(".parts").first).to_contain_text("of 17")
    page.get_by_role("link", name="Later").first.click()
    expect(page.locator(".line").first).to_contain_text("Line number 4200")
