"""Building an index: what is in it, what is built twice, and what happens when it goes wrong."""

from __future__ import annotations

import json
import shutil
import sqlite3
import threading
from typing import TYPE_CHECKING

import numpy as np
import pytest
import sqlalchemy as sa

from podcast_scraper.corpus import open_corpus
from podcast_scraper.embed.resolve import open_encoder
from podcast_scraper.errors import (
    CorpusError,
    IndexDamagedError,
    IndexLockedError,
    IndexMismatchError,
    IndexMissingError,
)
from podcast_scraper.index.build import build_index, follow_removal
from podcast_scraper.storage.generations import IndexLocation
from tests.corpora import write_episode

if TYPE_CHECKING:
    from pathlib import Path


def test_the_report_counts_what_the_files_hold(tiny: Path) -> None:
    report = build_index(tiny).report
    assert report["episodes"] == 2
    assert report["nodes"] == {
        "podcast": 1,
        "episode": 2,
        "insight": 3,
        "quote": 3,
        "person": 2,
        "topic": 1,
    }
    assert report["edges"]["SUPPORTED_BY"] == 3
    assert report["edges"]["HAS_EPISODE"] == 2
    assert report["documents"] == {"segment": 2, "insight": 3}
    assert report["quarantined"] == report["dropped"] == []


def test_a_second_build_does_nothing_until_something_changes(tiny: Path) -> None:
    first = build_index(tiny)
    again = build_index(tiny)
    assert (first.fresh, again.fresh) == (True, False)
    assert again.report == first.report
    write_episode(tiny, "three", insights={"insight:c1": "Looms are loud."})
    changed = build_index(tiny)
    assert changed.fresh
    assert changed.report["episodes"] == 3
    assert changed.report["updated"] == {"written": 1, "removed": 0}
    anew = build_index(tiny, rebuild=True)
    assert anew.report["reused_vectors"] == sum(anew.report["documents"].values())


def test_vectors_are_those_of_the_encoder(tiny: Path) -> None:
    generation = build_index(tiny).generation
    connection = sqlite3.connect(generation.database)
    rows = connection.execute(
        "SELECT d.text, v.embedding FROM documents d JOIN document_vectors v USING (key)"
    ).fetchall()
    connection.close()
    expected = open_encoder().encode_documents([text for text, _ in rows])
    stored = np.stack([np.frombuffer(blob, dtype="<f4") for _, blob in rows])
    assert (stored * expected).sum(axis=1) == pytest.approx(1.0, abs=1e-5)


def test_an_unfinished_build_gives_its_vectors_to_the_next(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stop(Exception):
        pass

    def stop(*arguments: object, **named: object) -> None:
        raise Stop

    with monkeypatch.context() as patch:
        patch.setattr("podcast_scraper.index.build.write_derived", stop)
        with pytest.raises(Stop):
            build_index(tiny)
    location = IndexLocation.of(tiny)
    assert location.current_name() is None
    outcome = build_index(tiny)
    assert outcome.report["reused_vectors"] == sum(outcome.report["documents"].values())
    assert not list((location.directory / "generations").glob("*.building"))


def test_an_empty_corpus_is_told(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="import"):
        build_index(tmp_path)
    with pytest.raises(CorpusError):
        build_index(tmp_path / "absent")
    assert not (tmp_path / ".podcast-scraper").exists()


def test_removal_reaches_the_index_and_an_emptied_corpus_has_none(tiny: Path) -> None:
    follow_removal(tiny)
    assert IndexLocation.of(tiny).current_name() is None, "nothing to follow"
    build_index(tiny)
    files = sorted(tiny.glob("feeds/*/metadata/*"))
    for path in files:
        if path.name.startswith(files[0].name.split(".")[0]):
            path.unlink()
    follow_removal(tiny)
    with open_corpus(tiny) as corpus:
        assert corpus.health()["counts"]["episodes"] == 1
    for path in tiny.glob("feeds/*/metadata/*"):
        path.unlink()
    follow_removal(tiny)
    assert not list((IndexLocation.of(tiny).directory / "generations").iterdir())
    with pytest.raises(IndexMissingError):
        open_corpus(tiny)


def test_the_model_stays_that_of_the_index(tiny: Path) -> None:
    build_index(tiny, model="pkg:minilm")
    write_episode(tiny, "later", insights={"insight:later": "Looms came later."})
    outcome = build_index(tiny)
    assert (outcome.fresh, outcome.generation.manifest.encoder) == (True, "pkg:minilm")
    assert build_index(tiny, model="pkg:bge-small").generation.manifest.encoder == "pkg:bge-small"


def test_one_bad_file_loses_nothing_else(tiny: Path) -> None:
    (tiny / "feeds" / "engines" / "metadata" / "bad.gi.json").write_text('{"nodes": [')
    outcome = build_index(tiny)
    assert outcome.report["episodes"] == 2
    assert [item["path"] for item in outcome.report["quarantined"]] == [
        "feeds/engines/metadata/bad.gi.json"
    ]


def test_two_builders_at_once(tiny: Path) -> None:
    location = IndexLocation.of(tiny)
    with location.building() as place, pytest.raises(IndexLockedError, match="--wait"):
        build_index(tiny)
    place.discard()


def test_a_waiting_builder_gets_its_turn(tiny: Path) -> None:
    location = IndexLocation.of(tiny)
    outcomes = []
    with location.building() as place:
        waiting = threading.Thread(target=lambda: outcomes.append(build_index(tiny, wait=30)))
        waiting.start()
        place.discard()
    waiting.join()
    assert outcomes[0].fresh


def test_an_index_elsewhere_leaves_the_corpus_untouched(tiny: Path, tmp_path: Path) -> None:
    before = sorted(path for path in tiny.rglob("*"))
    build_index(tiny, index_dir=tmp_path / "elsewhere")
    assert sorted(path for path in tiny.rglob("*")) == before
    with open_corpus(tiny, index_dir=tmp_path / "elsewhere") as corpus:
        assert corpus.search("loom").hits


def test_a_torn_index_is_told_at_opening(tiny: Path) -> None:
    generation = build_index(tiny).generation
    engine = sa.create_engine(f"sqlite:///{generation.database}")
    with engine.begin() as connection:
        connection.execute(sa.text("DELETE FROM meta WHERE key = 'search_seal'"))
    engine.dispose()
    with pytest.raises(IndexDamagedError, match="podcast-scraper index"):
        open_corpus(tiny)
    assert build_index(tiny).fresh
    open_corpus(tiny).close()


def test_a_missing_lexical_part_is_told_at_opening(tiny: Path) -> None:
    shutil.rmtree(build_index(tiny).generation.lexical)
    with pytest.raises(IndexDamagedError):
        open_corpus(tiny)


def test_another_model_is_told_at_the_first_search(tiny: Path) -> None:
    path = build_index(tiny).generation.path / "manifest.json"
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps({**manifest, "encoder_fingerprint": "pkg:bge-small@other"}))
    with open_corpus(tiny) as corpus, pytest.raises(IndexMismatchError, match="again"):
        corpus.search("loom")


def test_an_open_corpus_takes_up_a_new_generation(tiny: Path) -> None:
    build_index(tiny)
    with open_corpus(tiny) as corpus:
        old = corpus.index
        assert corpus.search("zeppelin").hits[0].rank == 1
        write_episode(tiny, "three", insights={"insight:c1": "A zeppelin is a slow argument."})
        build_index(tiny)
        assert corpus.search("zeppelin").hits[0].insight is not None
        assert corpus.search("zeppelin").hits[0].insight.id == "insight:c1"
        assert old.catalog.counts()["episodes"] == 2
