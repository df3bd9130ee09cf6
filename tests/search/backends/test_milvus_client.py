"""URLs of servers, and servers that do not answer."""

from __future__ import annotations

import time

import pytest

from podcast_scraper.errors import ConfigurationError, EngineUnavailableError
from podcast_scraper.search.backends import milvus_client
from podcast_scraper.search.backends.milvus_client import MilvusServer, MilvusTarget
from tests.engines import free_port


def test_a_url_says_where_and_how() -> None:
    assert MilvusTarget.parse("milvus+http://db") == MilvusTarget("http://db:19530")
    assert MilvusTarget.parse(
        "milvus+https://ann:p%40ss@db.example:443/talk?name=news&partitions=64&shards=2"
        "&replicas=2&index=IVF_RABITQ&consistency=Strong"
    ) == MilvusTarget(
        "https://db.example:443",
        "ann:p@ss",
        "talk",
        "news",
        "IVF_RABITQ",
        64,
        2,
        2,
        "Strong",
    )
    assert MilvusTarget.parse("milvus+http://[::1]:5").uri == "http://[::1]:5"


@pytest.mark.parametrize(
    "url",
    [
        "http://db",
        "milvus+http://",
        "milvus+http://db:port",
        "milvus+http://db?nme=x",
        "milvus+http://db?name=a-b",
        "milvus+http://db?name=x'y",
        "milvus+http://db?shards=0",
        "milvus+http://db?shards=many",
        "milvus+http://db?consistency=Sometimes",
        "milvus+http://db?bm25=theirs",
        "milvus+http://ann:secret@db?what",
    ],
)
def test_other_urls_are_refused_without_repeating_passwords(url: str) -> None:
    with pytest.raises(ConfigurationError, match=r"milvus\+http://\[USER") as caught:
        MilvusTarget.parse(url)
    assert "secret" not in str(caught.value)


def test_a_server_that_is_away_is_named_within_two_deadlines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("pymilvus")
    monkeypatch.setattr(milvus_client, "SEARCH_SECONDS", 0.3)
    uri = f"http://127.0.0.1:{free_port()}"
    server = MilvusServer(MilvusTarget(uri))
    started = time.monotonic()
    with pytest.raises(EngineUnavailableError, match=uri):
        server.call("list_collections", seconds=0.3)
    assert time.monotonic() - started < 5
    server.close()


@pytest.mark.parametrize(
    ("version", "old"),
    [
        ("v2.3.5-lite", True),
        ("2.3.21", True),
        ("v2.4.0", False),
        ("2.5.4", False),
        ("v2.10", False),
        ("milvus_lite-3.2.2", False),
        (None, False),
    ],
)
def test_a_server_without_sparse_vectors_is_refused(version: str | None, old: bool) -> None:
    server = MilvusServer(MilvusTarget("http://db:19530"))
    server.__dict__["version"] = version  # as it would have answered
    if old:
        with pytest.raises(EngineUnavailableError, match="has no sparse vectors"):
            server.require()
    else:
        server.require()


@pytest.mark.parametrize(("failures", "calls"), [(0, 1), (1, 2), (2, 2)])
def test_a_call_that_fails_is_made_once_more(
    failures: int, calls: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[float] = []

    class Client:
        def list_collections(self, timeout: float) -> list[str]:
            made.append(timeout)
            if len(made) <= failures:
                raise MilvusException(message="no available replica")
            return ["found"]

        def close(self) -> None: ...

    MilvusException = pytest.importorskip("pymilvus").exceptions.MilvusException
    server = MilvusServer(MilvusTarget("http://db:19530"))
    monkeypatch.setattr(server, "_client", Client())
    if failures < 2:
        assert server.call("list_collections", seconds=2.5) == ["found"]
    else:
        with pytest.raises(EngineUnavailableError, match="no available replica"):
            server.call("list_collections", seconds=2.5)
    assert made == [2.5] * calls
