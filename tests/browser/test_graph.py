"""The graph explorer: drawn where scripts run, the same as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.corpora import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser]


@pytest.mark.skipif(
    not (ROOT / "web/static/vendor").is_dir(), reason="no front-end packages: python3 tasks.py web"
)
def test_it_is_drawn(open_page: Callable[..., Page], server: str) -> None:
    page = open_page(f"{server}/graph?id=person:ilse-vandermeer")
    expect(page.locator("#graph canvas").first).to_be_visible()


def test_types_and_steps_are_chosen(open_page: Callable[..., Page], server: str) -> None:
    page = open_page(f"{server}/graph?id=person:ilse-vandermeer")
    page.get_by_label("Insight").uncheck()
    page.get_by_label("Steps").select_option("2")
    page.get_by_role("button", name="Show").click()
    table = page.locator("table.wide")
    expect(table).to_contain_text("Desire Lines")
    assert "said" not in table.locator("td:nth-child(2)").all_inner_texts()
