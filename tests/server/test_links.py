"""Every page that can be reached by links answers."""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask.testing import FlaskClient

_LINK = re.compile(r'href="(/[^"#]*)')


def paths_of(html: str) -> Iterator[str]:
    """Yield the pages that a page links to, but for searches and graphs: they have no end."""
    for found in _LINK.findall(html):
        path = unescape(found)
        if not path.startswith(("/?", "/similar", "/export", "/static", "/graph?")):
            yield path.split("?t=")[0]


@pytest.mark.slow
def test_every_page_answers(client: FlaskClient) -> None:
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
