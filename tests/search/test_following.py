"""Engines that follow the records: told everything, whatever dies, and looked at."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from podcast_scraper.errors import IndexLockedError
from podcast_scraper.index.build import build_index
from podcast_scraper.search.backend import SearchQuery
from podcast_scraper.search.backends.embedded import EmbeddedBackend
from podcast_scraper.search.following import Follower
from podcast_scraper.search.search_node import NodeEngines, search_node
from podcast_scraper.settings import STORE_VARIABLE, load_settings, location_of
from podcast_scraper.storage.outbox import Outbox
from tests.corpora import write_episode
from tests.index.encoders import WordEncoder, word_encoder

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["word_encoder"]

pytestmark = pytest.mark.usefixtures("word_encoder")

ROOT = Path(__file__).resolve().parents[2]
WORDS = ("loom", "engine", "steam", "zeppelin", "kelp")


@pytest.fixture
def corpus(tiny: Path, store_url: str | None, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An indexed corpus, in each kind of store."""
    monkeypatch.setenv(STORE_VARIABLE, store_url or "")
    build_index(tiny)
    return tiny


@contextmanager
def following(corpus: Path, directory: Path, batch: int = 1000) -> Iterator[Follower]:
    location = location_of(corpus, None, load_settings(corpus))
    live = location.current()
    engine = location.store.open_records(live.path, read_only=False)
    with search_node(directory, live.manifest.generation, WordEncoder.dimension) as backend:
        yield Follower(engine, NodeEngines(backend), "node", batch=batch)
    engine.dispose()


def held(backend: EmbeddedBackend) -> dict[str, Any]:
    """Return what a backend finds: documents, vectors, and who holds the words."""
    found = [hit.doc_id for hit in backend.browse(SearchQuery("", k=1000))]
    return {
        "documents": backend.fetch(found),
        "vectors": {key: backend.vector(key).round(6).tolist() for key in found},  # type: ignore[union-attr]
        "words": {
            word: {hit.doc_id for hit in backend.search_bm25(SearchQuery(word, k=1000))}
            for word in WORDS
        },
    }


def of_corpus(corpus: Path) -> dict[str, Any]:
    location = location_of(corpus, None, load_settings(corpus))
    live = location.current()
    engine = location.store.open_records(live.path)
    with closing(EmbeddedBackend.open(live.path, engine=engine)) as backend:
        return held(backend)


def of_node(corpus: Path, directory: Path) -> dict[str, Any]:
    number = location_of(corpus, None, load_settings(corpus)).current().path.name
    with closing(EmbeddedBackend.open(directory / number)) as backend:
        return held(backend)


def lag(corpus: Path) -> list[int]:
    location = location_of(corpus, None, load_settings(corpus))
    engine = location.store.open_records(location.current().path)
    found = [target.lag for target in Outbox(engine).targets()]
    engine.dispose()
    return found


def change(corpus: Path) -> None:
    write_episode(corpus, "three", insights={"insight:c1": "A zeppelin is a slow argument."})
    write_episode(corpus, "two", insights={"insight:b9": "A quiet loom is no loom."})
    for path in (corpus / "feeds").rglob("one.*"):
        path.unlink()


def test_a_follower_is_filled_and_told_what_changes(corpus: Path, tmp_path: Path) -> None:
    node = tmp_path / "node"
    with following(corpus, node, batch=2) as follower:
        assert follower.catch_up() == 5
        assert follower.look() == ()
    assert of_node(corpus, node) == of_corpus(corpus)
    change(corpus)
    build_index(corpus)
    behind = lag(corpus)[0]
    assert behind > 0
    with following(corpus, node, batch=3) as follower:
        assert follower.catch_up() == behind
        assert follower.catch_up() == 0
        assert follower.look() == ()
    assert lag(corpus) == [0]
    assert of_node(corpus, node) == of_corpus(corpus)


def test_a_new_generation_is_filled_beside_the_old(corpus: Path, tmp_path: Path) -> None:
    node = tmp_path / "node"
    for _ in range(2):
        with following(corpus, node) as follower:
            follower.catch_up()
        build_index(corpus, rebuild=True)
    with following(corpus, node) as follower:
        follower.catch_up()
    assert of_node(corpus, node) == of_corpus(corpus)
    assert [path.name for path in node.iterdir() if path.is_dir()] == ["000003"]


def test_one_worker_tells_a_node(corpus: Path, tmp_path: Path) -> None:
    with (
        following(corpus, tmp_path / "node"),
        pytest.raises(IndexLockedError),
        following(corpus, tmp_path / "node"),
    ):
        pass


def test_being_told_twice_changes_nothing(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = tmp_path / "node"
    with following(corpus, node) as follower:
        follower.catch_up()
    change(corpus)
    build_index(corpus)

    def dies(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    for _ in range(2):
        with following(corpus, node, batch=2) as follower, monkeypatch.context() as patch:
            patch.setattr(Outbox, "advance", dies)
            with pytest.raises(KeyboardInterrupt):
                follower.catch_up()
    with following(corpus, node) as follower:
        follower.catch_up()
        assert follower.look() == ()
    assert of_node(corpus, node) == of_corpus(corpus)


def test_rows_that_went_missing_are_noticed(corpus: Path, tmp_path: Path) -> None:
    node = tmp_path / "node"
    with following(corpus, node) as follower:
        follower.catch_up()
    with closing(EmbeddedBackend.open(node / "000001", read_only=False)) as backend:
        with backend.revising() as revision:
            revision.delete(["insight:a1"])
        assert not backend.health().degraded  # it agrees with itself
    with following(corpus, node) as follower:
        assert follower.look() == ("3 insight documents but 2 in node",)
    # The same number of rows, and yet not the same rows.
    with closing(EmbeddedBackend.open(node / "000001", read_only=False)) as backend:
        known = backend.fetch(["insight:a2"])["insight:a2"]
        stranger = type(known)("insight:x", "insight", "Strange.", known.episode_id, known.show_id)
        with backend.revising() as revision:
            revision.upsert("insight", [stranger], WordEncoder().encode_documents(["Strange."]))
    with following(corpus, node) as follower:
        assert follower.look() == ("insight documents are not found in node: insight:a1",)


def test_answers_that_are_cut_are_noticed(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The counts are right, and a part of the rows is never found."""
    real = EmbeddedBackend.search_vector

    def part(self: EmbeddedBackend, query: SearchQuery) -> list[Any]:
        return [hit for hit in real(self, query) if hit.doc_id != "insight:b1"]

    with following(corpus, tmp_path / "node") as follower:
        follower.catch_up()
        with monkeypatch.context() as patch:
            patch.setattr(EmbeddedBackend, "search_vector", part)
            assert follower.look() == ("insight documents are not found in node: insight:b1",)
        assert follower.look() == ()


def killed(corpus: Path, node: Path, call: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.search.killed_drain", str(corpus), str(node), str(call)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": "src"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("kills", [2, pytest.param(25, marks=pytest.mark.slow)])
def test_killed_at_any_moment(corpus: Path, tmp_path: Path, kills: int) -> None:
    node = tmp_path / "node"
    counted = killed(corpus, tmp_path / "counted", 0)
    assert counted.returncode == 0, counted.stderr
    chosen = random.Random(kills)
    for number in range(kills):
        if number == kills // 2:
            change(corpus)
            build_index(corpus)
        ended = killed(corpus, node, chosen.randint(1, int(counted.stdout)))
        assert ended.returncode in (0, -signal.SIGKILL), ended.stderr
    with following(corpus, node) as follower:
        follower.catch_up()
        assert follower.look() == ()
    assert of_node(corpus, node) == of_corpus(corpus)
