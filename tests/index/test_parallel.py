"""Builds with workers: the index of a single process, whatever happens to workers."""

from __future__ import annotations

import os
import signal
import socket
import sys
from typing import TYPE_CHECKING, Any

import pytest

from podcast_scraper.errors import ConfigurationError, IndexStateError
from podcast_scraper.index.build import build_index
from podcast_scraper.index.parallel import workers_at
from tests.corpora import SAMPLE, write_episode
from tests.index.dumps import dump
from tests.index.encoders import WordEncoder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from podcast_scraper.embed.encoder import Progress

WORDS = ("loom", "engine", "kelp")

pytest.importorskip("distributed")


class DeadlyEncoder(WordEncoder):
    """Kills its process once for each text in which a word of death stands."""

    def __init__(self, folder: Path, *, always: bool = False) -> None:
        self._folder = folder
        self._always = always

    def encode_documents(
        self, texts: Sequence[str], progress: Progress | None = None
    ) -> NDArray[np.float32]:
        for text in texts:
            deadly = self._folder / f"{abs(hash(text)) % 1000}"
            if "zeppelin" in text and (self._always or not any(self._folder.iterdir())):
                deadly.touch()
                os.kill(os.getpid(), signal.SIGKILL)
        return super().encode_documents(texts, progress)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus"
    for number in range(12):
        word = "zeppelin" if number == 5 else "loom"
        write_episode(
            path,
            f"e{number:02d}",
            insights={
                f"insight:{number}a": f"The {word} of engine {number} is quiet.",
                f"insight:{number}b": f"Kelp and {word} number {number}.",
            },
        )
    return path


@pytest.fixture(scope="module")
def two_workers() -> Iterator[Any]:
    with workers_at("2") as client:
        yield client


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))


def built(corpus: Path, place: Path, **options: Any) -> dict[str, Any]:
    outcome = build_index(corpus, index_dir=place, **options)
    assert outcome.report["episodes"] == 12
    return dump(outcome.generation, WORDS)


def test_the_index_is_that_of_one_process(corpus: Path, tmp_path: Path, two_workers: Any) -> None:
    serial = built(corpus, tmp_path / "one", encoder=WordEncoder())
    address = two_workers.scheduler.address
    parallel = built(corpus, tmp_path / "two", encoder=WordEncoder(), workers=address)
    assert parallel == serial
    # Vectors that an earlier build left are used by workers too.
    again = build_index(
        corpus, index_dir=tmp_path / "one", encoder=WordEncoder(), workers=address, rebuild=True
    )
    assert again.report["reused_vectors"] == sum(again.report["documents"].values())
    assert dump(again.generation, WORDS) == serial


def test_a_worker_that_is_killed_loses_nothing(corpus: Path, tmp_path: Path) -> None:
    graves = tmp_path / "graves"
    graves.mkdir()
    serial = built(corpus, tmp_path / "one", encoder=WordEncoder())
    killed = built(corpus, tmp_path / "two", encoder=DeadlyEncoder(graves), workers="2")
    assert any(graves.iterdir())
    assert killed == serial


@pytest.mark.slow
@pytest.mark.model
def test_the_default_model_gives_the_same_vectors_in_workers(tmp_path: Path) -> None:
    serial = build_index(SAMPLE, index_dir=tmp_path / "one")
    parallel = build_index(SAMPLE, index_dir=tmp_path / "two", workers="2")
    words = ("kelp", "price")
    assert dump(parallel.generation, words) == dump(serial.generation, words)


@pytest.mark.slow
def test_what_kills_every_worker_is_named(corpus: Path, tmp_path: Path) -> None:
    encoder = DeadlyEncoder(tmp_path / "graves", always=True)
    (tmp_path / "graves").mkdir()
    with pytest.raises(IndexStateError, match="encoded e05 died"):
        build_index(corpus, index_dir=tmp_path / "index", encoder=encoder, workers="2")


def test_places_that_are_none(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for where in ("0", "many"):
        with pytest.raises(ConfigurationError, match="neither a number"):
            build_index(corpus, encoder=WordEncoder(), workers=where)
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        monkeypatch.setattr("podcast_scraper.index.parallel.CONNECT_SECONDS", 0.5)
        where = f"tcp://127.0.0.1:{nobody.getsockname()[1]}"
        with pytest.raises(IndexStateError, match="No Dask scheduler"):
            build_index(corpus, encoder=WordEncoder(), workers=where)
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ConfigurationError, match=r"podcast-scraper\[parallel\]"):
        build_index(corpus, encoder=WordEncoder(), workers="2")
