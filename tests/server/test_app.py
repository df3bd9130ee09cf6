"""The HTTP API and pages over the sample corpus, through the real application."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from flask.testing import FlaskClient

    from podcast_scraper.corpus import Corpus
    from podcast_scraper.storage.catalog import EpisodeInfo


def get(client: FlaskClient, url: str, **query: Any) -> Any:
    answer = client.get(url, query_string=query)
    assert answer.status_code == 200, answer.text
    return answer.get_json()


def test_search_has_the_documented_shape(client: FlaskClient) -> None:
    found = get(client, "/api/search", q="bus lanes", k=5)
    assert set(found) >= {
        "query",
        "intent",
        "gate",
        "lanes",
        "hits",
        "connected",
        "ignored",
        "did_you_mean",
        "facets",
        "total",
        "timings_ms",
        "index",
    }
    assert set(found["gate"]) == {
        "mode",
        "fired",
        "reasons",
        "vetoed_by",
        "agreement",
        "confidence",
        "confidence_threshold",
        "auto",
    }
    assert set(found["index"]) == {"generation", "degraded", "index_lag"}
    hit = found["hits"][0]
    assert set(hit) >= {
        "id",
        "rank",
        "tier",
        "score",
        "also_in",
        "rescued",
        "text",
        "highlights",
        "show",
        "episode",
        "speakers",
        "start",
        "end",
        "media_url",
        "explain",
    }
    assert hit["score"] == 1.0
    assert set(hit["show"]) == {"id", "title"}
    assert set(hit["episode"]) == {"id", "title", "date", "duration"}
    for start, end in hit["highlights"]:
        assert hit["text"][start:end].lower().startswith(("bus", "lane"))


def test_pages_of_hits_join_without_a_seam(client: FlaskClient) -> None:
    whole = get(client, "/api/search", q="food prices", k=20)["hits"]
    halves = [
        hit
        for offset in (0, 10)
        for hit in get(client, "/api/search", q="food prices", k=10, offset=offset)["hits"]
    ]
    assert [h["id"] for h in halves] == [h["id"] for h in whole]
    assert [h["rank"] for h in halves] == list(range(1, len(whole) + 1))


def test_the_same_query_gives_the_same_bytes(client: FlaskClient) -> None:
    first, second = (get(client, "/api/search", q="why do cities change") for _ in range(2))
    for answer in (first, second):
        del answer["timings_ms"]
    assert first == second


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"q": "x", "zz": 1}, 400),
        ({"q": "x", "k": 0}, 400),
        ({"q": "x", "k": "many"}, 400),
        ({"q": "x", "k": 10**9}, 400),
        ({"q": "x", "tier": "all-of-it"}, 400),
        ({"q": "x", "since": "yesterday"}, 400),
        ({"q": "x", "since": "2025-01-02", "until": "2025-01-01"}, 400),
        ({"q": ""}, 400),
        ({"q": "a" * 10_001}, 400),
    ],
)
def test_wrong_requests_are_told_in_one_shape(
    client: FlaskClient, query: dict[str, Any], status: int
) -> None:
    answer = client.get("/api/search", query_string=query)
    body = answer.get_json()
    assert answer.status_code == status
    assert body["ok"] is False
    assert set(body["error"]) == {"code", "message", "details"}
    assert body["error"]["details"]["mend"]


@pytest.mark.parametrize("url", ["/api/nothing", "/api/episodes/nobody"])
def test_what_is_not_there_is_404_in_the_same_shape(client: FlaskClient, url: str) -> None:
    answer = client.get(url)
    assert answer.status_code == 404
    assert answer.get_json()["ok"] is False


def test_a_wrong_method_is_told(client: FlaskClient) -> None:
    answer = client.post("/api/search")
    assert answer.status_code == 405
    assert answer.get_json()["error"]["code"] == "MethodNotAllowed"
    assert "GET" in answer.headers["Allow"]


@pytest.mark.parametrize(
    "query", ["it's", '"unbalanced', "http://x.y/?z=1", "🎙️", "+(x", "a AND", "*", "-foo", "\u202e"]
)
def test_whatever_is_typed_is_answered(client: FlaskClient, query: str) -> None:
    answer = client.get("/api/search", query_string={"q": query})
    assert answer.status_code in (200, 400)
    assert client.get("/", query_string={"q": query}).status_code == 200


def test_filters_without_words_list_by_date(client: FlaskClient) -> None:
    show = get(client, "/api/search", q="bus", k=1)["hits"][0]["show"]["id"]
    hits = get(client, "/api/search", show=show, k=20)["hits"]
    dates = [hit["episode"]["date"] for hit in hits]
    assert dates == sorted(dates, reverse=True)
    assert {hit["show"]["id"] for hit in hits} == {show}


def test_an_episode_has_its_transcript_and_insights(client: FlaskClient, sample: Corpus) -> None:
    info: EpisodeInfo = next(iter(sample.catalog.episodes().values()))
    episode = get(client, f"/api/episodes/{info.id}")
    assert episode["title"] == info.title
    assert episode["segments"]
    assert episode["insights"]
    page = client.get(f"/episodes/{info.id}")
    assert page.status_code == 200
    assert episode["segments"][0]["text"][:20].split()[0] in page.text


def test_health(client: FlaskClient) -> None:
    health = get(client, "/api/health")
    assert health["ok"] is True
    assert health["documents"]["insight"] > 0


def test_headers_protect_the_page(client: FlaskClient) -> None:
    headers = client.get("/").headers
    assert "unsafe-inline" not in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil"])
def test_another_host_is_refused(client: FlaskClient, host: str) -> None:
    assert client.get("/api/health", headers={"Host": host}).status_code == 421


@pytest.mark.parametrize("host", ["127.0.0.1:8910", "localhost", "[::1]:80"])
def test_loopback_is_served(client: FlaskClient, host: str) -> None:
    assert client.get("/api/health", headers={"Host": host}).status_code == 200


def test_hostile_queries_are_escaped(client: FlaskClient) -> None:
    page = client.get("/", query_string={"q": '"><img src=x onerror=alert(1)> bus'}).text
    assert "<img" not in page


def test_what_has_few_insights_shows_where_it_is_spoken_of(client: FlaskClient) -> None:
    quiet = client.get("/organisations/org:halden-institute").text
    assert "Where “Halden Institute” is spoken of" in quiet
    assert quiet.count('class="card"') == 3
    assert "is spoken of" not in client.get("/topics/topic:rent-control").text
