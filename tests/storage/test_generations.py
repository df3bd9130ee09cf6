"""Index generations: atomic publishing, locking, and what a reader is told."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING

import pytest

from podcast_scraper.errors import (
    IndexDamagedError,
    IndexLockedError,
    IndexMismatchError,
    IndexMissingError,
    IndexStateError,
)
from podcast_scraper.storage.generations import IndexLocation, Manifest
from podcast_scraper.storage.schema import SCHEMA_VERSION

if TYPE_CHECKING:
    from pathlib import Path


def manifest(name: str) -> Manifest:
    return Manifest(name, SCHEMA_VERSION, "e", "f", 3, "c", "2025-01-01", {"segment": 1})


def build(location: IndexLocation, marker: str) -> None:
    with location.building() as place:
        (place.path / "data").write_text(marker)
        place.publish(manifest(place.name))


def test_a_missing_index_names_the_command(tmp_path: Path) -> None:
    with pytest.raises(IndexMissingError, match="podcast-scraper index"):
        IndexLocation.of(tmp_path).current()


def test_publishing_switches_and_a_reader_keeps_its_generation(tmp_path: Path) -> None:
    location = IndexLocation.of(tmp_path)
    build(location, "one")
    first = location.current()
    build(location, "two")
    assert (first.path / "data").read_text() == "one"
    assert (location.current().path / "data").read_text() == "two"
    assert location.current().manifest == manifest("000002")


def test_only_two_generations_are_kept(tmp_path: Path) -> None:
    location = IndexLocation.of(tmp_path)
    for number in range(4):
        build(location, str(number))
    kept = sorted(p.name for p in (location.directory / "generations").iterdir())
    assert kept == ["000003", "000004"]


def test_a_failed_build_leaves_the_live_index_and_is_offered_to_the_next(tmp_path: Path) -> None:
    location = IndexLocation.of(tmp_path)
    build(location, "good")
    with location.building() as place:
        (place.path / "corpus.sqlite").write_text("x")  # and never published
    assert (location.current().path / "data").read_text() == "good"
    with location.building() as place:
        assert [(path / "corpus.sqlite").read_text() for path in place.abandoned] == ["x"]
        assert place.abandoned[0] in place.donors
        place.publish(manifest(place.name))
    assert not list((location.directory / "generations").glob("*.building"))


def test_a_failed_build_that_has_nothing_to_give_is_removed(tmp_path: Path) -> None:
    location = IndexLocation.of(tmp_path)
    with location.building() as first:
        pass
    with location.building() as place:
        assert place.abandoned == ()
        assert not first.path.exists() or first.path == place.path


def test_a_second_builder_is_told(tmp_path: Path) -> None:
    location = IndexLocation.of(tmp_path)
    with location.building(), pytest.raises(IndexLockedError), location.building():
        pytest.fail("two builders at once")


def test_another_schema_is_refused(tmp_path: Path) -> None:
    location = IndexLocation.of(tmp_path)
    with location.building() as place:
        place.publish(dataclasses.replace(manifest(place.name), schema_version=SCHEMA_VERSION + 1))
    with pytest.raises(IndexMismatchError, match="schema"):
        location.current()


@pytest.mark.parametrize("content", ["", "{", json.dumps({"generation": "1"}), "[]"])
def test_a_damaged_manifest_is_named(tmp_path: Path, content: str) -> None:
    location = IndexLocation.of(tmp_path)
    build(location, "one")
    path = location.current().path / "manifest.json"
    path.write_text(content)
    with pytest.raises(IndexDamagedError, match="manifest"):
        location.current()


def test_a_place_that_cannot_be_written_names_index_dir(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(IndexStateError, match="--index-dir"),
        IndexLocation(tmp_path / "file" / "index").building(),
    ):
        pytest.fail("built inside a file")
