"""The relational and identity API through the real application."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from podcast_scraper.corpus import open_corpus
from podcast_scraper.index.build import build_index
from podcast_scraper.search.relational_queries import QUERIES
from podcast_scraper.server.app import create_app

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from flask.testing import FlaskClient

ADA, CARL = "person:ada-byron", "person:carl-webb"


@pytest.fixture
def client(tiny: Path) -> Iterator[FlaskClient]:
    build_index(tiny)
    with open_corpus(tiny) as corpus:
        yield create_app(corpus).test_client()


def get(client: FlaskClient, url: str, **query: Any) -> Any:
    response = client.get(url, query_string=query)
    assert response.status_code == 200, response.text
    return response.get_json()


@pytest.mark.parametrize("name", list(QUERIES))
def test_every_query_has_a_route(client: FlaskClient, name: str) -> None:
    other = {"other": ADA} if QUERIES[name].other else {}
    found = get(client, f"/api/relational/{name}", id="person:nobody", **other)
    assert found["rows"] == []
    assert found["query"] == name


def test_positions(client: FlaskClient) -> None:
    found = get(client, "/api/relational/positions", id=ADA, k=1)
    assert found["total"] == 2
    assert len(found["rows"]) == 1
    assert found["rows"][0]["quotes"][0]["speaker"]["id"] == ADA
    near = get(client, "/api/relational/positions", id="person:ada-byrne")
    assert near["suggestions"] == [{"id": ADA, "label": "Ada Byron"}]


@pytest.mark.parametrize(
    ("url", "status"),
    [
        ("/api/relational/positions", 400),
        ("/api/relational/positions?id=x&k=-1", 400),
        ("/api/relational/positions?id=x&k=two", 400),
        ("/api/relational/positions?id=x&colour=red", 400),
        ("/api/relational/positions?id=x&other=y", 400),
        ("/api/relational/dragons?id=x", 400),
        ("/api/resolve", 400),
        ("/api/entities/review?k=-1", 400),
        ("/api/entities/dragons", 404),
    ],
)
def test_mistakes(client: FlaskClient, url: str, status: int) -> None:
    response = client.get(url)
    assert response.status_code == status
    body = response.get_json()
    assert body["ok"] is False
    assert set(body["error"]) == {"code", "message", "details"}


def test_resolve(client: FlaskClient) -> None:
    assert get(client, "/api/resolve", text="Carl Webb")["id"] == CARL


def test_decide_and_undo(client: FlaskClient) -> None:
    body = {"subject": CARL, "into": ADA, "author": "me", "reason": "a test"}
    made = client.post("/api/entities/merge", json=body).get_json()
    assert made["kind"] == "merge"
    assert get(client, "/api/relational/positions", id=ADA)["total"] == 3
    again = client.post("/api/entities/merge", json=body)
    assert again.status_code == 400
    split = {"subject": ADA, "episodes": ["two"], "author": "me"}
    apart = client.post("/api/entities/split", json=split).get_json()
    assert get(client, "/api/relational/positions", id=apart["object"])["total"] == 1
    assert client.post("/api/entities/undo", json={"uid": apart["uid"], "author": "me"}).json
    undone = client.post("/api/entities/undo", json={"uid": made["uid"], "author": "me"})
    assert undone.status_code == 200
    history = get(client, "/api/entities/history", id=CARL)["decisions"]
    assert [d["undone_by"] for d in history] == ["me"]


@pytest.mark.parametrize(
    "body",
    [
        [],
        {},
        {"subject": CARL, "into": ADA},
        {"subject": CARL, "into": 3, "author": "me"},
        {"subject": CARL, "into": ADA, "author": "me", "reason": 3},
        {"subject": CARL, "into": ADA, "author": "me", "colour": "red"},
        {"subject": CARL, "into": ADA, "author": "me", "episodes": ["e1"]},
    ],
)
def test_bad_bodies_decide_nothing(client: FlaskClient, body: Any) -> None:
    assert client.post("/api/entities/merge", json=body).status_code == 400
    assert get(client, "/api/entities/history")["decisions"] == []


def test_a_form_of_another_site_decides_nothing(client: FlaskClient) -> None:
    response = client.post("/api/entities/undo", data={"uid": "x", "author": "me"})
    assert response.status_code == 415
