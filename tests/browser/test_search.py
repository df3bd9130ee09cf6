"""Searching: as one types, by keyboard alone, with filters, and back again."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser]


def test_results_come_while_typing_and_nothing_jumps(
    open_page: Callable[..., Page], server: str
) -> None:
    page = open_page(f"{server}/?q=kelp")
    page.evaluate(
        "window.shift = 0; new PerformanceObserver(list => { for (const e of list.getEntries())"
        " if (!e.hadRecentInput) window.shift += e.value; })"
        ".observe({type: 'layout-shift', buffered: true})"
    )
    page.locator("#q").fill("rent freeze")
    expect(page).to_have_url(re.compile(r"\?q=rent\+freeze$"))
    expect(page.locator(".card").first).to_contain_text(re.compile("rent", re.IGNORECASE))
    expect(page.locator("#announce")).to_have_text(re.compile(r"\d+ results?"))
    expect(page).to_have_title(re.compile("^rent freeze"))
    assert page.locator("#q").evaluate("box => box === document.activeElement")
    assert page.evaluate("window.shift") == 0


def test_filters_are_chips_and_never_reset_the_query(
    open_page: Callable[..., Page], server: str
) -> None:
    page = open_page(f"{server}/?q=carbon")
    page.locator(".facets a", has_text="Tidewrack").click()
    chip = page.locator(".chosen .chip", has_text="Tidewrack")
    expect(chip).to_be_visible()
    assert page.locator("#q").input_value() == "carbon"
    page.locator("#q").fill("kelp carbon")
    expect(page).to_have_url(re.compile(r"q=kelp\+carbon&show=podcast%3Atidewrack"))
    expect(page.locator(".card .where").first).to_contain_text("Tidewrack")
    page.locator(".chosen .chip", has_text="Tidewrack").click()
    expect(page.locator(".chosen")).to_have_count(0)
    page.go_back()
    expect(page.locator(".chosen .chip", has_text="Tidewrack")).to_be_visible()
    assert page.locator("#q").input_value() == "kelp carbon"


def test_suggestions_by_keyboard(open_page: Callable[..., Page], server: str) -> None:
    page = open_page(f"{server}/")
    box = page.get_by_role("combobox")
    box.press_sequentially("vander")
    expect(box).to_have_attribute("aria-expanded", "true")
    box.press("ArrowDown")
    chosen = page.locator("[role=option][aria-selected=true]")
    expect(chosen).to_contain_text("Ilse Vandermeer")
    assert box.get_attribute("aria-activedescendant") == chosen.get_attribute("id")
    box.press("Escape")
    expect(box).to_have_attribute("aria-expanded", "false")
    box.press("m")
    expect(box).to_have_attribute("aria-expanded", "true")
    box.press("ArrowDown")
    box.press("Enter")
    expect(page).to_have_url(re.compile("/people/person(:|%3A)ilse-vandermeer"))


def test_a_slip_is_offered_corrected(open_page: Callable[..., Page], server: str) -> None:
    page = open_page(f"{server}/?q=robott+leeks&tier=insight")
    page.get_by_role("link", name="search instead for robot leeks").click()
    expect(page).to_have_url(re.compile(r"q=robot\+leeks&tier=insight"))
    expect(page.locator(".correction")).to_have_count(0)


def test_zero_hits_name_the_filters(open_page: Callable[..., Page], server: str) -> None:
    page = open_page(f"{server}/?q=%22leeks%22&show=podcast:tidewrack")
    empty = page.locator(".empty")
    expect(empty).to_contain_text("1 filter")
    empty.get_by_role("link", name="Tidewrack").click()
    expect(page.locator(".card").first).to_contain_text("leeks")


def test_the_whole_way_by_keyboard_alone(open_page: Callable[..., Page], server: str) -> None:
    page = open_page(f"{server}/health")
    page.keyboard.press("/")
    page.keyboard.type("high water stick and watch")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"\?q=high\+water"))
    page.wait_for_load_state()  # the address changes before the keys have their script
    page.keyboard.press("j")
    expect(page.locator(".card.current")).to_have_count(1)
    page.keyboard.press("e")
    expect(page.locator(".card.current .explain")).to_have_attribute("open", "")
    expect(page.locator(".card.current .explain")).to_contain_text("BM25")
    page.keyboard.press("p")
    expect(page.locator("#player")).to_be_visible()
    page.wait_for_function("document.querySelector('#audio').currentTime > 0")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")


def test_focus_stays_above_the_player(open_page: Callable[..., Page], server: str) -> None:
    page = open_page(f"{server}/?q=high+water+stick+and+watch", reduced_motion="reduce")
    page.locator("[data-play]").first.click()
    expect(page.locator("#player")).to_be_visible()
    for _ in range(25):
        page.keyboard.press("Tab")
        hidden = page.evaluate(
            "(() => { const e = document.activeElement;"
            " if (e.closest('#player') || e === document.body) return false;"
            " const top = document.querySelector('#player').getBoundingClientRect().top;"
            " return e.getBoundingClientRect().top > top; })()"
        )
        assert not hidden


def test_shortcuts_can_be_switched_off(open_page: Callable[..., Page], server: str) -> None:
    page = open_page(f"{server}/health")
    page.get_by_role("button", name="Keyboard shortcuts").click()
    page.get_by_label("Single-key shortcuts are on").uncheck()
    page.get_by_role("button", name="Close").click()
    page.reload()
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") != "q"


def test_search_explain_play_person_arc_and_back(
    open_page: Callable[..., Page], server: str
) -> None:
    page = open_page(f"{server}/?q=freezing+rents&tier=insight")
    first = page.locator(".card", has_text="Amara Nwosu").first
    first.get_by_text("Why this rank").click()
    expect(first.locator(".explain table")).to_be_visible()
    first.locator(".who .chip", has_text="Amara Nwosu").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Amara Nwosu")
    page.locator(".chip", has_text="rent control").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Amara Nwosu on rent control")
    expect(page.locator(".statement-row").first).to_contain_text("frozen")
    page.locator(".statement-row .play").first.click()
    expect(page).to_have_url(re.compile(r"/episodes/desire-lines-02\?t=.*#line-\d+"))
    expect(page.locator(".line.here")).to_be_in_viewport()
    for _ in range(3):
        page.go_back()
    expect(page).to_have_url(re.compile(r"\?q=freezing\+rents&tier=insight"))
    assert page.locator("#q").input_value() == "freezing rents"
    expect(page.locator(".tabs a", has_text="Insights")).to_have_attribute("aria-current", "true")


def test_searching_without_scripts(open_page: Callable[..., Page], server: str) -> None:
    page = open_page(server, java_script_enabled=False)
    page.locator("#q").fill("kelp carbon")
    page.locator("form[role=search] button").click()
    assert page.locator(".card").count() > 0
    page.locator(".facets a", has_text="Tidewrack").first.click()
    assert page.locator(".chosen .chip").count() == 1
    page.locator(".card .play").first.click()
    assert page.locator(".line.here").count() == 1
