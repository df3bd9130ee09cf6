"""Who may read and who may write: hosts, tokens, forms, other sites, rates, sizes."""

from __future__ import annotations

import base64
import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest

from podcast_scraper.errors import UsageError
from podcast_scraper.server.app import create_app
from podcast_scraper.server.serve import check_binding

if TYPE_CHECKING:
    from flask.testing import FlaskClient

    from podcast_scraper.corpus import Corpus

TOKEN = "a-token-of-some-length"


@pytest.fixture(scope="module")
def guarded(sample: Corpus) -> FlaskClient:
    return create_app(sample, token=TOKEN, hosts=("search.example",)).test_client()


class _Inline(HTMLParser):
    """Collects what the policy would refuse: inline styles, scripts and handlers."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = {name for name, _ in attrs}
        if tag == "style" or (tag == "script" and "src" not in names):
            self.found.append(tag)
        self.found += [name for name in names if name == "style" or name.startswith("on")]


def basic(password: str) -> dict[str, str]:
    return {"Authorization": f"Basic {base64.b64encode(f'any:{password}'.encode()).decode()}"}


def test_every_path_asks_for_the_token(guarded: FlaskClient) -> None:
    for path in ("/", "/api/health", "/media/tidewrack-06", "/static/style.css", "/nowhere"):
        answer = guarded.get(path)
        assert answer.status_code == 401, path
        assert answer.headers["WWW-Authenticate"].startswith("Basic")
    assert guarded.get("/api/health").get_json()["ok"] is False


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Authorization": f"Bearer {TOKEN}"}, 200),
        (basic(TOKEN), 200),
        ({"Authorization": f"Bearer {TOKEN}x"}, 401),
        (basic(""), 401),
        ({"Authorization": "Bearer é"}, 401),
        ({"Authorization": "Basic %%%"}, 401),
        ({"Authorization": "Digest username=x"}, 401),
    ],
)
def test_tokens(guarded: FlaskClient, headers: dict[str, str], status: int) -> None:
    assert guarded.get("/api/health", headers=headers).status_code == status


def test_a_further_host_is_served(guarded: FlaskClient) -> None:
    headers = {"Authorization": f"Bearer {TOKEN}", "Host": "search.example:8910"}
    assert guarded.get("/api/health", headers=headers).status_code == 200


def test_other_machines_need_a_good_token() -> None:
    check_binding("127.0.0.1", None)
    check_binding("0.0.0.0", TOKEN)
    with pytest.raises(UsageError, match="reached from other machines"):
        check_binding("0.0.0.0", None)
    with pytest.raises(UsageError, match="guessed"):
        check_binding("0.0.0.0", "short")


def form_token(client: FlaskClient) -> str:
    found = re.search(r'name="csrf_token" value="([^"]+)"', client.get("/saved?q=rent").text)
    assert found is not None
    return found[1]


def test_a_form_without_its_token_changes_nothing(client: FlaskClient, sample: Corpus) -> None:
    before = sample.searches.saved()
    body = {"name": "Rents", "query": "q=rent"}
    assert client.post("/saved", data=body).status_code == 403
    assert client.post("/saved", data={**body, "csrf_token": "forged"}).status_code == 403
    assert sample.searches.saved() == before


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_another_site_may_not_write(
    client: FlaskClient, sample: Corpus, headers: dict[str, str]
) -> None:
    before = sample.searches.saved()
    token = form_token(client)
    form = client.post(
        "/saved", data={"name": "x", "query": "q=x", "csrf_token": token}, headers=headers
    )
    json = client.post("/api/saved", json={"name": "x", "query": "q=x"}, headers=headers)
    assert (form.status_code, json.status_code) == (403, 403)
    assert sample.searches.saved() == before


def test_the_api_takes_no_forms(client: FlaskClient) -> None:
    answer = client.post("/api/saved", data={"name": "x", "query": "q=x"})
    assert answer.status_code == 415
    assert answer.get_json()["ok"] is False


def test_large_bodies_are_refused(client: FlaskClient) -> None:
    answer = client.post("/api/saved", json={"name": "x" * (1 << 21), "query": "q=x"})
    assert answer.status_code == 413


def test_an_address_that_asks_too_often_is_told(sample: Corpus) -> None:
    client = create_app(sample, limit="3 per hour").test_client()
    answers = [client.get("/api/suggest?q=re") for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert answers[-1].get_json()["error"]["code"] == "TooManyRequests"
    with client.get("/static/style.css") as static:
        assert static.status_code == 200


def test_no_page_lets_anything_in_from_elsewhere(client: FlaskClient) -> None:
    for path in ("/", "/?q=rent", "/saved", "/review", "/graph", "/health", "/nowhere"):
        answer = client.get(path)
        policy = answer.headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'self';")
        assert "unsafe" not in policy
        outside = re.findall(r'(?:src|href|action)="(?:https?:)?//[^"]*"', answer.text)
        assert outside == []
        inline = _Inline()
        inline.feed(answer.text)
        assert inline.found == []
