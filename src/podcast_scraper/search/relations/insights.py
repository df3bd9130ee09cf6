"""Queries whose rows are insights."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from podcast_scraper.errors import UsageError
from podcast_scraper.search.graph.arrays import NO_NODE
from podcast_scraper.search.relations import statements as st
from podcast_scraper.search.relations.assemble import episode_rows, group_of, insight_rows
from podcast_scraper.search.relations.paging import Scorer, by_relevance, page
from podcast_scraper.search.relations.rows import Relation
from podcast_scraper.search.relations.subjects import find_subject, named

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from podcast_scraper.search.corpus_graph import CorpusGraph


def positions_of(
    graph: CorpusGraph, person: str, *, k: int = 20, offset: int = 0, scorer: Scorer | None = None
) -> Relation:
    """What a person said: insights that rest on that person's quotes, newest first."""
    found = find_subject(graph, person, "person")
    if isinstance(found, Relation):
        return found
    insights = st.newest_first(graph, st.insights_by(graph, found))
    return _listed(graph, found, insights, k, offset, scorer, only=found)


def insights_about(
    graph: CorpusGraph, entity: str, *, k: int = 20, offset: int = 0, scorer: Scorer | None = None
) -> Relation:
    """Insights that mention a person or organisation (or are about a topic), newest first.

    Whoever is mentioned need not have spoken.
    """
    found = find_subject(graph, entity, "person", "org", "topic")
    if isinstance(found, Relation):
        return found
    insights = st.newest_first(graph, st.insights_about_any(graph, found))
    return _listed(graph, found, insights, k, offset, scorer)


def who_said(
    graph: CorpusGraph, topic: str, *, k: int = 20, offset: int = 0, scorer: Scorer | None = None
) -> Relation:
    """Insights about a topic, grouped by speaker; each row's ``group`` is the speaker.

    Whoever said most comes first. An insight of several speakers stands in each one's group. What
    no named person is known to have said forms the last group, whose id is empty. ``details``
    count the group's insights.
    """
    found = find_subject(graph, topic, "topic")
    if isinstance(found, Relation):
        return found
    insights, also = st.fold_recurrences(
        graph, st.newest_first(graph, st.insights_on(graph, found))
    )
    insights = by_relevance(graph, insights, scorer)
    at, people = st.speakers_of(graph, insights)
    named_only = st.without_voices(graph, people)
    at, people = at[named_only], people[named_only]
    nobody = np.delete(insights, st.unique(at))
    speaker, counts = np.unique(people, return_counts=True)
    said = counts[np.searchsorted(speaker, people)]
    order = np.lexsort((at, people, -said))
    who = np.concatenate([people[order], np.full(nobody.size, NO_NODE)])
    what = np.concatenate([insights[at[order]], nobody])
    sizes = np.concatenate([said[order], np.full(nobody.size, nobody.size)])
    cut = page(who.size, k, offset)
    shown = [
        (None if person == NO_NODE else person, insight, size)
        for person, insight, size in zip(
            who[cut].tolist(), what[cut].tolist(), sizes[cut].tolist(), strict=True
        )
    ]
    made = {
        (person, row.id): row
        for person in {item[0] for item in shown}
        for row in insight_rows(
            graph, [i for p, i, _ in shown if p == person], subject=found, only=person, also=also
        )
    }
    rows = tuple(
        replace(
            row,
            group=group_of(graph, person),
            details={**row.details, "group_insights": size},
        )
        for person, insight, size in shown
        if (row := made.get((person, graph.ids[insight]))) is not None
    )
    return Relation(rows, who.size, named(graph, found))


def related_insights(
    graph: CorpusGraph, insight: str, *, k: int = 20, offset: int = 0, scorer: Scorer | None = None
) -> Relation:
    """Insights that share a topic or a mentioned entity, most shared things first."""
    found = find_subject(graph, insight, "insight")
    if isinstance(found, Relation):
        return found
    return _sharing(graph, found, np.array([found]), k, offset, scorer)


def episode_related_insights(
    graph: CorpusGraph, episode: str, *, k: int = 20, offset: int = 0, scorer: Scorer | None = None
) -> Relation:
    """Insights of other episodes that share a topic or entity with this one's insights."""
    found = find_subject(graph, episode, "episode")
    if isinstance(found, Relation):
        return found
    return _sharing(graph, found, st.insights_in(graph, found), k, offset, scorer)


def cross_show_synthesis(
    graph: CorpusGraph,
    topic: str,
    *,
    per_show: int = 1,
    k: int = 20,
    offset: int = 0,
    scorer: Scorer | None = None,
) -> Relation:
    """The best insights of each distinct show on a topic; each row's ``group`` is the show.

    Best means grounded, then central in the graph, then new (by relevance where a query is given).
    Shows come by their best insight.
    """
    found = find_subject(graph, topic, "topic")
    if isinstance(found, Relation):
        return found
    if per_show < 1:
        raise UsageError(f"per_show is {per_show}.", mend="Give a per_show of 1 or more.")
    insights = st.newest_first(graph, st.insights_on(graph, found))
    grounded = graph.columns.grounded[insights]
    order = np.lexsort((-graph.centralities[insights], ~grounded))
    insights = by_relevance(graph, insights[order], scorer)
    insights, also = st.fold_recurrences(graph, insights)
    shows = st.shows_of(graph, insights)
    taken: dict[int, list[int]] = defaultdict(list)
    for insight, show in zip(insights.tolist(), shows.tolist(), strict=True):
        if show != NO_NODE and len(taken[show]) < per_show:
            taken[show].append(insight)
    flat = [(show, insight) for show, best in taken.items() for insight in best]
    shown = flat[page(len(flat), k, offset)]
    show_of = {graph.ids[insight]: show for show, insight in shown}
    rows = insight_rows(graph, [i for _, i in shown], subject=found, also=also)
    grouped = tuple(replace(r, group=named(graph, show_of[r.id])) for r in rows)
    return Relation(grouped, len(flat), named(graph, found))


def insight_detail(graph: CorpusGraph, insight: str, *, k: int = 20) -> Relation:
    """One insight with everything around it: topics and entities stand in ``details``."""
    found = find_subject(graph, insight, "insight")
    if isinstance(found, Relation):
        return found
    own = np.array([found])
    topics = st.topics_of_insights(graph, own)[1]
    entities = st.mentioned_in(graph, own)[1]
    more: dict[str, Any] = {
        "topics": [_reference(graph, n) for n in topics.tolist()[:k]],
        "entities": [_reference(graph, n) for n in entities.tolist()[:k]],
        "centrality": round(float(graph.centralities[found]), 6),
    }
    rows = insight_rows(graph, [found])
    detailed = tuple(replace(r, details={**r.details, **more}) for r in rows)
    return Relation(detailed, len(detailed), named(graph, found))


def episodes_of(graph: CorpusGraph, show: str, *, k: int = 20, offset: int = 0) -> Relation:
    """The episodes of a show, newest first."""
    found = find_subject(graph, show, "podcast")
    if isinstance(found, Relation):
        return found
    episodes = st.of_type(graph, graph.typed(found, "HAS_EPISODE"), "episode")
    episodes = st.newest_first(graph, episodes)
    shown = episodes[page(episodes.size, k, offset)].tolist()
    rows = episode_rows(graph, shown, subject=found)
    return Relation(tuple(rows), episodes.size, named(graph, found))


def _listed(
    graph: CorpusGraph,
    subject: int,
    insights: NDArray[np.int64],
    k: int,
    offset: int,
    scorer: Scorer | None,
    *,
    only: int | None = None,
) -> Relation:
    insights, also = st.fold_recurrences(graph, insights)
    insights = by_relevance(graph, insights, scorer)
    shown = insights[page(insights.size, k, offset)].tolist()
    rows = insight_rows(graph, shown, subject=subject, only=only, also=also)
    return Relation(tuple(rows), insights.size, named(graph, subject))


def _sharing(
    graph: CorpusGraph,
    subject: int,
    own: NDArray[np.int64],
    k: int,
    offset: int,
    scorer: Scorer | None,
) -> Relation:
    topics = st.unique(st.topics_of_insights(graph, own)[1])
    entities = st.unique(st.mentioned_in(graph, own)[1])
    found = [graph.typed_many(topics, "ABOUT")]
    found += [graph.typed_many(entities, kind) for kind in st.MENTIONS]
    things = np.concatenate([topics[found[0][0]], *(entities[at] for at, _ in found[1:])])
    insights = np.concatenate([part[1] for part in found])
    kept = np.isin(st.type_codes(graph, insights), st.codes_of(graph, "insight"))
    kept &= ~np.isin(insights, own)
    if graph.type_at(subject) == "episode":
        kept &= graph.columns.home[insights] != subject
    insights, things = st.distinct(insights[kept], things[kept])
    others, counts = np.unique(insights, return_counts=True)
    newest = st.newest_first(graph, others)
    shared = counts[np.searchsorted(others, newest)]
    ordered = newest[np.argsort(-shared, kind="stable")]
    ordered, also = st.fold_recurrences(graph, ordered)
    ordered = by_relevance(graph, ordered, scorer)
    shown = ordered[page(ordered.size, k, offset)].tolist()
    by_insight: dict[int, list[int]] = defaultdict(list)
    on_page = np.isin(insights, shown)
    for insight, thing in zip(insights[on_page], things[on_page], strict=True):
        by_insight[int(insight)].append(int(thing))
    rows = []
    for row in insight_rows(graph, shown, subject=subject, also=also):
        number = graph.number(row.id)
        assert number is not None
        through = by_insight[number]
        rows.append(
            replace(
                row,
                path=(graph.ids[subject], graph.ids[through[0]], row.id),
                details={**row.details, "shared": [_reference(graph, t) for t in through]},
            )
        )
    return Relation(tuple(rows), ordered.size, named(graph, subject))


def _reference(graph: CorpusGraph, number: int) -> dict[str, str]:
    return {
        "id": graph.ids[number],
        "type": graph.type_at(number),
        "label": graph.label_at(number),
    }
