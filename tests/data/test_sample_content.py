"""What the sample corpus promises its visitors: size, recurring people, arcs, shared concepts."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from tests.data.conftest import DATA, SAMPLE

if TYPE_CHECKING:
    from tests.data.conftest import RawEpisode


def _speakers(episode: RawEpisode) -> set[str]:
    return {source for source, _ in episode.edges("gi", "SPOKE_IN")}


def _shows_by_speaker(corpus: list[RawEpisode]) -> dict[str, set[str]]:
    shows = defaultdict(set)
    for episode in corpus:
        for person in _speakers(episode):
            shows[person].add(episode.metadata["feed"]["feed_id"])
    return shows


def test_size(corpus: list[RawEpisode]) -> None:
    words = [sum(len(s["text"].split()) for s in episode.segments) for episode in corpus]
    full = [n for n in words if n >= 850]
    assert len(full) >= 24
    assert sum(full) >= 20_000
    assert len({episode.metadata["feed"]["feed_id"] for episode in corpus}) >= 4
    assert all(5 <= len(episode.nodes("gi", "Insight")) <= 16 for episode in corpus)


def test_people_recur_across_shows_and_over_years(corpus: list[RawEpisode]) -> None:
    guests_of_several = {p for p, shows in _shows_by_speaker(corpus).items() if len(shows) > 1}
    assert {"person:joel-tamsin", "person:ruben-castellane", "person:priya-raghunathan"} <= (
        guests_of_several
    )
    assert len(guests_of_several) >= 8
    years = {episode.metadata["episode"]["published_date"][:4] for episode in corpus}
    assert years == {"2022", "2023", "2024", "2025"}


def test_special_people(corpus: list[RawEpisode]) -> None:
    everybody = set(_shows_by_speaker(corpus))
    assert {"person:ilse-vandermeer", "person:ilse-van-der-meer"} <= everybody
    assert {"person:hanne-sorley", "person:magnus-sorley"} <= everybody
    assert {"person:speaker-02", "person:speaker-03"} <= everybody
    named = {n["id"] for e in corpus for n in e.kg["nodes"] if n["type"] == "Person"}
    silent = {"person:edda-quillfeather", "person:cornelius-vane", "person:jasper-ullathorne"}
    assert silent <= named - everybody
    assert not {"person:ad", "person:speaker-02"} & named


def test_views_can_be_followed_over_several_episodes(corpus: list[RawEpisode]) -> None:
    episodes: dict[tuple[str, str], set[str]] = defaultdict(set)
    for episode in corpus:
        speaker_of = dict(episode.edges("gi", "SPOKEN_BY"))
        quotes_of = defaultdict(set)
        for insight, quote in episode.edges("gi", "SUPPORTED_BY"):
            quotes_of[insight].add(quote)
        for insight, topic in episode.edges("gi", "ABOUT"):
            for quote in quotes_of[insight]:
                episodes[speaker_of[quote], topic].add(episode.id)
    arcs = Counter({pair: len(found) for pair, found in episodes.items()})
    assert arcs["person:hanne-sorley", "topic:kelp-carbon"] == 3
    assert arcs["person:joel-tamsin", "topic:soil-carbon"] == 4
    assert arcs["person:amara-nwosu", "topic:rent-control"] == 2
    assert sum(n >= 2 for n in arcs.values()) >= 15


def test_concept_topics_join_topics_of_several_shows(corpus: list[RawEpisode]) -> None:
    shows: dict[str, set[str]] = defaultdict(set)
    for episode in corpus:
        for _, concept in episode.edges("kg", "RELATED_TO"):
            shows[concept].add(episode.metadata["feed"]["feed_id"])
    assert all(concept.startswith("concept:topic-") for concept in shows)
    assert len(shows["concept:topic-automation"]) >= 4
    assert sum(len(found) >= 2 for found in shows.values()) >= 5


def test_a_stock_sentence_keeps_its_id_and_has_several_speakers(corpus: list[RawEpisode]) -> None:
    uses = Counter(n["id"] for e in corpus for n in e.nodes("gi", "Insight"))
    recurring = [insight for insight, n in uses.items() if n > 1]
    assert len(recurring) == 2
    speakers = set()
    for episode in corpus:
        quotes = {q for i, q in episode.edges("gi", "SUPPORTED_BY") if i == recurring[0]}
        speakers |= {p for q, p in episode.edges("gi", "SPOKEN_BY") if q in quotes}
    assert len(speakers) >= 2


def test_advertisements_are_segments_and_no_people(corpus: list[RawEpisode]) -> None:
    with_ads = [e for e in corpus if any(s["speaker_label"] == "Ad" for s in e.segments)]
    assert len(with_ads) >= 3
    assert all(s["name"] != "Ad" for e in with_ads for s in e.metadata["content"]["speakers"])


def test_all_insight_types_occur(corpus: list[RawEpisode]) -> None:
    types = Counter(
        n["properties"]["insight_type"] for e in corpus for n in e.nodes("gi", "Insight")
    )
    assert set(types) == {
        "claim",
        "recommendation",
        "observation",
        "question",
        "fact",
        "opinion",
    }
    assert min(types.values()) >= 20


def test_the_one_recording_is_there_and_small(corpus: list[RawEpisode]) -> None:
    urls = [u for e in corpus if (u := e.metadata["content"]["media_url"])]
    (url,) = urls
    recording = SAMPLE / url
    assert recording.stat().st_size < 600_000
    (episode,) = (e for e in corpus if e.metadata["content"]["media_url"])
    # 32 kbit/s at a constant rate, so the length follows from the size; one frame is 26 ms.
    seconds = recording.stat().st_size / 4000
    assert abs(seconds - episode.segments[-1]["end"]) < 0.5


def test_the_corpus_says_that_it_is_fiction() -> None:
    readme = (SAMPLE / "README.md").read_text(encoding="utf-8")
    assert "All of it is fiction" in readme
    people = (DATA / "sample_source" / "people.yaml").read_text(encoding="utf-8")
    assert "invented" in people.splitlines()[0]


def test_suggested_queries_are_all_in_the_readme() -> None:
    suggested = json.loads((SAMPLE / "suggested_queries.json").read_text(encoding="utf-8"))
    readme = (SAMPLE / "README.md").read_text(encoding="utf-8")
    assert 8 <= len(suggested) <= 12
    for item in suggested:
        assert set(item) == {"query", "why"}
        assert f"`{item['query']}`" in readme
