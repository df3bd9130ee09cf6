"""Queries whose rows are pairs of insights: candidate tensions and candidate agreements."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Final

from podcast_scraper.search.relations import statements as st
from podcast_scraper.search.relations.assemble import insight_rows
from podcast_scraper.search.relations.paging import page
from podcast_scraper.search.relations.rows import RelatedNode, Relation
from podcast_scraper.search.relations.stance import Statement, agreeing, opposed
from podcast_scraper.search.relations.subjects import find_subject, named

if TYPE_CHECKING:
    from collections.abc import Callable

    from podcast_scraper.search.corpus_graph import CorpusGraph

# Pairs grow with the square: of a large topic the newest insights are compared.
COMPARED: Final = 200


def tensions(graph: CorpusGraph, topic: str, *, k: int = 20, offset: int = 0) -> Relation:
    """Pairs of insights by different people on a topic that may disagree: candidates only.

    Both sides are shown with their quotes (``pair``); nothing is asserted. The newest 200 insights
    are compared, the pairs that share most words first.
    """
    return _candidates(graph, topic, "tension", opposed, k, offset)


def agreements(graph: CorpusGraph, topic: str, *, k: int = 20, offset: int = 0) -> Relation:
    """Pairs of insights by different people on a topic that may support each other: candidates."""
    return _candidates(graph, topic, "agreement", agreeing, k, offset)


def _candidates(
    graph: CorpusGraph,
    topic: str,
    kind: str,
    judge: Callable[[Statement, Statement], bool],
    k: int,
    offset: int,
) -> Relation:
    found = find_subject(graph, topic, "topic")
    if isinstance(found, Relation):
        return found
    insights, _ = st.fold_recurrences(graph, st.newest_first(graph, st.insights_on(graph, found)))
    insights = insights[:COMPARED]
    nodes = graph.get_nodes(graph.ids[i] for i in insights)
    speakers: dict[int, set[int]] = {}
    at, people = st.speakers_of(graph, insights)
    named_only = st.without_voices(graph, people)
    for position, person in zip(at[named_only].tolist(), people[named_only].tolist(), strict=True):
        speakers.setdefault(int(insights[position]), set()).add(person)
    label = graph.label_at(found)
    read = [
        (insight, Statement.of(str(nodes[graph.ids[insight]].payload.get("text", "")), label))
        for insight in speakers
        if graph.ids[insight] in nodes
    ]
    pairs = [
        (-len(left.stems & right.stems), -abs(left.stance - right.stance), a, b)
        for (a, left), (b, right) in combinations(sorted(read, key=lambda item: item[0]), 2)
        if not speakers[a] & speakers[b] and judge(left, right)
    ]
    pairs.sort()
    shown = pairs[page(len(pairs), k, offset)]
    sides = [number for _, _, a, b in shown for number in (a, b)]
    rows = {row.id: row for row in insight_rows(graph, sides, subject=found)}
    made = [
        _pair(kind, rows[graph.ids[a]], rows[graph.ids[b]], graph.ids[found])
        for _, _, a, b in shown
        if graph.ids[a] in rows and graph.ids[b] in rows
    ]
    return Relation(tuple(made), len(pairs), named(graph, found))


def _pair(kind: str, left: RelatedNode, right: RelatedNode, topic: str) -> RelatedNode:
    return RelatedNode(
        f"{left.id}|{right.id}",
        kind,
        f"{left.text} / {right.text}",
        speakers=(*left.speakers, *right.speakers),
        quotes=(*left.quotes, *right.quotes),
        path=(left.id, topic, right.id),
        pair=(left, right),
        details={"candidate": True},
    )
