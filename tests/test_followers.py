"""How far search engines are behind and what they lack: in commands, health and answers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from podcast_scraper.cli import outbox
from podcast_scraper.cli.main import main
from podcast_scraper.corpus import open_corpus
from podcast_scraper.errors import StoreUnavailableError
from podcast_scraper.index.build import build_index
from podcast_scraper.search.backends.embedded import EmbeddedBackend
from podcast_scraper.server.app import create_app
from podcast_scraper.settings import STORE_VARIABLE
from tests.corpora import write_episode
from tests.index.encoders import word_encoder

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["word_encoder"]

pytestmark = pytest.mark.usefixtures("word_encoder")


def run(*arguments: str | Path, status: int = 0) -> Any:
    result = CliRunner().invoke(main, ["outbox", *map(str, arguments)])
    assert result.exit_code == status, result.output
    return json.loads(result.output) if "--json" in arguments else result.output


def health(corpus: Path) -> dict[str, Any]:
    with open_corpus(corpus) as opened:
        client = create_app(opened).test_client()
        answer: dict[str, Any] = client.get("/api/health").get_json()
        found = client.get("/api/search?q=loom").get_json()["index"]
        assert (found["index_lag"], found["degraded"]) == (answer["index_lag"], answer["degraded"])
    return answer


@pytest.mark.engines("PostgreSQL")
def test_lag_and_what_is_missing_are_told(
    tiny: Path, tmp_path: Path, postgres_store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(STORE_VARIABLE, postgres_store)
    build_index(tiny)
    node = tmp_path / "node"
    assert health(tiny)["followers"] == []
    assert run("drain", tiny, node, "--name", "n", "--json")["told"] == 5
    assert health(tiny)["index_lag"] == 0
    write_episode(tiny, "three", insights={"insight:c1": "A zeppelin is a slow argument."})
    build_index(tiny)
    behind = health(tiny)
    assert (behind["index_lag"], behind["ok"]) == (2, True)  # an insight and a passage
    assert "n: 2 behind" in run("status", tiny)
    run("drain", tiny, node, "--name", "n")
    assert health(tiny)["index_lag"] == 0

    backend = EmbeddedBackend.open(node / "000001", read_only=False)
    with backend.revising() as revision:
        revision.delete(["insight:a1", "insight:c1"])
    backend.close()
    told = run("drain", tiny, node, "--name", "n", "--json", status=3)
    reasons = ["4 insight documents but 2 in n"]
    assert told["reasons"] == reasons
    sick = health(tiny)
    assert (sick["ok"], sick["degraded"], sick["reasons"]) == (False, True, reasons)
    assert "degraded: 4 insight documents but 2 in n" in run("status", tiny)

    run("forget", tiny, "n")
    assert health(tiny)["ok"]
    assert run("status", tiny, "--json") == {"targets": []}


def test_files_can_be_followed_too(tiny: Path, tmp_path: Path) -> None:
    build_index(tiny)
    assert "5 told, complete" in run("drain", tiny, tmp_path / "node")
    assert run("status", tiny, "--json")["targets"][0]["lag"] == 0
    assert health(tiny)["index_lag"] == 0


@pytest.mark.engines("PostgreSQL")
def test_following_goes_on_where_the_store_was_away(
    tiny: Path, tmp_path: Path, postgres_store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(STORE_VARIABLE, postgres_store)
    build_index(tiny)
    follower, looks = outbox._follower, []

    def away_at_first(*arguments: Any) -> Any:
        if not looks:
            raise StoreUnavailableError("The store does not answer.")
        return follower(*arguments)

    class Pause:
        def wait(self, seconds: float) -> None:
            looks.append(seconds)
            if len(looks) == 3:
                raise KeyboardInterrupt

    monkeypatch.setattr(outbox, "_follower", away_at_first)
    monkeypatch.setattr("podcast_scraper.cli.outbox.threading.Event", Pause)
    told = run("drain", tiny, tmp_path / "node", "--name", "n", "--follow", "--every", "7")
    assert looks == [7, 7, 7]
    assert told.splitlines() == ["n: The store does not answer.", "n: 5 told, complete"]
