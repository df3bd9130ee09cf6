"""A corpus whose engines are a Milvus server: ``search: milvus+http://…`` in its settings."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from podcast_scraper.cli.main import main
from podcast_scraper.corpus import open_corpus
from podcast_scraper.errors import (
    ConfigurationError,
    EngineUnavailableError,
    IndexMismatchError,
    PodcastScraperError,
)
from podcast_scraper.index.build import build_index
from podcast_scraper.search.backends import milvus_client
from podcast_scraper.search.backends.milvus import MilvusBackend
from podcast_scraper.server.app import create_app
from podcast_scraper.settings import FILE_NAME, SEARCH_VARIABLE, STORE_VARIABLE
from tests import engines
from tests.corpora import ROOT, write_episode
from tests.index.encoders import word_encoder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.engines import Server
    from tests.index.encoders import WordEncoder

__all__ = ["word_encoder"]

pytestmark = pytest.mark.usefixtures("word_encoder")

QUERIES = (
    "loom",
    "steam engine algebra",
    "nobody needs a faster loom",
    "-algebra loom",
    '"a loom"',
)


@pytest.fixture
def served(
    tiny: Path, milvus: str, postgres_store: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """A corpus with its records in PostgreSQL and its engines on a Milvus server."""
    monkeypatch.setenv(STORE_VARIABLE, postgres_store)
    monkeypatch.setenv(SEARCH_VARIABLE, milvus)
    build_index(tiny)
    yield tiny
    engines.remove_collections(milvus)


def run(*arguments: str, status: int = 0) -> str:
    result = CliRunner().invoke(main, list(map(str, arguments)))
    assert result.exit_code == status, result.output
    return result.output


def ask(corpus: Path, path: str) -> dict[str, Any]:
    with open_corpus(corpus) as opened:
        answer: dict[str, Any] = create_app(opened).test_client().get(path).get_json()
    return answer


def found(corpus: Path) -> dict[str, list[str]]:
    with open_corpus(corpus) as opened:
        return {query: [hit.id for hit in opened.search(query).hits] for query in QUERIES}


def remove(url: str, tier: str, count: int) -> None:
    """Remove rows behind everybody's back."""
    from pymilvus import MilvusClient

    address, _, name = url.removeprefix("milvus+").partition("?name=")
    with closing(MilvusClient(address)) as client:
        rows = client.query(
            f"{name}_{tier}_g1", filter="key >= 0", output_fields=["key"], limit=count
        )
        client.delete(f"{name}_{tier}_g1", ids=[row["key"] for row in rows])


def test_it_finds_what_files_find(served: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = found(served)
    monkeypatch.delenv(SEARCH_VARIABLE)
    with pytest.raises(IndexMismatchError, match="search server"):
        open_corpus(served)
    build_index(served)  # for files now
    assert found(served) == there
    assert there["loom"]


def test_changes_are_told(served: Path) -> None:
    write_episode(served, "three", insights={"insight:c1": "A zeppelin is a slow argument."})
    write_episode(served, "two", insights={"insight:b9": "A quiet loom is no loom."})
    build_index(served)
    health = ask(served, "/api/health")
    assert (health["ok"], health["index_lag"]) == (True, 0)
    assert health["documents"] == {"segment": 3, "insight": 4}
    assert [one["lag"] for one in health["followers"]] == [0]
    hits = ask(served, "/api/search?q=zeppelin")["hits"]
    assert "insight:c1" in json.dumps(hits)
    there = found(served)
    build_index(served, rebuild=True)
    assert found(served) == there


def test_rows_that_went_missing_are_told_and_brought_back(served: Path, milvus: str) -> None:
    before = found(served)
    assert ask(served, "/api/health")["ok"]
    remove(milvus, "insight", 2)
    reason = "3 insight documents but 1 in "
    health = ask(served, "/api/health")
    assert (health["ok"], health["degraded"]) == (False, True)
    assert health["reasons"][0].startswith(reason)
    answer = ask(served, "/api/search?q=loom")
    assert answer["index"]["degraded"]
    assert any(note.startswith(reason) for note in answer["notes"])
    told = json.loads(run("outbox", "drain", served, "--json", status=3))
    assert told["reasons"] == health["reasons"]
    run("outbox", "forget", served, told["name"])
    assert json.loads(run("outbox", "drain", served, "--json")) == {
        "name": told["name"],
        "told": 5,
        "reasons": [],
    }
    assert found(served) == before
    assert ask(served, "/api/health")["ok"]


def test_other_rows_of_the_same_number_are_noticed(served: Path, milvus: str) -> None:
    from pymilvus import MilvusClient

    address, _, name = milvus.removeprefix("milvus+").partition("?name=")
    with closing(MilvusClient(address)) as client:
        (row,) = client.query(f"{name}_insight_g1", filter="key >= 0", output_fields=["*"], limit=1)
        client.delete(f"{name}_insight_g1", ids=[row["key"]])
        client.upsert(f"{name}_insight_g1", [{**row, "key": 999_999}])
    health = ask(served, "/api/health")
    assert health["reasons"][0].startswith("insight documents are not found in ")


@pytest.mark.engines(engines.LITE_25)
def test_a_new_server_takes_over_without_encoding(
    tiny: Path, tmp_path: Path, word_encoder: WordEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = []
    for number in range(2):
        folder = tmp_path / str(number)
        folder.mkdir()
        with engines.served(engines.LITE_25, folder) as url:
            monkeypatch.setenv(SEARCH_VARIABLE, url)
            assert build_index(tiny).fresh == (number == 0)
            answers.append(found(tiny))
        monkeypatch.setattr(word_encoder, "encode_documents", None)
    assert answers[0] == answers[1]


@pytest.mark.parametrize("kills", [3, pytest.param(25, marks=pytest.mark.slow)])
def test_a_worker_that_is_killed_anywhere_loses_nothing(
    served: Path, kills: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = json.loads(run("outbox", "drain", served, "--json"))["name"]
    run("outbox", "forget", served, name)
    calls = int(drained_but_killed(served, 0).stdout)
    run("outbox", "forget", served, name)
    chosen = random.Random(kills)
    for number in range(kills):
        if number == kills // 2:
            run("outbox", "drain", served)
            write_episode(served, "three", insights={"insight:c1": "A zeppelin is no loom."})
            write_episode(served, "two", insights={"insight:b9": "A quiet loom is no loom."})
            with monkeypatch.context() as patch:  # records change, and nobody tells the server
                patch.setattr(MilvusBackend, "catch_up", lambda _: 0)
                build_index(served)
        ended = drained_but_killed(served, chosen.randint(1, calls))
        assert ended.returncode in (0, -signal.SIGKILL), ended.stderr
    assert json.loads(run("outbox", "drain", served, "--json"))["reasons"] == []
    there = found(served)
    assert "insight:c1" in there["-algebra loom"]
    build_index(served, rebuild=True)
    assert found(served) == there


def drained_but_killed(corpus: Path, call: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.search.killed_drain", str(corpus), "server", str(call)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": "src"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_records_in_files_will_do(tiny: Path, milvus: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (tiny / FILE_NAME).write_text(f"search: {milvus}\n", encoding="utf-8")
    run("index", tiny)
    assert ask(tiny, "/api/health")["documents"] == {"segment": 2, "insight": 3}
    assert "zeppelin" not in run("search", tiny, "zeppelin loom", "--json").split('"hits"')[1]
    write_episode(tiny, "three", insights={"insight:c1": "A zeppelin is a slow argument."})
    run("index", tiny)
    assert "insight:c1" in run("search", tiny, "zeppelin", "--json")
    assert "complete" in run("outbox", "drain", tiny)
    assert "0 behind" in run("outbox", "status", tiny)
    assert "healthy" in run("doctor", tiny)


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Server]:
    with engines.running(engines.lite_25(tmp_path)) as server:
        yield server


@pytest.mark.engines(engines.LITE_25)
def test_a_server_that_is_away_is_told_in_time(
    tiny: Path, own_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SEARCH_VARIABLE, f"milvus+{own_server.uri}")
    build_index(tiny)
    with open_corpus(tiny) as opened:
        client = create_app(opened).test_client()
        before = client.get("/api/search?q=loom").get_json()["hits"]
        own_server.kill()
        started = time.monotonic()
        answer = client.get("/api/search?q=loom")
        assert time.monotonic() - started < 4 * milvus_client.SEARCH_SECONDS
        assert (answer.status_code, answer.get_json()["error"]["code"]) == (
            503,
            "EngineUnavailable",
        )
        assert client.get("/api/health").get_json()["degraded"]
        with pytest.raises(EngineUnavailableError, match=own_server.uri):
            build_index(tiny)  # and nothing is built instead
        own_server.start()
        assert client.get("/api/search?q=loom").get_json()["hits"] == before
        assert client.get("/api/health").get_json()["ok"]


def test_settings_that_cannot_work_are_refused(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for url in ("http://localhost:19530", "milvus+http://", "elastic://localhost"):
        monkeypatch.setenv(SEARCH_VARIABLE, url)
        with pytest.raises(ConfigurationError, match=r"milvus\+http"):
            build_index(tiny)
    monkeypatch.setenv(SEARCH_VARIABLE, f"milvus+http://127.0.0.1:{engines.free_port()}")
    monkeypatch.setattr(milvus_client, "SEARCH_SECONDS", 0.3)
    with pytest.raises(EngineUnavailableError, match="does not answer"):
        build_index(tiny)
    monkeypatch.setitem(sys.modules, "pymilvus", None)
    with pytest.raises(ConfigurationError, match=r"podcast-scraper\[milvus\]"):
        build_index(tiny)
    monkeypatch.delenv(SEARCH_VARIABLE)
    (tiny / FILE_NAME).write_text("search: [1]\n", encoding="utf-8")
    with pytest.raises(PodcastScraperError, match="no URL"):
        build_index(tiny)


def test_files_alone_never_load_the_driver(tiny: Path) -> None:
    build_index(tiny)
    code = (
        "import sys; from podcast_scraper.corpus import open_corpus\n"
        "with open_corpus(sys.argv[1]) as corpus: print(corpus.health()['ok'])\n"
        "names = {'pymilvus', 'grpc', 'pandas', 'psycopg', 'distributed'} & set(sys.modules)\n"
        "names |= {one for one in sys.modules if 'backends.milvus' in one}\n"
        "print(sorted(names))"
    )
    told = subprocess.run(
        [sys.executable, "-c", code, str(tiny)],
        env={"PYTHONPATH": str(ROOT / "src"), "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.splitlines() == ["True", "[]"]
