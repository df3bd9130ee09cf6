"""Bringing an index up to date equals building it, whatever was edited in whatever order."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from podcast_scraper.artifacts import scan_memory
from podcast_scraper.corpus import open_corpus
from podcast_scraper.index import update
from podcast_scraper.index.build import build_index
from podcast_scraper.storage.driver import open_engine
from podcast_scraper.storage.generations import IndexLocation
from tests.corpora import write_episode
from tests.index.dumps import dump
from tests.index.encoders import WordEncoder, word_encoder

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["word_encoder"]

pytestmark = pytest.mark.usefixtures("word_encoder")

WORDS = ("loom", "engine", "steam", "algebra", "kelp", "harbour")
STEMS = ("one", "two", "three", "four", "five")
SPEAKERS = ("Ada Byron", "Carl Webb", "Ida Voss")

# An edit: the episode, and what it says from now on, who says it, in which show; None removes it.
CONTENT = st.tuples(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=3, unique=True),
    st.sampled_from(SPEAKERS),
    st.sampled_from(["engines", "tides"]),
    st.booleans(),
)
EDITS = st.lists(
    st.lists(st.tuples(st.sampled_from(STEMS), st.none() | CONTENT), min_size=1, max_size=3),
    min_size=1,
    max_size=4,
)


def edit(corpus: Path, stem: str, content: tuple[list[str], str, str, bool] | None) -> None:
    for show in ("engines", "tides"):
        for path in (corpus / "feeds" / show / "metadata").glob(f"{stem}.*"):
            path.unlink()
    if content is None:
        return
    words, speaker, show, shared = content
    # Ids that recur over episodes get a scope: what one episode holds changes another one.
    prefix = "shared" if shared else stem
    insights = {f"insight:{prefix}-{word}": f"The {word} is said to be quiet." for word in words}
    write_episode(corpus, stem, insights=insights, speaker=speaker, show=show)


@pytest.fixture(autouse=True)
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files count as known as soon as they were read, as they do seconds later."""
    monkeypatch.setattr(scan_memory, "SETTLED_NS", 0)


@settings(
    max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(EDITS)
def test_an_updated_index_equals_one_built_anew(
    tmp_path_factory: pytest.TempPathFactory,
    edits: list[list[tuple[str, tuple[list[str], str, str, bool] | None]]],
) -> None:
    corpus = tmp_path_factory.mktemp("corpus")
    write_episode(corpus, "base", insights={"insight:base": "Every loom hums."})
    build_index(corpus)
    for step in edits:
        for stem, content in step:
            edit(corpus, stem, content)
        build_index(corpus)
    updated = build_index(corpus)
    assert not updated.fresh
    assert updated.generation.path.name == "000001"  # never built anew
    anew = build_index(corpus, index_dir=tmp_path_factory.mktemp("anew"))
    assert dump(updated.generation, WORDS) == dump(anew.generation, WORDS)
    shutil.rmtree(corpus)


def test_readers_keep_their_state_and_take_up_the_next(tiny: Path) -> None:
    build_index(tiny)
    with open_corpus(tiny) as corpus:
        before = corpus.index
        found = before.backend.fetch(["insight:b1"])
        write_episode(tiny, "two", insights={"insight:b2": "A zeppelin is slow."})
        outcome = build_index(tiny)
        assert outcome.generation.path == before.generation.path
        assert outcome.generation.manifest.generation == "000001.2"
        assert before.backend.fetch(["insight:b1"]) == found
        assert before.catalog.counts()["insights"] == 3
        hits = corpus.search("zeppelin").hits
        assert hits[0].insight is not None
        assert hits[0].insight.id == "insight:b2"
        assert corpus.search("zeppelin").generation == "000001.2"
        assert corpus.index.backend.fetch(["insight:b1"]) == {}


def test_an_update_encodes_what_is_new_alone(tiny: Path, word_encoder: WordEncoder) -> None:
    build_index(tiny)
    write_episode(
        tiny,
        "one",
        insights={
            "insight:a1": "Steam gives the loom its strength.",
            "insight:a3": "Nothing is woven by hand.",
        },
    )
    report = build_index(tiny).report
    assert report["updated"] == {"written": 1, "removed": 0}
    assert report["reused_vectors"] == 1  # of a1; a3 and the passage are new
    assert report["documents"] == {"segment": 2, "insight": 3}


def test_what_was_noted_on_unchanged_episodes_stays_in_the_report(tiny: Path) -> None:
    (tiny / "feeds" / "engines" / "metadata" / "bad.gi.json").write_text('{"nodes": [')
    before = build_index(tiny).report
    write_episode(tiny, "three", insights={"insight:c1": "Looms are loud."})
    after = build_index(tiny).report
    assert after["quarantined"] == before["quarantined"] != []


def test_an_update_that_stopped_between_its_revisions_goes_on(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_index(tiny)
    monkeypatch.setattr(update, "EPISODES_A_REVISION", 1)
    monkeypatch.setattr(update, "MOST_CHANGED", 10)
    for number in range(3):
        write_episode(tiny, f"new{number}", insights={f"insight:n{number}": f"Item {number}."})
    revise, seen = update.Update._revise, []

    def stopping(self: update.Update, *parts: object) -> None:
        if seen:
            raise KeyboardInterrupt
        seen.append(revise(self, *parts))  # type: ignore[arg-type, func-returns-value]

    with monkeypatch.context() as patch:
        patch.setattr(update.Update, "_revise", stopping)
        with pytest.raises(KeyboardInterrupt):
            build_index(tiny)
    with open_corpus(tiny) as corpus:  # usable, with what was committed
        assert len(corpus.catalog.episodes()) == 3
    # Back to what was there first: the manifest's fingerprint fits, its revision does not.
    for number in range(3):
        for path in (tiny / "feeds").rglob(f"new{number}.*"):
            path.unlink()
    outcome = build_index(tiny)
    assert outcome.report["updated"] == {"written": 0, "removed": 1}
    with open_corpus(tiny) as corpus:
        assert len(corpus.catalog.episodes()) == 2


def test_an_update_that_stopped_twice_before_its_graph_makes_it(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies(*_: object) -> None:
        raise KeyboardInterrupt

    build_index(tiny)
    write_episode(tiny, "three", insights={"insight:c1": "Looms are loud."})
    for _ in range(2):
        with monkeypatch.context() as patch:
            patch.setattr("podcast_scraper.index.refresh.write_derived", dies)
            with pytest.raises(KeyboardInterrupt):
                build_index(tiny)
    assert build_index(tiny).fresh
    with open_corpus(tiny) as corpus:
        assert "insight:c1" in corpus.graph


def test_many_changes_or_other_decisions_build_anew(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_index(tiny)
    for number in range(update.EPISODES_A_REVISION + 1):
        write_episode(tiny, f"new{number}", insights={f"insight:n{number}": f"Item {number}."})
    assert build_index(tiny).generation.path.name == "000002"
    with open_corpus(tiny) as corpus:
        corpus.identities.merge("person:ada-byron", "person:carl-webb", author="test")
    assert build_index(tiny).generation.path.name == "000003"


def test_damage_that_opening_does_not_see_is_mended_by_index(tiny: Path) -> None:
    generation = build_index(tiny).generation
    engine = open_engine(generation.database)
    with engine.begin() as connection:
        size = connection.execute(sa.text("PRAGMA page_size")).scalar_one()
        page = connection.execute(
            sa.text("SELECT rootpage FROM sqlite_schema WHERE name = 'episodes'")
        ).scalar_one()
        connection.execute(sa.text("PRAGMA wal_checkpoint(TRUNCATE)"))
    engine.dispose()
    with generation.database.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)
    write_episode(tiny, "three", insights={"insight:c1": "Looms are loud."})
    assert build_index(tiny).generation.path.name == "000002"
    assert IndexLocation.of(tiny).current_name() == "000002"
