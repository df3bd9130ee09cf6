"""Relational queries, names and decisions as a user meets them on the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from podcast_scraper.search.relational_queries import QUERIES
from tests.cli.test_commands import answer, call

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def indexed(tiny: Path) -> Path:
    assert call("index", tiny).exit_code == 0
    return tiny


def test_positions_have_the_documented_shape(indexed: Path) -> None:
    found = answer("relational", "positions", indexed, "person:ada-byron", "--json")
    assert set(found) >= {"query", "subject", "rows", "total", "suggestions"}
    assert found["subject"]["type"] == "person"
    assert found["total"] == len(found["rows"]) > 0
    row = found["rows"][0]
    assert set(row) >= {"id", "type", "text", "show", "episode", "speakers", "quotes", "path"}
    quote = row["quotes"][0]
    assert set(quote) == {"id", "text", "speaker", "start_ms", "end_ms", "media_url"}
    assert quote["speaker"]["id"] == "person:ada-byron"
    same = answer("relational", "positions_of", indexed, "person:ada-byron", "--json")
    assert same == found
    ranked = answer(
        "relational", "positions", indexed, "person:ada-byron", "--q", "algebra", "--json"
    )
    assert "algebra" in ranked["rows"][0]["text"]
    assert ranked["total"] == found["total"]


def test_every_query_answers_for_people_too(sample_path: Path) -> None:
    listed = call("relational", "--help").stdout
    assert all(name in listed for name in QUERIES)
    for name in ("profile", "positions", "co-speakers"):
        shown = call("relational", name, sample_path, "person:nobody-at-all")
        assert shown.exit_code == 0
        assert "unknown id" in shown.stdout


def test_wrong_usage_is_status_2(indexed: Path) -> None:
    assert call("relational", "no-such", indexed, "person:x").exit_code == 2
    assert call("relational", "positions", indexed, "person:x", "--k", "-1").exit_code == 2
    assert call("relational", "shared-topics", indexed, "person:x").exit_code == 2


def test_resolve(indexed: Path) -> None:
    found = answer("resolve", indexed, "Ada Byron", "--json")
    assert set(found) == {"id", "score", "method", "candidates", "mentions"}
    assert (found["id"], found["method"]) == ("person:ada-byron", "slug")
    longer = answer("resolve", indexed, "what does ada byron think", "--json")
    assert longer["id"] is None
    (mention,) = longer["mentions"]
    assert (mention["start"], mention["end"]) == (10, 19)
    assert "person:carl-webb" in call("resolve", indexed, "Carl Webb").stdout


def test_a_merge_acts_at_once_and_an_undo_takes_it_back(indexed: Path, tmp_path: Path) -> None:
    def positions() -> int:
        found = answer("relational", "positions", indexed, "person:ada-byron", "--json")
        return int(found["total"])

    before = positions()
    made = answer(
        "entities",
        "merge",
        indexed,
        "person:carl-webb",
        "person:ada-byron",
        "--by",
        "me",
        "--reason",
        "a test",
        "--json",
    )
    assert positions() == before + 1
    assert answer("resolve", indexed, "Carl Webb", "--json")["id"] == "person:ada-byron"
    hits = answer("search", indexed, "faster", "--person", "person:ada-byron", "--json")["hits"]
    assert "Nobody needs a faster loom." in {hit["text"] for hit in hits}
    assert call("index", indexed).exit_code == 0
    assert positions() == before + 1
    exported = tmp_path / "state.json"
    assert call("state", "export", indexed, "--output", exported).exit_code == 0
    assert answer("state", "import", indexed, exported, "--json")["ledger"] == 0
    (decision,) = answer("entities", "history", indexed, "--json")["decisions"]
    assert decision == made
    answer("entities", "undo", indexed, made["uid"], "--by", "me", "--json")
    assert positions() == before
    assert "undone by me" in call("entities", "history", indexed, "person:carl-webb").stdout
    assert call("index", indexed).exit_code == 0
    assert positions() == before


def test_decisions_need_ids_that_the_corpus_has(indexed: Path) -> None:
    assert call("entities", "merge", indexed, "person:x", "person:ada-byron").exit_code == 1
    split = ("entities", "split", indexed, "person:ada-byron")
    assert call(*split, "--episode", "nope").exit_code == 1
    assert call(*split).exit_code == 2
    assert answer("entities", "review", indexed, "--json") == {"rows": [], "total": 0}


def test_a_bad_export_is_wrong_usage(indexed: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    for content in ("{", "[]", json.dumps({"version": 99, "tables": {}})):
        bad.write_text(content)
        assert call("state", "import", indexed, bad).exit_code == 2
