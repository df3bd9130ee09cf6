"""Queries over time: how a view changed, how a topic spread, what a person did."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from podcast_scraper.search.graph.arrays import NO_DAY, NO_NODE
from podcast_scraper.search.relations import statements as st
from podcast_scraper.search.relations.assemble import day_text, episode_rows, insight_rows
from podcast_scraper.search.relations.entities import co_speakers, topics_of
from podcast_scraper.search.relations.insights import positions_of
from podcast_scraper.search.relations.paging import Scorer, page
from podcast_scraper.search.relations.rows import Named, RelatedNode, Relation
from podcast_scraper.search.relations.subjects import find_subject, named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from podcast_scraper.search.corpus_graph import CorpusGraph

UNKNOWN_MONTH = "unknown"


def position_arc(
    graph: CorpusGraph, person: str, topic: str, *, k: int = 20, offset: int = 0
) -> Relation:
    """A person's insights on a topic in time order: how a view changed.

    Inside an episode ``position_hint`` orders; episodes of unknown date come last.
    """
    speaker = find_subject(graph, person, "person")
    if isinstance(speaker, Relation):
        return speaker
    subject = find_subject(graph, topic, "topic")
    if isinstance(subject, Relation):
        return subject
    both = np.intersect1d(st.insights_by(graph, speaker), st.insights_on(graph, subject))
    insights = st.oldest_first(graph, both)
    shown = insights[page(insights.size, k, offset)].tolist()
    rows = insight_rows(graph, shown, subject=speaker, only=speaker)
    return Relation(tuple(rows), insights.size, named(graph, speaker))


def trace(graph: CorpusGraph, entity: str, *, k: int = 20, offset: int = 0) -> Relation:
    """The narrative of a topic or entity: one row for each month and show, in time order.

    Each row is the bucket's first insight (or, where none is known, its first episode); its
    ``details`` say how many insights and episodes the bucket and all before it have, and who took
    the subject up in it for the first time.
    """
    found = find_subject(graph, entity, "topic", "person", "org")
    if isinstance(found, Relation):
        return found
    insights = st.oldest_first(graph, st.insights_about_any(graph, found))
    members = st.topic_members(graph, found) if graph.type_at(found) == "topic" else [found]
    mentions = graph.typed_many(np.asarray(members), "MENTIONS")[1]
    episodes = np.union1d(
        st.of_type(graph, mentions, "episode"), graph.columns.home[insights].astype(np.int64)
    )
    episodes = st.oldest_first(graph, episodes[episodes != NO_NODE])
    buckets = _buckets(graph, insights, episodes)
    shown = buckets[page(len(buckets), k, offset)]
    rows = {
        row.id: row
        for row in [
            *insight_rows(graph, [b.first_insight for b in shown if b.first_insight != NO_NODE]),
            *episode_rows(graph, [b.first_episode for b in shown if b.first_insight == NO_NODE]),
        ]
    }
    placed = [
        bucket.row(graph, rows, found)
        for bucket in shown
        if graph.ids[bucket.representative] in rows
    ]
    return Relation(tuple(placed), len(buckets), named(graph, found))


@dataclass(slots=True)
class _Bucket:
    """What one show said of the subject in one month."""

    month: str
    show: int
    first_episode: int
    first_insight: int = NO_NODE
    insights: int = 0
    episodes: int = 0
    insights_so_far: int = 0
    episodes_so_far: int = 0
    new_speakers: tuple[int, ...] = ()

    @property
    def representative(self) -> int:
        return self.first_episode if self.first_insight == NO_NODE else self.first_insight

    def add(self, insight: int, new_speakers: Sequence[int]) -> None:
        if self.first_insight == NO_NODE:
            self.first_insight = insight
        self.insights += 1
        self.new_speakers = (*self.new_speakers, *new_speakers)

    def row(self, graph: CorpusGraph, rows: dict[str, RelatedNode], subject: int) -> RelatedNode:
        row = rows[graph.ids[self.representative]]
        details: dict[str, Any] = {
            **row.details,
            "month": self.month,
            "insights": self.insights,
            "episodes": self.episodes,
            "insights_so_far": self.insights_so_far,
            "episodes_so_far": self.episodes_so_far,
            "new_speakers": [
                {"id": graph.ids[p], "label": graph.label_at(p)} for p in self.new_speakers
            ],
        }
        return replace(
            row,
            details=details,
            group=Named(self.month, self.month),
            path=(graph.ids[subject], row.id),
        )


def _buckets(
    graph: CorpusGraph, insights: NDArray[np.int64], episodes: NDArray[np.int64]
) -> list[_Bucket]:
    """Sort episodes and insights (both oldest first) into months and shows."""
    found: dict[tuple[bool, str, int], _Bucket] = {}
    key_of: dict[int, tuple[bool, str, int]] = {}
    for episode in episodes.tolist():
        month = (day_text(graph, episode) or UNKNOWN_MONTH)[:7]
        show = int(graph.columns.home[episode])
        key_of[episode] = key = (month == UNKNOWN_MONTH, month, show)
        bucket = found.setdefault(key, _Bucket(month, show, episode))
        bucket.episodes += 1
    at, people = st.speakers_of(graph, insights)
    speakers: dict[int, list[int]] = {}
    for position, person in zip(at.tolist(), people.tolist(), strict=True):
        speakers.setdefault(position, []).append(person)
    heard: set[int] = set()
    for position, insight in enumerate(insights.tolist()):
        home = int(graph.columns.home[insight])
        if home in key_of:
            new = [p for p in speakers.get(position, ()) if p not in heard]
            heard.update(new)
            found[key_of[home]].add(insight, new)
    ordered = [found[key] for key in sorted(found)]
    insights_so_far = episodes_so_far = 0
    for bucket in ordered:
        bucket.insights_so_far = insights_so_far = insights_so_far + bucket.insights
        bucket.episodes_so_far = episodes_so_far = episodes_so_far + bucket.episodes
    return ordered


@dataclass(frozen=True, slots=True)
class Profile:
    """What a corpus knows of a person; spoken and mentioned are counted apart.

    ``timeline`` holds (month, insights spoken, insights mentioned in) for the months that have
    any; unknown dates are left out of it.
    """

    person: Named
    spoke: dict[str, int]
    mentioned: dict[str, int]
    shows: tuple[tuple[Named, int], ...]
    topics: Relation
    positions: Relation
    co_speakers: Relation
    timeline: tuple[tuple[str, int, int], ...]


def profile(
    graph: CorpusGraph, person: str, *, k: int = 20, scorer: Scorer | None = None
) -> Profile | Relation:
    """Everything about a person on one page; an empty :class:`Relation` for an unknown id.

    ``shows`` count the episodes in which the person spoke; ``k`` bounds each list.
    """
    found = find_subject(graph, person, "person")
    if isinstance(found, Relation):
        return found
    spoken = st.insights_by(graph, found)
    mentioned = st.insights_mentioning(graph, found)
    episodes = st.episodes_spoken_in(graph, found)
    named_in = st.of_type(graph, graph.typed(found, "MENTIONS"), "episode")
    heard_of = np.union1d(named_in, graph.columns.home[mentioned].astype(np.int64))
    shows, counts = np.unique(graph.columns.home[episodes], return_counts=True)
    order = np.lexsort((shows, -counts))[page(shows.size, k, 0)]
    return Profile(
        named(graph, found),
        {
            "insights": int(spoken.size),
            "quotes": int(graph.typed(found, "SPOKEN_BY").size),
            "episodes": int(episodes.size),
        },
        {"insights": int(mentioned.size), "episodes": int(heard_of[heard_of != NO_NODE].size)},
        tuple((named(graph, int(shows[o])), int(counts[o])) for o in order if shows[o] != NO_NODE),
        topics_of(graph, person, k=k),
        positions_of(graph, person, k=k, scorer=scorer),
        co_speakers(graph, person, k=k),
        _timeline(graph, spoken, mentioned),
    )


def _timeline(
    graph: CorpusGraph, spoken: NDArray[np.int64], mentioned: NDArray[np.int64]
) -> tuple[tuple[str, int, int], ...]:
    counts: dict[str, list[int]] = {}
    for column, insights in enumerate((spoken, mentioned)):
        days, numbers = np.unique(graph.columns.day[insights], return_counts=True)
        for day, number in zip(days.tolist(), numbers.tolist(), strict=True):
            if day != NO_DAY:
                month = str(np.datetime64(day, "D"))[:7]
                counts.setdefault(month, [0, 0])[column] += number
    return tuple((month, *counts[month]) for month in sorted(counts))  # type: ignore[misc]
