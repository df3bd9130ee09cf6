"""Every page that can be reached by links answers."""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING

import pytest

from podcast_scraper.server.app import create_app

if TYPE_CHECKING:
    from collections.abc import Iterator

    from podcast_scraper.corpus import Corpus

_LINK = re.compile(r'href="(/[^"#]*)')


def paths_of(html: str) -> Iterator[str]:
    """Yield the pages that a page links to, but for searches and graphs: they have no end."""
    for found in _LINK.findall(html):
        path = unescape(found)
        if not path.startswith(("/?", "/similar", "/export", "/static", "/graph?")):
            yield path.split("?t=")[0]


@pytest.mark.slow
def test_every_page_answers(sample: Corpus) -> None:
    client = create_app(sample, limit="1000000 per second").test_client()
    waiting, seen = (
        ["/", "/people", "/topics", "/organisations", "/shows", "/health", "/graph"],
        {"/"},
    )
    refused = {}
    while waiting:
        path = waiting.pop()
        answer = client.get(path, follow_redirects=True)
        if answer.status_code != 200:
            refused[path] = answer.status_code
        if answer.mimetype == "text/html":
            fresh = set(paths_of(answer.text)) - seen
            seen |= fresh
            waiting += fresh
    assert refused == {}
    assert len(seen) > 200
