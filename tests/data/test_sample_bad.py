"""Every bad file has the outcome that its table promises, and is written from that table."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from data.sample_source import bad_files
from data.sample_source.bad_cases import CASES

from podcast_scraper.artifacts.reading import open_reading
from tests.data.conftest import DATA

if TYPE_CHECKING:
    from pathlib import Path

    from podcast_scraper.artifacts.report import ReadReport

BAD = DATA / "sample_bad"
EXPECTED = json.loads((BAD / "expected.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def reading() -> tuple[set[str], ReadReport]:
    opened = open_reading(BAD, now=datetime(2026, 1, 1, tzinfo=UTC))
    return {episode.episode_id for episode in opened.episodes()}, opened.report


@pytest.mark.parametrize("case", EXPECTED, ids=lambda case: str(case["episode_id"]))
def test_reading_does_what_the_table_says(
    reading: tuple[set[str], ReadReport], case: dict[str, str]
) -> None:
    kept, report = reading
    stem = case["episode_id"]
    reported = {
        "quarantined": report.quarantined,
        "dropped": report.dropped,
        "repaired": report.repairs,
        "warned": report.warnings,
    }

    def concerns(path: str) -> bool:
        return path.rsplit("/", 1)[-1].partition(".")[0] == stem

    found = [name for name, items in reported.items() if any(concerns(i.path) for i in items)]
    assert (found or ["read"])[0] == case["outcome"]
    assert (stem in kept) == case["kept"]


def test_the_folder_is_what_the_table_writes(tmp_path: Path) -> None:
    bad_files.write(tmp_path)
    written = {p.relative_to(tmp_path): p.read_bytes() for p in tmp_path.rglob("*.*")}
    kept = {
        p.relative_to(BAD): p.read_bytes()
        for p in (*BAD.glob("feeds/**/*.*"), BAD / "README.md", BAD / "expected.json")
    }
    assert written == kept


def test_readme_names_every_case_and_its_file() -> None:
    readme = (BAD / "README.md").read_text(encoding="utf-8")
    assert all(case.file in readme and (BAD / case.file).exists() for case in CASES)
