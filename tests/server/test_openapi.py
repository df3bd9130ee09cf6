"""The OpenAPI document: valid, equal to the routes, and true of real answers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate

if TYPE_CHECKING:
    from flask import Flask
    from flask.testing import FlaskClient


@pytest.fixture(scope="module")
def document(client: FlaskClient) -> dict[str, Any]:
    found: dict[str, Any] = client.get("/api/openapi.json").get_json()
    return found


def test_the_document_is_valid(document: dict[str, Any]) -> None:
    assert document["openapi"] == "3.1.0"
    validate(document)


def test_every_route_is_documented_and_every_documented_route_is_there(
    app: Flask, document: dict[str, Any]
) -> None:
    routes = {
        (re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule), method.lower())
        for rule in app.url_map.iter_rules()
        if rule.rule.startswith("/api/")
        for method in rule.methods or ()
        if method not in ("HEAD", "OPTIONS")
    }
    documented = {(path, method) for path, item in document["paths"].items() for method in item}
    assert routes == documented
    assert {"/api/search", "/api/suggest", "/api/similar", "/api/relational/{query}"} <= {
        path for path, _ in routes
    }


def test_every_view_says_what_it_takes(app: Flask) -> None:
    bare = [
        rule.rule
        for rule in app.url_map.iter_rules()
        if rule.rule.startswith("/api/")
        and not hasattr(app.view_functions[rule.endpoint], "operation")
    ]
    assert bare == []


def test_undeclared_parameters_are_refused_everywhere(
    client: FlaskClient, document: dict[str, Any]
) -> None:
    for path, item in document["paths"].items():
        url = re.sub(r"\{\w+\}", "x", path)
        if "get" in item:
            answer = client.get(url, query_string={"nonsense": 1})
            assert answer.status_code == 400, url
            assert "nonsense" in answer.get_json()["error"]["message"]


@pytest.mark.parametrize(
    ("path", "url"),
    [
        ("/api/search", "/api/search?q=why did rents change&k=3"),
        ("/api/suggest", "/api/suggest?q=ils"),
        ("/api/similar", "/api/similar?id=insight:c5b2d13239eaa8e2"),
        ("/api/episodes", "/api/episodes"),
        ("/api/episodes/{episode_id}", "/api/episodes/desire-lines-03"),
        ("/api/people", "/api/people?q=ilse"),
        ("/api/people/{entity_id}", "/api/people/person:ilse-vandermeer"),
        ("/api/topics", "/api/topics"),
        ("/api/organisations", "/api/organisations"),
        ("/api/shows", "/api/shows"),
        ("/api/shows/{show_id}", "/api/shows/podcast:tidewrack"),
        ("/api/relational/{query}", "/api/relational/positions?id=person:ilse-vandermeer"),
        ("/api/resolve", "/api/resolve?text=Ilse Vandermeer"),
        ("/api/entities/review", "/api/entities/review"),
        ("/api/entities/history", "/api/entities/history"),
        ("/api/health", "/api/health"),
    ],
)
def test_answers_are_as_documented(
    client: FlaskClient, document: dict[str, Any], path: str, url: str
) -> None:
    answer = client.get(url)
    assert answer.status_code == 200, answer.text
    described = document["paths"][path]["get"]["responses"]["200"]["content"]
    schema = described["application/json"]["schema"]
    Draft202012Validator(schema).validate(answer.get_json())


def test_errors_are_as_documented(client: FlaskClient, document: dict[str, Any]) -> None:
    schema = document["components"]["schemas"]["Error"]
    for url in ("/api/search", "/api/none", "/api/episodes/none", "/api/similar?id=none"):
        Draft202012Validator(schema).validate(client.get(url).get_json())
