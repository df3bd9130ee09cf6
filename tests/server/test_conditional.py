"""Conditional GET: what a client holds is not sent again, and never when it changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from flask.testing import FlaskClient


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/people",
        "/api/search?q=rent",
        "/api/suggest?q=re",
        "/api/episodes",
        "/api/episodes/desire-lines-03",
        "/api/people",
        "/api/relational/positions?id=person:ilse-vandermeer",
        "/health",
    ],
)
def test_what_is_held_is_not_sent_again(client: FlaskClient, path: str) -> None:
    tag = client.get(path).headers["ETag"]
    again = client.get(path, headers={"If-None-Match": tag})
    assert (again.status_code, again.data) == (304, b"")
    assert client.get(path, headers={"If-None-Match": '"other"'}).status_code == 200


def test_another_question_has_another_tag(client: FlaskClient) -> None:
    tags = {
        client.get(f"/api/search?q={words}").headers["ETag"] for words in ("rent", "rents", "kelp")
    }
    assert len(tags) == 3
    tag = client.get("/api/search?q=rent").headers["ETag"]
    assert client.get("/api/search?q=kelp", headers={"If-None-Match": tag}).status_code == 200


def test_errors_have_no_tag(client: FlaskClient) -> None:
    assert "ETag" not in client.get("/api/search").headers
