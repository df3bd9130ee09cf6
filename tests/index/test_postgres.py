"""An index with its records in PostgreSQL equals one with its records in a file."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from podcast_scraper.corpus import open_corpus
from podcast_scraper.errors import IndexMismatchError, StoreUnavailableError
from podcast_scraper.index.build import build_index
from podcast_scraper.settings import FILE_NAME, STORE_VARIABLE
from podcast_scraper.storage.generations import IndexLocation
from podcast_scraper.storage.store import store_at
from tests.corpora import write_episode
from tests.index.dumps import dump
from tests.index.encoders import word_encoder

if TYPE_CHECKING:
    from podcast_scraper.storage.store import RecordStore

__all__ = ["word_encoder"]

pytestmark = [pytest.mark.usefixtures("word_encoder"), pytest.mark.engines("PostgreSQL")]

ROOT = Path(__file__).resolve().parents[2]
WORDS = ("loom", "engine", "steam", "algebra", "zeppelin")


@pytest.fixture
def store(postgres_store: str, monkeypatch: pytest.MonkeyPatch) -> RecordStore:
    """The store of every corpus in a test."""
    monkeypatch.setenv(STORE_VARIABLE, postgres_store)
    return store_at(postgres_store)


def in_files(corpus: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """Return what a build into files holds."""
    with monkeypatch.context() as patch:
        patch.delenv(STORE_VARIABLE)
        return dump(build_index(corpus, index_dir=place).generation, WORDS)


def change(corpus: Path) -> None:
    write_episode(corpus, "three", insights={"insight:c1": "A zeppelin is a slow argument."})
    write_episode(corpus, "two", insights={"insight:b9": "A quiet loom is no loom."})


def test_a_build_and_an_update_equal_those_in_files(
    tiny: Path, tmp_path: Path, store: RecordStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = build_index(tiny)
    assert dump(built.generation, WORDS, store) == in_files(tiny, tmp_path / "a", monkeypatch)
    assert not list(built.generation.path.glob("*.sqlite*"))
    change(tiny)
    updated = build_index(tiny)
    assert updated.report["updated"] == {"written": 2, "removed": 0}
    assert dump(updated.generation, WORDS, store) == in_files(tiny, tmp_path / "b", monkeypatch)
    assert not build_index(tiny).fresh


def test_a_rebuild_takes_vectors_over_and_old_records_go(tiny: Path, store: RecordStore) -> None:
    build_index(tiny)
    for number in (2, 3, 4):
        outcome = build_index(tiny, rebuild=True)
        assert outcome.report["reused_vectors"] == sum(outcome.report["documents"].values())
        assert outcome.generation.path.name == f"{number:06d}"
    assert sorted(store.numbers()) == [3, 4]


def test_a_build_that_died_gives_its_vectors_to_the_next(
    tiny: Path, store: RecordStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("podcast_scraper.index.build.write_derived", dies)
        with pytest.raises(KeyboardInterrupt):
            build_index(tiny)
    assert list(store.numbers()) == [1]
    outcome = build_index(tiny)
    assert outcome.report["reused_vectors"] == 5
    assert list(store.numbers()) == [2]


def test_a_corpus_names_its_store_in_its_settings(
    tiny: Path, postgres_store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(STORE_VARIABLE, raising=False)
    (tiny / FILE_NAME).write_text(f"store: {postgres_store}\n")
    build_index(tiny)
    with open_corpus(tiny) as corpus:
        saved = corpus.searches.save("Looms", "q=loom")
        corpus.identities.alias("person:ada-byron", "The Countess", author="me")
        assert corpus.resolve("The Countess").id == "person:ada-byron"
    assert not list((tiny / ".podcast-scraper").rglob("*.sqlite"))
    with open_corpus(tiny) as corpus:
        assert corpus.searches.saved() == [saved]
        assert corpus.search("loom").hits
    (tiny / FILE_NAME).unlink()
    with pytest.raises(IndexMismatchError, match="store"):
        open_corpus(tiny)
    assert build_index(tiny).generation.path.name == "000002"  # in files again


def test_a_reader_takes_up_an_update(tiny: Path, store: RecordStore) -> None:
    build_index(tiny)
    with open_corpus(tiny) as corpus:
        assert corpus.health()["documents"] == {"segment": 2, "insight": 3}
        change(tiny)
        build_index(tiny)
        hits = corpus.search("zeppelin").hits
        assert hits[0].insight is not None
        assert hits[0].insight.id == "insight:c1"
        assert corpus.health()["documents"] == {"segment": 3, "insight": 4}


def test_a_server_that_is_away_is_no_reason_to_build_anew(
    tiny: Path, store: RecordStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_index(tiny)
    monkeypatch.setenv(STORE_VARIABLE, "postgresql+psycopg://nobody@127.0.0.1:1/x")
    with pytest.raises(StoreUnavailableError):
        build_index(tiny)
    with pytest.raises(StoreUnavailableError):
        open_corpus(tiny)


@pytest.mark.parametrize("kills", [2, pytest.param(20, marks=pytest.mark.slow)])
@pytest.mark.parametrize("options", [(), ("--rebuild",)], ids=["update", "rebuild"])
def test_a_builder_killed_at_any_moment(
    tiny: Path,
    tmp_path: Path,
    store: RecordStore,
    monkeypatch: pytest.MonkeyPatch,
    kills: int,
    options: tuple[str, ...],
) -> None:
    def killed(call: int) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "tests.index.killed_build", str(tiny), str(call), *options],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": "src"},
            capture_output=True,
            text=True,
            check=False,
        )

    calls = int(killed(0).stdout)
    change(tiny)
    chosen = random.Random(kills)
    for _ in range(kills):
        ended = killed(chosen.randint(1, calls))
        assert ended.returncode in (0, -signal.SIGKILL), ended.stderr
        with open_corpus(tiny) as corpus:  # the live index is whole
            assert corpus.health()["ok"]
            assert corpus.search("loom").hits
    assert killed(0).returncode == 0
    generation = IndexLocation.of(tiny).current()
    assert dump(generation, WORDS, store) == in_files(tiny, tmp_path / "a", monkeypatch)
