"""Insights in node numbers: who made them, what they are about, in which order they are shown."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

import numpy as np

from podcast_scraper.search.graph.arrays import NO_DAY, NO_NODE
from podcast_scraper.search.graph.edge_types import STATES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from podcast_scraper.search.corpus_graph import CorpusGraph

MENTIONS: Final = ("MENTIONS_PERSON", "MENTIONS_ORG", "MENTIONS")
CONCEPT: Final = "concept:"


def speakers_of(
    graph: CorpusGraph, insights: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return distinct (position in ``insights``, person) pairs.

    Speaking is a quote that supports the insight and was spoken by the person; being mentioned is
    not speaking. A graph with derived speaker links has the answer in one step.
    """
    if graph.has_edges(STATES):
        return graph.typed_many(insights, STATES)
    at, quotes = graph.typed_many(insights, "SUPPORTED_BY")
    quote_at, people = graph.typed_many(quotes, "SPOKEN_BY")
    return distinct(at[quote_at], people)


def insights_by(graph: CorpusGraph, person: int) -> NDArray[np.int64]:
    """Return the insights that rest on a quote of this person, ascending."""
    if graph.has_edges(STATES):
        return graph.typed(person, STATES)
    quotes = graph.typed(person, "SPOKEN_BY")
    return unique(graph.typed_many(quotes, "SUPPORTED_BY")[1])


def topic_members(graph: CorpusGraph, topic: int) -> NDArray[np.int64]:
    """Return a topic, with the per-show topics that it stands for if it is a concept topic."""
    own = np.array([topic])
    if not graph.ids[topic].startswith(CONCEPT):
        return own
    related = of_type(graph, graph.typed(topic, "RELATED_TO"), "topic")
    return unique(np.concatenate([own, related]))


def insights_on(graph: CorpusGraph, topic: int) -> NDArray[np.int64]:
    """Return the insights about a topic, ascending."""
    return unique(graph.typed_many(topic_members(graph, topic), "ABOUT")[1])


def insights_mentioning(graph: CorpusGraph, entity: int) -> NDArray[np.int64]:
    """Return the insights that mention a person or organisation, ascending."""
    found = np.concatenate([graph.typed(entity, kind) for kind in MENTIONS])
    return unique(of_type(graph, found, "insight"))


def insights_about_any(graph: CorpusGraph, entity: int) -> NDArray[np.int64]:
    """Return the insights about a topic, or those that mention any other entity."""
    if graph.type_at(entity) == "topic":
        return insights_on(graph, entity)
    return insights_mentioning(graph, entity)


def topics_of_insights(
    graph: CorpusGraph, insights: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return (position in ``insights``, topic) pairs."""
    return graph.typed_many(insights, "ABOUT")


def mentioned_in(
    graph: CorpusGraph, insights: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return distinct (position in ``insights``, person or organisation) pairs."""
    parts = [graph.typed_many(insights, kind) for kind in MENTIONS]
    at = np.concatenate([part[0] for part in parts])
    entities = np.concatenate([part[1] for part in parts])
    kept = np.isin(type_codes(graph, entities), codes_of(graph, "person", "org"))
    return distinct(at[kept], entities[kept])


def insights_in(graph: CorpusGraph, episode: int) -> NDArray[np.int64]:
    """Return the insights of an episode, ascending."""
    return of_type(graph, graph.typed(episode, "HAS_INSIGHT"), "insight")


def shows_of(graph: CorpusGraph, insights: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return the show of each insight, NO_NODE where it is unknown."""
    home = graph.columns.home[insights]
    return np.where(home == NO_NODE, NO_NODE, graph.columns.home[home])


def newest_first(graph: CorpusGraph, insights: NDArray[np.int64]) -> NDArray[np.int64]:
    """Order by day, newest first and unknown days last, then place in the episode, then id."""
    day = graph.columns.day[insights].astype(np.int64)
    return insights[np.lexsort((insights, _hints(graph, insights), -day))]


def oldest_first(graph: CorpusGraph, insights: NDArray[np.int64]) -> NDArray[np.int64]:
    """Order by day, oldest first and unknown days last, then place in the episode, then id."""
    day = graph.columns.day[insights].astype(np.int64)
    day = np.where(day == NO_DAY, np.iinfo(np.int64).max, day)
    home = graph.columns.home[insights]
    return insights[np.lexsort((insights, _hints(graph, insights), home, day))]


def fold_recurrences(
    graph: CorpusGraph, insights: NDArray[np.int64]
) -> tuple[NDArray[np.int64], dict[int, list[int]]]:
    """Keep the first occurrence of each recurring insight; return the episodes of the others too.

    Occurrences with different speakers are different statements and stay apart.
    """
    base = graph.columns.base[insights]
    recurring = insights[base != NO_NODE]
    if not recurring.size:
        return insights, {}
    spoken: dict[int, set[int]] = defaultdict(set)
    for position, person in zip(*speakers_of(graph, recurring), strict=True):
        spoken[int(recurring[position])].add(int(person))
    first: dict[tuple[int, frozenset[int]], int] = {}
    also: dict[int, list[int]] = defaultdict(list)
    dropped = set()
    for insight in recurring.tolist():
        key = (int(graph.columns.base[insight]), frozenset(spoken[insight]))
        kept = first.setdefault(key, insight)
        if kept != insight:
            dropped.add(insight)
            also[kept].append(int(graph.columns.home[insight]))
    return insights[~np.isin(insights, sorted(dropped))], dict(also)


def without_voices(graph: CorpusGraph, people: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return a mask that is false where a speaker is a diarisation voice."""
    return ~graph.voices[people]


def of_type(graph: CorpusGraph, numbers: NDArray[np.int64], *types: str) -> NDArray[np.int64]:
    """Keep the nodes of some types."""
    return numbers[np.isin(type_codes(graph, numbers), codes_of(graph, *types))]


def type_codes(graph: CorpusGraph, numbers: NDArray[np.int64]) -> NDArray[np.uint8]:
    return graph.columns.node_type[numbers]


def codes_of(graph: CorpusGraph, *types: str) -> list[int]:
    return [code for code, name in enumerate(graph.node_types) if name in types]


def unique(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the distinct values, ascending (``np.unique`` hashes before it sorts)."""
    ordered = np.sort(values)
    new = np.ones(ordered.size, dtype=np.bool_)
    new[1:] = ordered[1:] != ordered[:-1]
    return ordered[new]


def distinct(
    left: NDArray[np.int64], right: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct pairs of two parallel arrays, sorted by left, then right."""
    if not left.size:
        return left, right
    width = int(right.max()) + 1
    keys = unique(left * width + right)
    return keys // width, keys % width


def _hints(graph: CorpusGraph, insights: NDArray[np.int64]) -> NDArray[np.float32]:
    return np.nan_to_num(graph.columns.hint[insights], nan=np.inf)


def episodes_spoken_in(graph: CorpusGraph, person: int) -> NDArray[np.int64]:
    """Return the episodes in which a person spoke: a quote is at home there, or SPOKE_IN."""
    homes = graph.columns.home[graph.typed(person, "SPOKEN_BY")].astype(np.int64)
    stated = of_type(graph, graph.typed(person, "SPOKE_IN"), "episode")
    return unique(np.concatenate([homes[homes != NO_NODE], stated]))


def people_speaking_in(
    graph: CorpusGraph, episodes: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return distinct parallel (person, episode) arrays of who spoke where."""
    at, insights = graph.typed_many(episodes, "HAS_INSIGHT")
    insight_at, people = speakers_of(graph, insights)
    spoke_at, spoke = graph.typed_many(episodes, "SPOKE_IN")
    return distinct(
        np.concatenate([people, spoke]),
        np.concatenate([episodes[at[insight_at]], episodes[spoke_at]]),
    )
