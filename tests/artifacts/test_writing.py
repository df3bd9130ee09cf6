"""A record that is written and read back is equal; the bytes are stable."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from podcast_scraper.artifacts.reading import open_reading
from podcast_scraper.artifacts.writing import write_episode
from podcast_scraper.errors import UsageError
from tests.artifacts.corpora import settled
from tests.shared_data import shared

if TYPE_CHECKING:
    from podcast_scraper.artifacts.records import EpisodeRecord

SAMPLE = Path(__file__).parents[2] / "data" / "sample"


def without_media(record: EpisodeRecord) -> EpisodeRecord:
    """Leave out picture and sound, which are no layers and are not written with the episode."""
    return replace(record, media=None, show=replace(record.show, image=None))


@pytest.mark.parametrize("name", ["sample", "nine-shows-v3", "real-episodes-v1"])
def test_corpora_come_back_equal(name: str, tmp_path: Path) -> None:
    root = SAMPLE if name == "sample" else shared(f"corpora/{name}")
    records = [without_media(record) for record in open_reading(root).episodes()]
    for record in records:
        assert write_episode(tmp_path, record, model_version="test")
    again = open_reading(tmp_path)
    for first, second in zip(records, again.episodes(), strict=True):
        assert settled(second) == settled(first)
    assert again.report.lossless
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    for record in again.episodes():
        assert write_episode(tmp_path, record, model_version="test") == ()
    assert before == {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert all(
        content.endswith(b"\n") for path, content in before.items() if path.suffix == ".json"
    )


def test_a_stem_path_stays_in_the_corpus(tmp_path: Path) -> None:
    (record, *_) = open_reading(SAMPLE).episodes()
    for stem in ("../outside", "/outside", "a/../../outside", ""):
        with pytest.raises(UsageError):
            write_episode(tmp_path / "corpus", replace(record, stem_path=stem), model_version="x")
    assert list(tmp_path.iterdir()) == []
