"""Saved searches with their feeds, recent searches, time offsets, review: pages and API."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING, Any

import pytest

from podcast_scraper.corpus import open_corpus
from podcast_scraper.index.build import build_index
from podcast_scraper.server.app import create_app

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from flask.testing import FlaskClient
    from werkzeug.test import TestResponse

    from podcast_scraper.corpus import Corpus


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    from tests.corpora import write_episode

    path: Path = tmp_path_factory.mktemp("kept") / "corpus"
    write_episode(path, "one", insights={"insight:a": "Steam gives the loom \x0b<b>strength</b>."})
    write_episode(
        path,
        "two",
        insights={"insight:b": "Nobody needs a faster loom."},
        speaker="Ada Biron",
        date="2025-02-03",
    )
    build_index(path)
    with open_corpus(path) as opened:
        yield opened


@pytest.fixture(scope="module")
def client(corpus: Corpus) -> FlaskClient:
    return create_app(corpus).test_client()


def send(client: FlaskClient, page: str, path: str, **form: Any) -> TestResponse:
    found = re.search(r'name="csrf_token" value="([^"]+)"', client.get(page).text)
    assert found is not None, page
    return client.post(path, data={**form, "csrf_token": found[1]})


def test_a_search_is_saved_fed_and_removed(client: FlaskClient, corpus: Corpus) -> None:
    made = send(client, "/saved?q=loom&since=2024-01-01", "/saved", name="Looms", query="q=loom")
    assert made.status_code == 303
    (kept,) = client.get("/api/saved").get_json()["saved"]
    assert (kept["name"], kept["query"]) == ("Looms", "q=loom")
    assert "Looms" in client.get("/saved").text
    rss = client.get(f"/api/saved/{kept['uid']}/feed.rss")
    assert rss.mimetype == "application/rss+xml"
    items = ET.fromstring(rss.data).findall("./channel/item")
    found = corpus.search("loom", sort="date")
    assert [item.findtext("guid") for item in items] == [hit.id for hit in found.hits]
    assert items[0].findtext("pubDate") == "Mon, 03 Feb 2025 12:00:00 +0000"
    assert (items[0].findtext("link") or "").startswith("http://localhost/episodes/two")
    feed = client.get(f"/api/saved/{kept['uid']}/feed.json").get_json()
    assert feed["version"] == "https://jsonfeed.org/version/1.1"
    assert [item["id"] for item in feed["items"]] == [hit.id for hit in found.hits]
    gone = send(client, "/saved", f"/saved/{kept['uid']}/remove")
    assert gone.status_code == 303
    assert client.get("/api/saved").get_json()["saved"] == []
    assert client.get(f"/api/saved/{kept['uid']}/feed.rss").status_code == 404


def test_the_api_saves_and_refuses(client: FlaskClient) -> None:
    kept = client.post("/api/saved", json={"name": "a", "query": "q=loom&tier=insight"}).get_json()
    assert client.delete(f"/api/saved/{kept['uid']}").get_json() == {"ok": True}
    assert client.delete(f"/api/saved/{kept['uid']}").status_code == 404
    for body in (
        {"name": "", "query": "q=x"},
        {"name": "x"},
        {"name": "x", "query": "q=x", "more": 1},
        {"name": "x", "query": "zz=1"},
        {"name": "x", "query": "q=x&k=0"},
        ["x"],
    ):
        assert client.post("/api/saved", json=body).status_code == 400, body


def test_recent_searches_are_those_that_were_sent(client: FlaskClient, corpus: Corpus) -> None:
    corpus.searches.forget_recent()
    for path, headers in (
        ("/?q=loom", {}),
        ("/?q=lo", {"X-Fragment": "results"}),
        ("/?q=steam&tier=insight&offset=0", {}),
        ("/?q=loom", {}),
    ):
        client.get(path, headers=headers).close()
    assert [kept.query for kept in corpus.searches.recent()] == ["q=loom", "q=steam&tier=insight"]
    assert "Recent searches" in client.get("/").text
    send(client, "/saved", "/recent/forget")
    assert corpus.searches.recent() == []


def test_what_people_kept_is_exported_and_imported(tmp_path: Path, store_url: str | None) -> None:
    from podcast_scraper.storage.kept import KeptSearches, TimeOffsets
    from podcast_scraper.storage.state import StateStore
    from podcast_scraper.storage.store import store_at

    here = StateStore(tmp_path / "a.sqlite", store_at(store_url))
    there = StateStore(tmp_path / "b.sqlite")
    KeptSearches(here).save("Looms", "q=loom")
    TimeOffsets(here).set("one", 2.5)
    there.import_(here.export())
    assert [kept.name for kept in KeptSearches(there).saved()] == ["Looms"]
    assert TimeOffsets(there).of("one") == 2.5
    assert there.import_(here.export()) == dict.fromkeys(there.export()["tables"], 0)
    here.close()
    there.close()


def test_an_offset_is_kept_per_episode(client: FlaskClient, corpus: Corpus) -> None:
    assert send(client, "/saved?q=x", "/episodes/one/offset", seconds="7.5").status_code == 303
    assert (corpus.offsets.of("one"), corpus.offsets.of("two")) == (7.5, 0.0)
    for wrong in ("x", "nan", "1e9"):
        assert send(client, "/saved?q=x", "/episodes/one/offset", seconds=wrong).status_code == 400
    send(client, "/saved?q=x", "/episodes/one/offset", seconds="0")
    assert corpus.offsets.of("one") == 0.0


def test_a_merge_shows_at_once_and_is_undone(client: FlaskClient, corpus: Corpus) -> None:
    queue = client.get("/review").text
    assert "Ada Biron" in queue
    assert "Ada Byron" in queue
    left, right = "person:ada-biron", "person:ada-byron"
    send(client, "/review", "/review", action="merge", subject=left, into=right)
    moved = client.get(f"/people/{left}")
    assert moved.status_code == 302
    page = client.get(moved.headers["Location"]).text
    assert "Nobody needs a faster loom." in page
    assert "Steam gives the loom" in page
    decision = next(d for d in corpus.identities.history() if d.undone_at is None)
    send(client, "/review", "/review", action="undo", uid=decision.uid)
    assert client.get(f"/people/{left}").status_code == 200
    assert "undone" in client.get("/review").text


def test_two_that_are_two_are_not_asked_again(client: FlaskClient, corpus: Corpus) -> None:
    left, right = "person:ada-biron", "person:ada-byron"
    assert "They are one" in client.get("/review").text
    send(client, "/review", "/review", action="not-same", subject=left, into=right)
    assert "They are one" not in client.get("/review").text
    held = next(d for d in corpus.identities.history() if d.undone_at is None)
    send(client, "/saved?q=x", "/review", action="undo", uid=held.uid)
    answer = send(client, "/saved?q=x", "/review", action="burn")
    assert answer.status_code == 400
