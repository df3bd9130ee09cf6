"""A server of the database that dies and comes back, under an application that goes on running."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from podcast_scraper.corpus import open_corpus
from podcast_scraper.index.build import build_index
from podcast_scraper.server.app import create_app
from podcast_scraper.settings import STORE_VARIABLE
from tests.index.encoders import word_encoder
from tests.postgres import own_server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.postgres import PostgresServer

__all__ = ["word_encoder"]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[PostgresServer]:
    """A database server of this test alone."""
    made = own_server()
    monkeypatch.setenv(STORE_VARIABLE, made.url)
    yield made
    made.remove()


@pytest.mark.engines("PostgreSQL")
@pytest.mark.usefixtures("word_encoder")
def test_it_says_so_and_takes_up_again(tiny: Path, server: PostgresServer) -> None:
    build_index(tiny)
    with open_corpus(tiny) as corpus:
        client = create_app(corpus).test_client()
        before = client.get("/api/search?q=loom").get_json()["hits"]
        kept = corpus.searches.save("Looms", "q=loom")
        server.kill()
        for path in ("/api/health", "/api/search?q=loom&since=2024-01-01", "/api/saved"):
            answer = client.get(path)
            assert answer.status_code == 503, path
            assert answer.get_json()["error"]["code"] == "StoreUnavailable"
        server.start()
        assert client.get("/api/health").get_json()["reasons"] == []
        assert client.get("/api/search?q=loom").get_json()["hits"] == before
        assert corpus.searches.saved() == [kept]
