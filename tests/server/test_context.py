"""``POST /api/context``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from podcast_scraper.server.app import create_app

if TYPE_CHECKING:
    from flask.testing import FlaskClient

    from podcast_scraper.corpus import Corpus

WHY = "why did the bus change the town"


@pytest.fixture(scope="module")
def client(sample: Corpus) -> FlaskClient:
    return create_app(sample).test_client()


def test_a_context(client: FlaskClient) -> None:
    body = {"q": WHY, "selector": "packed", "budget": 300, "show": "podcast:desire-lines"}
    found = client.post("/api/context", json=body)
    assert found.status_code == 200, found.text
    made = found.get_json()
    assert made.keys() >= {"selector", "budget", "tokens", "passages", "gate"}
    assert 0 < made["tokens"] <= 300
    assert {passage["show"]["id"] for passage in made["passages"]} == {"podcast:desire-lines"}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ([], "a q"),
        ({}, "a q"),
        ({"q": WHY, "budgt": 3}, "budgt"),
        ({"q": WHY, "budget": "3"}, "whole number"),
        ({"q": WHY, "budget": True}, "whole number"),
        ({"q": WHY, "budget": -1}, "at least 0"),
        ({"q": WHY, "selector": "best"}, "packed, coe, none"),
        ({"q": WHY, "selector": "none", "budget": 5}, "spends no budget"),
        ({"q": WHY, "show": [1]}, "list of strings"),
        ({"q": WHY, "graph": "on"}, "off, auto, force"),
        ({"q": ""}, "asks for nothing"),
    ],
)
def test_wrong_bodies_are_400(client: FlaskClient, body: Any, message: str) -> None:
    found = client.post("/api/context", json=body)
    assert found.status_code == 400
    assert message in found.text


def test_a_body_that_is_no_json(client: FlaskClient) -> None:
    assert client.post("/api/context", data="q=bus").status_code == 415
