"""Whatever ends a build, the last good index serves, and the next run completes the work."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from podcast_scraper.corpus import open_corpus
from podcast_scraper.index.build import build_index
from podcast_scraper.search.backends.embedded import EmbeddedBackend
from podcast_scraper.search.graph.files import StoredGraph
from podcast_scraper.storage.generations import IndexLocation
from tests.corpora import write_episode
from tests.index.dumps import dump
from tests.index.encoders import word_encoder

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["word_encoder"]

pytestmark = pytest.mark.usefixtures("word_encoder")

ROOT = Path(__file__).parents[2]
WORDS = ("loom", "engine", "zeppelin", "quiet")
KILLS = 5  # a seed; 5 seeds, two ways to build: 50 corpora, each killed twice


def killed(corpus: Path, call: int, *options: str, **variables: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "tests.index.killed_build", str(corpus), str(call), *options],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": "src", **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def change(corpus: Path) -> None:
    write_episode(corpus, "three", insights={"insight:c1": "A zeppelin is a slow argument."})
    write_episode(corpus, "two", insights={"insight:b9": "A quiet loom is no loom."})


def usable(corpus: Path) -> None:
    """The live index opens, agrees with itself, and holds each episode wholly old or new."""
    generation = IndexLocation.of(corpus).current()
    backend = EmbeddedBackend.open(generation.path)
    assert not backend.health().degraded
    backend.close()
    StoredGraph(generation.derived)
    with open_corpus(corpus) as opened:
        found = {hit.insight.id for hit in opened.search("loom zeppelin").hits if hit.insight}
        assert "insight:a1" in found
        assert ("insight:b1" in found) != ("insight:b9" in found)


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("--rebuild",)], ids=["update", "rebuild"])
@pytest.mark.parametrize("seed", range(5))
def test_killed_at_any_moment(
    tiny: Path, tmp_path: Path, seed: int, options: tuple[str, ...]
) -> None:
    build_index(tiny)
    change(tiny)
    whole = shutil.copytree(tiny, tmp_path / "whole")
    calls = int(killed(whole, 0, *options).stdout)
    expected = dump(IndexLocation.of(whole).current(), WORDS)
    chosen = random.Random(seed)
    for number in range(KILLS):
        corpus = shutil.copytree(tiny, tmp_path / f"killed{number}")
        for _ in range(2):  # the next run is killed too
            ended = killed(corpus, chosen.randint(1, calls), *options)
            assert ended.returncode in (0, -signal.SIGKILL)
            usable(corpus)
        assert killed(corpus, 0).returncode == 0
        assert dump(IndexLocation.of(corpus).current(), WORDS) == expected


@pytest.mark.slow
@pytest.mark.parametrize("limit", ["20000", "100000"])
@pytest.mark.parametrize("options", [(), ("--rebuild",)], ids=["update", "rebuild"])
def test_a_full_disk_is_named_and_leaves_the_index(
    tiny: Path, limit: str, options: tuple[str, ...]
) -> None:
    build_index(tiny)
    change(tiny)
    ended = killed(tiny, 0, *options, LIMIT=limit)
    assert ended.returncode == 1
    assert "cannot be written" in ended.stderr
    usable(tiny)
    assert killed(tiny, 0).returncode == 0
    usable(tiny)


@pytest.mark.parametrize(
    "damage",
    [
        lambda g: (g.path / "corpus.sqlite").write_bytes(b"none" * 2000),
        lambda g: os.truncate(g.path / "corpus.sqlite", 8192),
        lambda g: os.truncate(g.path / "dense" / "vectors.f32", 10),
        lambda g: next(g.lexical.glob("*.idx")).unlink(),
        lambda g: (g.path / "manifest.json").write_text("{"),
        lambda g: os.truncate(g.path / "graph" / "ids.npy", 20),
        lambda g: os.truncate(g.path / "rescue" / "doc_ids.npy", 20),
        lambda g: (g.path / "rescue" / "rescue.json").write_text('{"version": 1}'),
    ],
    ids=[
        "no database",
        "cut database",
        "cut vectors",
        "terms gone",
        "manifest",
        "cut graph",
        "cut columns",
        "columns of another version",
    ],
)
def test_damage_is_mended_by_index(tiny: Path, damage: Callable[[object], object]) -> None:
    damage(build_index(tiny).generation)
    outcome = build_index(tiny)
    assert outcome.generation.path.name == "000002"
    usable_after = EmbeddedBackend.open(outcome.generation.path)
    assert usable_after.health().documents == {"segment": 2, "insight": 3}
    usable_after.close()


def test_requests_go_on_while_the_index_changes(tiny: Path) -> None:
    build_index(tiny)
    ended = threading.Event()
    errors: list[BaseException] = []
    seen: set[str] = set()
    with open_corpus(tiny) as corpus:

        def search() -> None:
            try:
                while not ended.is_set():
                    found = corpus.search("loom zeppelin")
                    seen.add(found.generation)
                    assert len({hit.id for hit in found.hits}) == len(found.hits) >= 2
            except BaseException as error:
                errors.append(error)

        readers = [threading.Thread(target=search) for _ in range(3)]
        for reader in readers:
            reader.start()
        for number in range(4):
            text = f"Zeppelin number {number} is slow."
            write_episode(tiny, "three", insights={f"insight:c{number}": text})
            build_index(tiny)
            assert f"insight:c{number}" in {
                hit.insight.id for hit in corpus.search(text).hits if hit.insight
            }
        ended.set()
        for reader in readers:
            reader.join()
    assert not errors
    assert len(seen) > 1
