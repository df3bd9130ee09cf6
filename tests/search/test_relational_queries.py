"""Relational queries against plain loops over the records, and what their rows carry."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st

from podcast_scraper.errors import UsageError
from podcast_scraper.search import relational_queries as rq
from podcast_scraper.search.corpus_graph import CorpusGraph
from podcast_scraper.search.graph.files import write_graph
from podcast_scraper.storage import schema
from tests.search.graph_corpus import EpisodeDraft, write_index
from tests.search.test_corpus_graph import corpora

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from podcast_scraper.artifacts.records import EpisodeRecord

ALL = 1_000


class Plain:
    """The corpus as dictionaries of sets, straight from the edges of the records."""

    def __init__(self, records: Sequence[EpisodeRecord]) -> None:
        self.speakers: dict[str, set[str]] = defaultdict(set)
        self.topics: dict[str, set[str]] = defaultdict(set)
        self.mentions: dict[str, set[str]] = defaultdict(set)
        self.episode: dict[str, str] = {}
        self.show: dict[str, str] = {}
        for record in records:
            spoken = [(e.source, e.target) for e in record.edges if e.type == "SPOKEN_BY"]
            for edge in record.edges:
                if edge.type == "HAS_INSIGHT":
                    self.episode[edge.target] = record.episode_id
                    self.show[edge.target] = record.show.id
                elif edge.type == "ABOUT":
                    self.topics[edge.source].add(edge.target)
                elif edge.type.startswith("MENTIONS_"):
                    self.mentions[edge.source].add(edge.target)
                elif edge.type == "SUPPORTED_BY":
                    self.speakers[edge.source] |= {p for q, p in spoken if q == edge.target}

    def by(self, person: str) -> set[str]:
        return {i for i in self.episode if person in self.speakers[i]}

    def on(self, topic: str) -> set[str]:
        return {i for i in self.episode if topic in self.topics[i]}

    def topics_by(self, person: str) -> Counter[str]:
        return Counter(t for i in self.by(person) for t in self.topics[i])


def ids(relation: Sequence[rq.RelatedNode]) -> list[str]:
    return [row.id for row in relation]


@settings(max_examples=40)
@given(corpora(), st.booleans())
def test_people_against_plain_loops(records: list[EpisodeRecord], linked: bool) -> None:
    plain = Plain(records)
    graph = CorpusGraph.from_records(records, derive_speaker_links=linked)
    people = graph.nodes_by_type("person")
    for person in people:
        positions = rq.positions_of(graph, person, k=ALL)
        assert set(ids(positions)) == plain.by(person)
        assert {s.id for row in positions for s in row.speakers} <= {person}
        about = rq.insights_about(graph, person, k=ALL)
        assert set(ids(about)) == {i for i in plain.episode if person in plain.mentions[i]}
        topics = rq.topics_of(graph, person, k=ALL)
        assert {r.id: r.details["insights"] for r in topics} == plain.topics_by(person)
        _check_co_speakers(graph, plain, person, people)
        for other in people:
            shared = set(plain.topics_by(person)) & set(plain.topics_by(other))
            assert set(ids(rq.shared_topics(graph, person, other, k=ALL))) == shared


def _check_co_speakers(
    graph: CorpusGraph, plain: Plain, person: str, people: Sequence[str]
) -> None:
    expected = {}
    episodes = {plain.episode[i] for i in plain.by(person)}
    for other in set(people) - {person}:
        together = len(episodes & {plain.episode[i] for i in plain.by(other)})
        alike = len(set(plain.topics_by(person)) & set(plain.topics_by(other)))
        if together or alike:
            expected[other] = {"shared_episodes": together, "shared_topics": alike}
    found = {row.id: row.details for row in rq.co_speakers(graph, person, k=ALL)}
    assert found == expected


@settings(max_examples=40)
@given(corpora())
def test_topics_against_plain_loops(records: list[EpisodeRecord]) -> None:
    graph, plain = CorpusGraph.from_records(records), Plain(records)
    for topic in graph.nodes_by_type("topic"):
        said: dict[str, set[str]] = defaultdict(set)
        for row in rq.who_said(graph, topic, k=ALL):
            assert row.group is not None
            said[row.group.id].add(row.id)
        expected: dict[str, set[str]] = defaultdict(set)
        for insight in plain.on(topic):
            for speaker in plain.speakers[insight] or {""}:
                expected[speaker].add(insight)
        assert said == expected
        shows = {plain.show[i] for i in plain.on(topic)}
        assert {
            row.group.id for row in rq.cross_show_synthesis(graph, topic, k=ALL) if row.group
        } == shows
        others = Counter(t for i in plain.on(topic) for t in plain.topics[i] if t != topic)
        related = rq.related_topics(graph, topic, k=ALL)
        assert {r.id: r.details["insights"] for r in related} == others
        mentioned = Counter(m for i in plain.on(topic) for m in plain.mentions[i])
        entities = rq.entities_in_topic(graph, topic, k=ALL)
        assert {r.id: r.details["insights"] for r in entities} == mentioned
        for person in graph.nodes_by_type("person"):
            arc = rq.position_arc(graph, person, topic, k=ALL)
            assert set(ids(arc)) == plain.by(person) & plain.on(topic)
        trace = rq.trace(graph, topic, k=ALL)
        assert sum(row.details["insights"] for row in trace) == len(plain.on(topic))


@settings(max_examples=40)
@given(corpora())
def test_insights_against_plain_loops(records: list[EpisodeRecord]) -> None:
    graph, plain = CorpusGraph.from_records(records), Plain(records)
    for insight in graph.nodes_by_type("insight"):
        things = plain.topics[insight] | plain.mentions[insight]
        sharing = {
            other
            for other in plain.episode
            if other != insight and things & (plain.topics[other] | plain.mentions[other])
        }
        assert set(ids(rq.related_insights(graph, insight, k=ALL))) == sharing
        assert set(ids(rq.topics_of_insight(graph, insight, k=ALL))) == plain.topics[insight]
        assert set(ids(rq.entities_in(graph, insight, k=ALL))) == plain.mentions[insight]
        (detail,) = rq.insight_detail(graph, insight)
        assert {t["id"] for t in detail.details["topics"]} == plain.topics[insight]
        assert {s.id for s in detail.speakers} == plain.speakers[insight]


def arc_corpus() -> list[EpisodeRecord]:
    one = EpisodeDraft("e1", "a", "2024-01-10", "The first")
    tea = one.topic("Tea")
    ada, bo = one.person("Ada", "host"), one.person("Bo")
    one.insight("late", "Tea is fine after all.", about=[tea], by=[ada], hint=0.9)
    one.insight("early", "Tea is bad.", about=[tea], by=[ada, bo], hint=0.1, mentions=[bo])
    two = EpisodeDraft("e2", "b", "2024-03-02", "The second")
    two.topic("Tea")
    two.topic("Rain")
    two.person("Ada")
    two.insight("new", "Tea is best.", about=[tea, "topic:rain"], by=[ada])
    two.insight("nobody", "Tea exists.", about=[tea], mentions=[ada])
    three = EpisodeDraft("e3", "b", None, "Of unknown date")
    three.topic("Tea")
    three.person("Ada")
    three.insight("undated", "Tea, some day.", about=[tea], by=[ada])
    return [one.record(), two.record(), three.record()]


def debate() -> list[EpisodeRecord]:
    """Two people on tea: one pair opposed, one agreeing, a third view by nobody."""
    one, two = EpisodeDraft("e1", "a", "2024-01-01"), EpisodeDraft("e2", "b", "2024-01-02")
    tea, ada = one.topic("Tea"), one.person("Ada")
    one.insight("for", "Green tea is good and should be kept hot.", about=[tea], by=[ada])
    one.insight("self", "It is wrong to rush tea.", about=[tea], by=[ada])
    two.topic("Tea")
    bo = two.person("Bo")
    two.insight("against", "Nobody gains from green leaves, no, not ever.", about=[tea], by=[bo])
    two.insight("with", "Hot green cups are good.", about=[tea], by=[bo])
    two.insight("nobody", "Green tea is useless and wrong.", about=[tea])
    return [one.record(), two.record()]


def test_candidate_tensions_show_both_sides() -> None:
    graph = CorpusGraph.from_records(debate())
    found = rq.tensions(graph, "topic:tea")
    assert ids(found) == ["insight:against|insight:for"]
    (row,) = found
    assert row.type == "tension"
    assert row.details == {"candidate": True}
    assert row.pair is not None
    assert [s.id for s in row.speakers] == ["person:bo", "person:ada"]
    assert {q.id for q in row.quotes} == {"quote:against-0", "quote:for-0"}
    assert row.path == ("insight:against", "topic:tea", "insight:for")
    as_json = rq.to_json(graph, "tensions", found)["rows"][0]
    assert [side["id"] for side in as_json["pair"]] == ["insight:against", "insight:for"]


def test_candidate_agreements_are_by_different_people() -> None:
    graph = CorpusGraph.from_records(debate())
    assert ids(rq.agreements(graph, "topic:tea")) == ["insight:for|insight:with"]


@pytest.fixture(scope="module")
def graph() -> CorpusGraph:
    return CorpusGraph.from_records(arc_corpus())


def test_a_row_carries_where_it_comes_from(graph: CorpusGraph) -> None:
    row = next(r for r in rq.positions_of(graph, "person:bo") if r.id == "insight:early")
    assert (row.type, row.text) == ("insight", "Tea is bad.")
    assert (row.show_id, row.show_title) == ("podcast:a", "Show A")
    assert (row.episode_id, row.episode_title, row.date) == ("e1", "The first", "2024-01-10")
    assert [(s.id, s.name) for s in row.speakers] == [("person:bo", "Bo")]
    (quote,) = row.quotes
    assert (quote.id, quote.text) == ("quote:early-1", "Said early.")
    assert (quote.start_ms, quote.end_ms) == (2000, 3000)
    assert quote.media_url == "https://example.org/e1.mp3"
    assert row.path == ("person:bo", "quote:early-1", "insight:early")


def test_a_person_merely_mentioned_never_appears_as_the_speaker(graph: CorpusGraph) -> None:
    (about,) = rq.insights_about(graph, "person:bo")
    assert about.id == "insight:early"
    record = EpisodeDraft("e1")
    record.insight("i", by=[record.person("Ada")], mentions=[record.person("Bo")])
    only = CorpusGraph.from_records([record.record()])
    assert rq.positions_of(only, "person:bo") == []
    assert [s.id for s in rq.insights_about(only, "person:bo")[0].speakers] == ["person:ada"]


def test_positions_are_newest_first_and_arcs_oldest_first(graph: CorpusGraph) -> None:
    assert ids(rq.positions_of(graph, "person:ada")) == [
        "insight:new",
        "insight:early",
        "insight:late",
        "insight:undated",
    ]
    assert ids(rq.position_arc(graph, "person:ada", "topic:tea")) == [
        "insight:early",
        "insight:late",
        "insight:new",
        "insight:undated",
    ]


def test_who_said_groups_by_speaker_and_counts_the_unattributed(graph: CorpusGraph) -> None:
    rows = rq.who_said(graph, "topic:tea")
    groups = [(r.group.label, r.details["group_insights"]) for r in rows if r.group]
    assert groups == [("Ada", 4)] * 4 + [("Bo", 1), ("Unattributed", 1)]
    assert rows.total == 6
    assert rows[5].id == "insight:nobody"
    assert rows[5].speakers == ()


def test_a_voice_is_nobody_in_who_said() -> None:
    episode = EpisodeDraft("e1")
    voice = episode.person("person:speaker-02@e1")
    episode.insight("i", about=[episode.topic("Tea")], by=[voice])
    (row,) = rq.who_said(CorpusGraph.from_records([episode.record()]), "topic:tea")
    assert row.group == rq.Named("", "Unattributed")


def test_trace_tells_the_story_by_month_and_show(graph: CorpusGraph) -> None:
    story = [
        (
            row.details["month"],
            row.show_id,
            row.details["insights"],
            row.details["insights_so_far"],
            [p["id"] for p in row.details["new_speakers"]],
        )
        for row in rq.trace(graph, "topic:tea")
    ]
    assert story == [
        ("2024-01", "podcast:a", 2, 2, ["person:ada", "person:bo"]),
        ("2024-03", "podcast:b", 2, 4, []),
        ("unknown", "podcast:b", 1, 5, []),
    ]


def test_profile_counts_spoken_and_mentioned_apart(graph: CorpusGraph) -> None:
    bo = rq.profile(graph, "person:bo")
    assert isinstance(bo, rq.Profile)
    assert bo.spoke == {"insights": 1, "quotes": 1, "episodes": 1}
    assert bo.mentioned == {"insights": 1, "episodes": 1}
    assert bo.shows == ((rq.Named("podcast:a", "Show A"), 1),)
    assert bo.timeline == (("2024-01", 1, 1),)
    assert ids(bo.topics) == ["topic:tea"]
    assert ids(bo.co_speakers) == ["person:ada"]
    assert rq.profile(graph, "person:nobody") == []


def test_cross_show_takes_the_best_of_each_show(graph: CorpusGraph) -> None:
    rows = rq.cross_show_synthesis(graph, "topic:tea", per_show=2)
    counts = Counter(row.show_id for row in rows)
    assert counts == {"podcast:a": 2, "podcast:b": 2}
    assert "insight:nobody" not in ids(rows)  # grounded ones come first
    with pytest.raises(UsageError, match="per_show"):
        rq.cross_show_synthesis(graph, "topic:tea", per_show=0)


def test_concept_topics_expand_to_their_members() -> None:
    episode = EpisodeDraft("e1")
    concept = episode.add("concept:topic-drinks", "topic", label="Drinks")
    for name in ("Tea", "Coffee"):
        topic = episode.topic(name)
        episode.edge("RELATED_TO", topic, concept, "kg")
        episode.insight(name.lower(), about=[topic], by=[episode.person("Ada")])
    graph = CorpusGraph.from_records([episode.record()])
    assert set(ids(rq.who_said(graph, concept))) == {"insight:tea", "insight:coffee"}
    assert ids(rq.who_said(graph, "topic:tea")) == ["insight:tea"]
    assert ids(rq.related_topics(graph, "topic:tea")) == [concept]


def test_recurring_words_of_one_speaker_are_one_row() -> None:
    records = []
    for number, who in enumerate(["Ada", "Ada", "Bo"]):
        episode = EpisodeDraft(f"e{number}", day=f"2024-01-0{number + 1}")
        tea = episode.topic("Tea")
        episode.insight(f"same@e{number}", about=[tea], by=[episode.person(who)])
        records.append(episode.record())
    graph = CorpusGraph.from_records(records)
    (row,) = rq.positions_of(graph, "person:ada")
    assert (row.id, row.also_in) == ("insight:same@e1", ("e0",))
    assert ids(rq.insights_about(graph, "topic:tea")) == ["insight:same@e2", "insight:same@e1"]
    unknown = rq.insight_detail(graph, "insight:same")
    assert [s.id for s in unknown.suggestions] == [
        "insight:same@e0",
        "insight:same@e1",
        "insight:same@e2",
    ]


def test_paging_is_stable_and_complete(graph: CorpusGraph) -> None:
    whole = ids(rq.who_said(graph, "topic:tea"))
    paged = [i for o in range(0, 8, 2) for i in ids(rq.who_said(graph, "topic:tea", k=2, offset=o))]
    assert paged == whole
    assert rq.who_said(graph, "topic:tea", k=2, offset=99).total == 6


def test_k(graph: CorpusGraph) -> None:
    nothing = rq.positions_of(graph, "person:ada", k=0)
    assert (len(nothing), nothing.total) == (0, 4)
    assert len(rq.positions_of(graph, "person:ada", k=10**12)) == 4
    for query in ("positions", "topics", "co-speakers", "trace", "profile"):
        with pytest.raises(UsageError, match="-1"):
            rq.run(graph, query, "person:ada", k=-1)
    with pytest.raises(UsageError, match="offset"):
        rq.positions_of(graph, "person:ada", offset=-1)


def test_unknown_ids_suggest_near_ones(graph: CorpusGraph) -> None:
    result = rq.positions_of(graph, "person:adda")
    assert result == []
    assert result.total == 0
    assert result.suggestions == (rq.Named("person:ada", "Ada"),)
    assert rq.positions_of(graph, "").suggestions == ()


@pytest.mark.parametrize("name", list(rq.QUERIES))
def test_ids_of_the_wrong_type_or_unknown_are_empty_everywhere(
    graph: CorpusGraph, name: str
) -> None:
    other = "person:ada" if rq.QUERIES[name].other else None
    wrong = rq.run(graph, name, "quote:early-0", other=other)
    assert isinstance(wrong, rq.Relation)
    assert wrong == []
    assert wrong.note is not None
    assert "quote" in wrong.note
    for unknown in ("", "x", "person:", "topic:\x00", "é" * 10_000):
        assert rq.run(graph, name, unknown, other=other) == []


def test_relevance_reorders_without_dropping(graph: CorpusGraph) -> None:
    def scorer(node_ids: Sequence[str]) -> dict[str, float]:
        return {"insight:undated": 2.0, "insight:late": 1.0} | dict.fromkeys(node_ids[:0], 0.0)

    assert ids(rq.positions_of(graph, "person:ada", scorer=scorer)) == [
        "insight:undated",
        "insight:late",
        "insight:new",
        "insight:early",
    ]


@pytest.mark.parametrize("name", list(rq.QUERIES))
def test_an_index_gives_the_same_json(tmp_path: Path, name: str, store_url: str | None) -> None:
    records = debate() if name in ("tensions", "agreements") else arc_corpus()
    loose = CorpusGraph.from_records(records)
    engine = write_index(tmp_path / "000001", records, store_url)
    write_graph(tmp_path, engine)
    stored = CorpusGraph.open(tmp_path, engine)
    query = rq.QUERIES[name]
    subjects = {
        "person": "person:ada",
        "topic": "topic:tea",
        "insight": "insight:early",
        "podcast": "podcast:b",
        "episode": "episode:e1",
    }
    subject = subjects[query.subject.partition(" ")[0].rstrip(",")]
    other = subjects[query.other] if query.other else None
    results = [rq.run(graph, name, subject, other=other) for graph in (loose, stored)]
    made = [rq.to_json(graph, name, r) for graph, r in zip((loose, stored), results, strict=True)]
    assert made[0] == made[1]
    assert made[0]["total"] > 0
    assert made[0]["subject"]["id"] == subject
    engine.dispose()


def test_an_episode_that_disappears_is_left_out(tmp_path: Path, store_url: str | None) -> None:
    engine = write_index(tmp_path / "000001", arc_corpus(), store_url)
    write_graph(tmp_path, engine)
    graph = CorpusGraph.open(tmp_path, engine)
    with engine.begin() as connection:
        for table in (schema.Insight, schema.Quote):
            connection.execute(sa.delete(table).where(table.episode_id == "e2"))
    assert ids(rq.positions_of(graph, "person:ada")) == [
        "insight:early",
        "insight:late",
        "insight:undated",
    ]
    assert len(rq.topics_of(graph, "person:ada")) == 2
    assert len(rq.trace(graph, "topic:tea")) == 2
    engine.dispose()


def test_names_options_and_mistakes(graph: CorpusGraph) -> None:
    by_function = rq.run(graph, "positions_of", "person:ada")
    assert by_function == rq.run(graph, "positions", "person:ada")
    with pytest.raises(UsageError, match="positions"):
        rq.run(graph, "no-such", "person:ada")
    with pytest.raises(UsageError, match="second id"):
        rq.run(graph, "shared-topics", "person:ada")
    with pytest.raises(UsageError, match="one id"):
        rq.run(graph, "positions", "person:ada", other="person:bo")
    with pytest.raises(UsageError, match="per_show"):
        rq.run(graph, "positions", "person:ada", per_show=2)
    assert all(query.help.endswith((".", ":")) for query in rq.QUERIES.values())


def test_merged_ids_lead_to_the_kept_one() -> None:
    graph = CorpusGraph.from_records(arc_corpus(), identity_map={"person:bo": "person:ada"})
    assert ids(rq.positions_of(graph, "person:bo")) == ids(rq.positions_of(graph, "person:ada"))
