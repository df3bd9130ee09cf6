"""Reading records: against the raw files of the sample corpus."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from podcast_scraper.errors import NotFoundError
from tests.postgres import FILES_OR_POSTGRES

if TYPE_CHECKING:
    from pathlib import Path

    from podcast_scraper.corpus import Corpus


@pytest.fixture(params=FILES_OR_POSTGRES)
def sample(request: pytest.FixtureRequest) -> Corpus:
    """The sample corpus with its records in a file, and in a database."""
    where = "sample" if request.param == "files" else "sample_in_postgres"
    opened: Corpus = request.getfixturevalue(where)
    return opened


def test_labels_of_every_kind(sample: Corpus) -> None:
    episode = next(iter(sample.catalog.episodes().values()))
    person = next(s.speaker_id for s in sample.catalog.transcript(episode.id)[1] if s.speaker_id)
    labels = sample.catalog.labels(
        [episode.id, f"episode:{episode.id}", episode.show_id, person, "person:nobody"]
    )
    assert labels[episode.id] == episode.title
    assert labels[episode.show_id] == episode.show_title
    assert person in labels
    assert "person:nobody" not in labels
    assert sample.catalog.labels([]) == {}


def test_an_episode_is_what_its_files_say(sample: Corpus, sample_path: Path) -> None:
    path = next(sample_path.rglob("*.gi.json"))
    gi = json.loads(path.read_text())
    quotes = {n["id"]: n["properties"] for n in gi["nodes"] if n["type"] == "Quote"}
    spoken = {e["from"]: e["to"] for e in gi["edges"] if e["type"] == "SPOKEN_BY"}
    insights = sample.catalog.insights(gi["episode_id"])
    expected = [n["id"] for n in gi["nodes"] if n["type"] == "Insight"]
    # A recurring insight is told apart by its episode.
    assert sorted(i.id.partition("@")[0] for i in insights) == sorted(expected)
    for insight in insights:
        for quote in insight.quotes:
            raw = quotes[quote.id.partition("@")[0]]
            assert quote.text == raw["text"]
            assert quote.start_ms == raw["timestamp_start_ms"]
            if quote.id in spoken:
                assert quote.speaker_id == spoken[quote.id]


def test_episodes_are_listed_newest_first(sample: Corpus) -> None:
    dates = [episode.date or "" for episode in sample.catalog.episodes().values()]
    assert dates == sorted(dates, reverse=True)
    show = sample.catalog.shows()[0]
    assert len(sample.catalog.episodes(show_id=show.id)) == show.episodes


def test_an_unknown_episode_is_told(sample: Corpus) -> None:
    with pytest.raises(NotFoundError, match="nobody"):
        sample.catalog.episode("nobody")
    assert sample.catalog.transcript("nobody") == ("", [])
    assert sample.catalog.insights("nobody") == []
