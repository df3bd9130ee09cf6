"""What is remembered of files gives the plan that reading them gives, and notices every change."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from podcast_scraper.artifacts import scan_memory
from podcast_scraper.artifacts.discovery import discover
from podcast_scraper.artifacts.loading import DEFAULT_LIMITS
from podcast_scraper.artifacts.reading import open_reading
from podcast_scraper.artifacts.report import Issues
from podcast_scraper.artifacts.scan_memory import ScanMemory
from podcast_scraper.artifacts.scanning import scan_file
from tests.artifacts.corpora import gi, node, write_files

if TYPE_CHECKING:
    from podcast_scraper.artifacts.planning import PlannedEpisode

SAMPLE = Path(__file__).parents[2] / "data" / "sample"
YEAR = 365 * 24 * 3600


@pytest.fixture(autouse=True)
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of a test were all written just now."""
    monkeypatch.setattr(scan_memory, "SETTLED_NS", -YEAR * 10**9)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Paths of the files that were read."""
    paths: list[str] = []

    def scan(root, file, limits, issues):  # type: ignore[no-untyped-def]
        paths.append(file.path)
        return scan_file(root, file, limits, issues)

    monkeypatch.setattr(scan_memory, "scan_file", scan)
    return paths


def planned(corpus: Path, kept: Path) -> tuple[PlannedEpisode, ...]:
    memory = ScanMemory(kept)
    plan = open_reading(corpus, memory=memory).plan
    memory.keep()
    assert plan == open_reading(corpus).plan
    return plan


def test_every_file_of_the_sample_is_as_it_was_found(tmp_path: Path, read: list[str]) -> None:
    root = SAMPLE.resolve()
    files = discover(root, Issues())
    for _ in range(2):
        memory = ScanMemory(tmp_path / "scans")
        found = list(memory.scan(root, files, DEFAULT_LIMITS, Issues()))
        memory.keep()
    issues = Issues()
    expected = [scan_file(root, file, DEFAULT_LIMITS, issues) for file in files]
    assert found == [one for one in expected if one is not None]
    assert len(read) == len(files)


def test_only_what_changed_is_read_again(tmp_path: Path, read: list[str]) -> None:
    corpus, kept = tmp_path / "corpus", tmp_path / "scans"
    insight = [node("insight:1", "Insight", text="T")]
    write_files(corpus, {"a.gi.json": gi("a", insight, []), "b.gi.json": gi("b", [], [])})
    write_files(corpus, {"a.txt": "words", "c.gi.json": "{"})
    planned(corpus, kept)
    read.clear()
    planned(corpus, kept)
    assert read == ["c.gi.json"], "what cannot be read is tried again"
    write_files(corpus, {"b.gi.json": gi("b", insight, []), "d.gi.json": gi("d", [], [])})
    (corpus / "a.txt").unlink()
    read.clear()
    planned(corpus, kept)
    assert sorted(read) == ["b.gi.json", "c.gi.json", "d.gi.json"]


def test_a_change_that_keeps_size_and_time_is_noticed(tmp_path: Path) -> None:
    corpus, kept = tmp_path / "corpus", tmp_path / "scans"
    write_files(corpus, {"a.gi.json": gi("a", [], []), "a.txt": "words"})
    first = planned(corpus, kept)
    times = os.stat(corpus / "a.txt")
    (corpus / "a.txt").write_text("sword")
    os.utime(corpus / "a.txt", ns=(times.st_atime_ns, times.st_mtime_ns))
    assert planned(corpus, kept) != first


def test_what_was_written_just_now_is_read_again(
    tmp_path: Path, read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scan_memory, "SETTLED_NS", YEAR * 10**9)
    corpus, kept = tmp_path / "corpus", tmp_path / "scans"
    write_files(corpus, {"a.gi.json": gi("a", [], [])})
    planned(corpus, kept)
    planned(corpus, kept)
    assert read == ["a.gi.json"] * 2


def test_times_in_the_future_are_never_trusted(
    tmp_path: Path, read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scan_memory, "SETTLED_NS", 0)
    corpus, kept = tmp_path / "corpus", tmp_path / "scans"
    write_files(corpus, {"a.gi.json": gi("a", [], [])})
    os.utime(corpus / "a.gi.json", times=(time.time() + YEAR,) * 2)
    planned(corpus, kept)
    planned(corpus, kept)
    assert read == ["a.gi.json"] * 2


@pytest.mark.parametrize("damage", [b"", b"no database at all" * 100])
def test_a_damaged_memory_is_begun_anew(tmp_path: Path, read: list[str], damage: bytes) -> None:
    corpus, kept = tmp_path / "corpus", tmp_path / "scans"
    write_files(corpus, {"a.gi.json": gi("a", [], [])})
    planned(corpus, kept)
    kept.write_bytes(damage)
    planned(corpus, kept)
    planned(corpus, kept)
    assert read == ["a.gi.json"] * 2


def test_where_nothing_can_be_kept_all_is_read(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    write_files(corpus, {"a.gi.json": gi("a", [], [])})
    assert len(planned(corpus, tmp_path / "absent" / "scans")) == 1
