"""Queries whose rows are people, organisations and topics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from podcast_scraper.search.graph.arrays import NO_NODE
from podcast_scraper.search.relations import statements as st
from podcast_scraper.search.relations.assemble import entity_rows
from podcast_scraper.search.relations.paging import Scorer, by_relevance, page
from podcast_scraper.search.relations.rows import Relation
from podcast_scraper.search.relations.subjects import find_subject, named

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from podcast_scraper.search.corpus_graph import CorpusGraph


def entities_in(
    graph: CorpusGraph, insight: str, *, k: int = 20, offset: int = 0, scorer: Scorer | None = None
) -> Relation:
    """The people and organisations that an insight mentions, those of most insights first."""
    found = find_subject(graph, insight, "insight")
    if isinstance(found, Relation):
        return found
    entities = st.mentioned_in(graph, np.array([found]))[1]
    counts = np.array([st.insights_mentioning(graph, e).size for e in entities.tolist()])
    evidence = np.full(entities.size, found)
    return _counted(graph, found, entities, counts, evidence, k, offset, scorer)


def entities_in_topic(
    graph: CorpusGraph, topic: str, *, k: int = 20, offset: int = 0, scorer: Scorer | None = None
) -> Relation:
    """The people and organisations mentioned in insights on a topic, by number of insights."""
    found = find_subject(graph, topic, "topic")
    if isinstance(found, Relation):
        return found
    insights = st.newest_first(graph, st.insights_on(graph, found))
    at, entities = st.mentioned_in(graph, insights)
    return _tallied(graph, found, insights[at], entities, k, offset, scorer)


def topics_of(
    graph: CorpusGraph, person: str, *, k: int = 20, offset: int = 0, scorer: Scorer | None = None
) -> Relation:
    """The topics that a person made insights on, by number of insights."""
    found = find_subject(graph, person, "person")
    if isinstance(found, Relation):
        return found
    insights = st.newest_first(graph, st.insights_by(graph, found))
    at, topics = st.topics_of_insights(graph, insights)
    return _tallied(graph, found, insights[at], topics, k, offset, scorer)


def topics_of_insight(
    graph: CorpusGraph, insight: str, *, k: int = 20, offset: int = 0, scorer: Scorer | None = None
) -> Relation:
    """The topics that an insight is about, those of most insights first."""
    found = find_subject(graph, insight, "insight")
    if isinstance(found, Relation):
        return found
    topics = graph.typed(found, "ABOUT")
    counts = np.array([st.insights_on(graph, t).size for t in topics.tolist()])
    return _counted(graph, found, topics, counts, np.full(topics.size, found), k, offset, scorer)


def related_topics(
    graph: CorpusGraph, topic: str, *, k: int = 20, offset: int = 0, scorer: Scorer | None = None
) -> Relation:
    """Topics of the same insights, by number of insights; then those that a file relates."""
    found = find_subject(graph, topic, "topic")
    if isinstance(found, Relation):
        return found
    members = st.topic_members(graph, found)
    insights = st.newest_first(graph, st.insights_on(graph, found))
    at, topics = st.topics_of_insights(graph, insights)
    kept = ~np.isin(topics, members)
    stated = st.of_type(graph, graph.typed_many(members, "RELATED_TO")[1], "topic")
    extra = np.setdiff1d(stated, np.concatenate([members, topics]))
    insights, topics = insights[at][kept], topics[kept]
    return _tallied(graph, found, insights, topics, k, offset, scorer, unproven=extra)


def co_speakers(
    graph: CorpusGraph, person: str, *, k: int = 20, offset: int = 0, scorer: Scorer | None = None
) -> Relation:
    """People who spoke in the same episodes or made insights on the same topics.

    ``details`` count both: ``shared_episodes`` and ``shared_topics``; the former order first.
    """
    found = find_subject(graph, person, "person")
    if isinstance(found, Relation):
        return found
    topics = st.unique(st.topics_of_insights(graph, st.insights_by(graph, found))[1])
    at, on_topics = graph.typed_many(topics, "ABOUT")
    topic_people, topic_of = _pairs(graph, on_topics, topics[at])
    episodes = st.episodes_spoken_in(graph, found)
    episode_people, episode_of = st.people_speaking_in(graph, episodes)
    people = st.unique(np.concatenate([topic_people, episode_people]))
    people = people[(people != found) & st.without_voices(graph, people)]
    together = _count(people, episode_people, episode_of)
    alike = _count(people, topic_people, topic_of)
    order = np.lexsort((people, -alike, -together))
    ordered = by_relevance(graph, people[order], scorer)
    shown = ordered[page(ordered.size, k, offset)]
    place = np.searchsorted(people, shown)
    details = [{"shared_episodes": int(together[p]), "shared_topics": int(alike[p])} for p in place]
    evidence = [_newest_near(graph, int(other), topics, episodes) for other in shown]
    rows = entity_rows(graph, shown.tolist(), evidence, details, subject=found)
    return Relation(tuple(rows), ordered.size, named(graph, found))


def shared_topics(
    graph: CorpusGraph,
    person: str,
    other: str,
    *,
    k: int = 20,
    offset: int = 0,
    scorer: Scorer | None = None,
) -> Relation:
    """Topics on which both people made insights; ``details`` count each one's insights."""
    first = find_subject(graph, person, "person")
    if isinstance(first, Relation):
        return first
    second = find_subject(graph, other, "person")
    if isinstance(second, Relation):
        return second
    insights = [st.newest_first(graph, st.insights_by(graph, n)) for n in (first, second)]
    pairs = [st.topics_of_insights(graph, made) for made in insights]
    topics = np.intersect1d(pairs[0][1], pairs[1][1])
    counts = [np.array([np.sum(t == topic) for topic in topics], dtype=np.int64) for _, t in pairs]
    order = np.lexsort((topics, -np.minimum(counts[0], counts[1]) if topics.size else topics))
    ordered = by_relevance(graph, topics[order], scorer)
    shown = ordered[page(ordered.size, k, offset)]
    place = np.searchsorted(topics, shown)
    ids = (graph.ids[first], graph.ids[second])
    details: list[dict[str, Any]] = [
        {"insights": {ids[i]: int(counts[i][p]) for i in (0, 1)}} for p in place
    ]
    at, about = pairs[0]
    evidence = [int(insights[0][at[np.argmax(about == topic)]]) for topic in shown]
    rows = entity_rows(graph, shown.tolist(), evidence, details, subject=first)
    return Relation(tuple(rows), ordered.size, named(graph, first))


def _pairs(
    graph: CorpusGraph, insights: NDArray[np.int64], things: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return distinct (speaker, thing) pairs of parallel insights and things."""
    at, people = st.speakers_of(graph, insights)
    return st.distinct(people, things[at])


def _count(
    people: NDArray[np.int64], who: NDArray[np.int64], what: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Count the distinct things of each of ``people`` in (who, what) pairs."""
    unique = st.distinct(who, what)[0]
    low = np.searchsorted(unique, people, side="left")
    return np.searchsorted(unique, people, side="right") - low


def _newest_near(
    graph: CorpusGraph, person: int, topics: NDArray[np.int64], episodes: NDArray[np.int64]
) -> int:
    """Return a person's newest insight on one of the topics or in one of the episodes."""
    own = st.insights_by(graph, person)
    at, about = st.topics_of_insights(graph, own)
    near = np.isin(graph.columns.home[own], episodes)
    near[at[np.isin(about, topics)]] = True
    return int(st.newest_first(graph, own[near])[0]) if near.any() else NO_NODE


def _tallied(
    graph: CorpusGraph,
    subject: int,
    insights: NDArray[np.int64],
    entities: NDArray[np.int64],
    k: int,
    offset: int,
    scorer: Scorer | None,
    *,
    unproven: NDArray[np.int64] | None = None,
) -> Relation:
    """Count the insights of each entity; the first insight of each (the newest) is its evidence."""
    unique, first, counts = np.unique(entities, return_index=True, return_counts=True)
    evidence = insights[first]
    if unproven is not None and unproven.size:
        unique = np.concatenate([unique, unproven])
        counts = np.concatenate([counts, np.zeros_like(unproven)])
        evidence = np.concatenate([evidence, np.full(unproven.size, NO_NODE)])
    return _counted(graph, subject, unique, counts, evidence, k, offset, scorer)


def _counted(
    graph: CorpusGraph,
    subject: int,
    entities: NDArray[np.int64],
    counts: NDArray[np.int64],
    evidence: NDArray[np.int64],
    k: int,
    offset: int,
    scorer: Scorer | None,
) -> Relation:
    place = {int(entity): position for position, entity in enumerate(entities)}
    ordered = entities[np.lexsort((entities, -counts))] if entities.size else entities
    ordered = by_relevance(graph, ordered, scorer)
    shown = ordered[page(ordered.size, k, offset)].tolist()
    at = [place[entity] for entity in shown]
    rows = entity_rows(
        graph,
        shown,
        [int(evidence[p]) for p in at],
        [{"insights": int(counts[p])} for p in at],
        subject=subject,
    )
    return Relation(tuple(rows), ordered.size, named(graph, subject))
