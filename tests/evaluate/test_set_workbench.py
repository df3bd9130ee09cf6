"""The index of a set: built once, taken again, and built anew where another version wrote it."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import pytest

from podcast_scraper.evaluate.set_workbench import open_set_workbench
from podcast_scraper.evaluate.sets import load_set
from tests.evaluate.test_sets import write_set

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.model


def test_an_index_of_another_version_is_built_anew(tmp_path: Path) -> None:
    query_set = load_set(write_set(tmp_path / "small"))
    for _ in range(2):
        bench = open_set_workbench(query_set, cache_dir=tmp_path)
        assert bench.backend.fetch(["a"])["a"].show_id == "s"
        bench.close()
    (folder,) = (tmp_path / "indexes").iterdir()
    with sqlite3.connect(folder / "corpus.sqlite") as database:
        database.execute("UPDATE meta SET value = '{}' WHERE key LIKE '%seal%'")
    bench = open_set_workbench(query_set, cache_dir=tmp_path)
    assert bench.backend.health().documents["segment"] == 2
    bench.close()
