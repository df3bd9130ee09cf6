"""JSON answers against the standard library's reading of them."""

from __future__ import annotations

import datetime
import json
import math
from dataclasses import dataclass

from flask import Flask, jsonify

from podcast_scraper.server.json_answers import FastJSONProvider


@dataclass(frozen=True, slots=True)
class Row:
    b: str
    a: tuple[int, ...]


def provider() -> FastJSONProvider:
    return FastJSONProvider(Flask("test"))


def test_records_keep_the_order_of_their_fields() -> None:
    assert provider().dumps({"row": Row("é", (1, 2)), "none": None}) == (
        '{"row":{"b":"é","a":[1,2]},"none":null}'
    )


def test_what_the_fast_writer_refuses_is_written_all_the_same() -> None:
    for value in ("half a pair: \ud800", 1 << 70, {"row": [1 << 70, Row("\udfff", ())]}):
        written = json.loads(provider().dumps(value))
        if isinstance(value, dict):
            assert written == {"row": [1 << 70, {"b": "\udfff", "a": []}]}
        else:
            assert written == value


def test_days_read_as_flask_writes_them() -> None:
    day = datetime.date(2024, 5, 1)
    assert provider().dumps(day) == '"Wed, 01 May 2024 00:00:00 GMT"'


def test_numbers_that_json_has_not_become_null() -> None:
    assert provider().dumps([math.nan, math.inf]) == "[null,null]"


def test_an_answer_is_json() -> None:
    app = Flask("test")
    app.json = FastJSONProvider(app)
    with app.test_request_context("/"):
        answer = jsonify({"row": Row("x", ())})
    assert answer.mimetype == "application/json"
    assert answer.get_json() == {"row": {"b": "x", "a": []}}
