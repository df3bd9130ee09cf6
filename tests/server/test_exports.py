"""Exports hold every card, cite it, and are safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

from podcast_scraper.server.exports import COLUMNS, to_csv, to_markdown

if TYPE_CHECKING:
    from flask.testing import FlaskClient


def test_every_format_has_every_card(client: FlaskClient) -> None:
    found = client.get("/api/search", query_string={"q": "rent freeze"}).get_json()
    count = found["total"] + len(found["connected"])
    asked = {"q": "rent freeze"}
    lines = client.get("/api/search", query_string={**asked, "format": "ndjson"})
    assert lines.mimetype == "application/x-ndjson"
    records = [json.loads(line) for line in lines.text.splitlines()]
    assert len(records) == count
    assert [r["id"] for r in records[:20]] == [hit["id"] for hit in found["hits"]]
    table = client.get("/export", query_string={**asked, "format": "csv"})
    assert "attachment" in table.headers["Content-Disposition"]
    rows = list(csv.DictReader(io.StringIO(table.text)))
    assert len(rows) == count
    assert tuple(rows[0]) == COLUMNS
    assert rows[0]["link"].startswith("http://localhost/episodes/")
    cited = client.get("/export", query_string={**asked, "format": "md"}).text
    assert cited.count("\n- ") == count


def test_relations_are_exported_too(client: FlaskClient) -> None:
    asked = {"id": "person:amara-nwosu", "other": "topic:rent-control", "k": 100}
    path = "/api/relational/position-arc"
    rows = client.get(path, query_string=asked).get_json()["rows"]
    table = client.get(path, query_string={**asked, "format": "csv"}).text
    read = list(csv.DictReader(io.StringIO(table)))
    assert [row["id"] for row in read] == [row["id"] for row in rows]
    assert read[0]["quote"] == rows[0]["quotes"][0]["text"]
    seconds = rows[0]["quotes"][0]["start_ms"] / 1000
    assert read[0]["link"] == f"http://localhost/episodes/desire-lines-02?t={seconds:g}"
    lines = client.get(path, query_string={**asked, "format": "ndjson"}).text.splitlines()
    assert [json.loads(line) for line in lines] == rows
    assert "Amara Nwosu" in client.get(path, query_string={**asked, "format": "md"}).text


def test_an_unknown_format_is_refused(client: FlaskClient) -> None:
    assert client.get("/api/search?q=x&format=xls").status_code == 400


def test_a_cell_is_never_a_formula() -> None:
    row = dict.fromkeys(COLUMNS, "")
    table = to_csv([{**row, "text": '=HYPERLINK("http://x")', "quote": "+1", "speakers": "@a"}])
    read = next(csv.DictReader(io.StringIO(table)))
    assert read["text"] == '\'=HYPERLINK("http://x")'
    assert (read["quote"], read["speakers"]) == ("'+1", "'@a")


def test_markdown_keeps_marks_as_text() -> None:
    row = {**dict.fromkeys(COLUMNS), "text": "a *b* [c](http://d) <e>\n# f", "link": "http://l"}
    made = to_markdown([row], "t")
    assert r"- a \*b\* \[c\](http://d) \<e\> \# f" in made
