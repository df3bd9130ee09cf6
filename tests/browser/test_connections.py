"""From one remark to others: what the graph connects, who may be one, what was kept."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser]


def test_what_is_connected_stands_below_with_its_path(
    open_page: Callable[..., Page], server: str
) -> None:
    page = open_page(f"{server}/?q=kelp+carbon&graph=force")
    below = page.locator(".connected")
    expect(below.get_by_role("heading", name="Also connected")).to_be_visible()
    assert below.locator(".card").count() == 5
    order = page.locator(".card").evaluate_all("all => all.map(e => e.matches('.connected *'))")
    assert order == sorted(order), "results first, connections after them"
    below.locator(".card").first.get_by_text("Why here").click()
    expect(below.locator(".card").first.locator(".path li").first).to_be_visible()
    more = below.locator(".more-connected")
    line = more.locator("li").first
    expect(line).to_be_hidden()
    more.locator("summary").click()
    expect(more).to_contain_text("by way of")
    line.locator("a").click()
    expect(page).to_have_url(re.compile("/episodes/"))


def test_a_merge_in_the_review_is_undone(open_page: Callable[..., Page], server: str) -> None:
    page = open_page(f"{server}/people/person:ilse-van-der-meer")
    page.get_by_role("link", name="Not the same person?").click()
    page.get_by_role("button", name=re.compile("^They are one")).click()
    expect(page.get_by_role("heading", name="Decided")).to_be_visible()
    page.goto(f"{server}/people/person:ilse-van-der-meer")
    expect(page).to_have_url(re.compile("person(:|%3A)ilse-vandermeer"))
    page.goto(f"{server}/review")
    page.get_by_role("button", name=re.compile("^Undo")).first.click()
    page.goto(f"{server}/people/person:ilse-van-der-meer")
    expect(page.get_by_role("heading", level=1)).to_have_text("Ilse van der Meer")


def test_tensions_show_both_quotes(open_page: Callable[..., Page], server: str) -> None:
    page = open_page(f"{server}/topics/topic:rent-control")
    pair = page.locator(".pair").first
    expect(pair).to_be_hidden()
    page.get_by_text(re.compile("^Show . pairs")).click()
    expect(pair).to_be_visible()
    assert pair.locator("blockquote").count() == 2
    speakers = pair.locator(".actions a:not(.play)").all_inner_texts()
    assert len(set(speakers)) == 2, "two people"


def test_an_arc_and_its_twin(open_page: Callable[..., Page], server: str) -> None:
    page = open_page(f"{server}/people/person:amara-nwosu/arc/topic:rent-control")
    marks = page.locator("svg a[href^='#p-']").count()
    assert marks == page.locator(".statement-row").count() > 1


def test_a_search_is_kept_and_its_feeds_answer(open_page: Callable[..., Page], server: str) -> None:
    page = open_page(f"{server}/?q=rent+freeze&tier=insight")
    page.get_by_role("link", name="Save this search").click()
    page.get_by_label("Save this search as").fill("Rents")
    page.get_by_role("button", name="Save").click()
    row = page.locator(".kept li", has_text="Rents").first
    for form in ("RSS", "JSON"):
        url = row.get_by_role("link", name=re.compile(form)).get_attribute("href")
        answer = page.request.get(f"{server}{url}")
        assert answer.ok
        assert "freez" in answer.text().lower()
    row.get_by_role("button", name=re.compile("^Remove")).click()
    expect(page.locator(".kept li", has_text="Rents")).to_have_count(0)
