"""From node numbers to rows: texts, quotes and places are read for one page only."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np

from podcast_scraper.identity.canonical import bare_episode_id
from podcast_scraper.search.graph.arrays import NO_DAY, NO_NODE
from podcast_scraper.search.relations.rows import Named, RelatedNode, RelatedQuote, Speaker

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from podcast_scraper.search.corpus_graph import CorpusGraph
    from podcast_scraper.search.graph.records import GraphNode

_EPOCH = date(1970, 1, 1)


def insight_rows(
    graph: CorpusGraph,
    insights: Sequence[int],
    *,
    subject: int | None = None,
    only: int | None = None,
    also: Mapping[int, Sequence[int]] | None = None,
) -> list[RelatedNode]:
    """Return rows of insights, in order. An insight that can no longer be read is left out.

    ``subject`` begins the path; ``only`` restricts quotes and speakers to one person, through whom
    the path then goes; ``also`` names further episodes by their node numbers.
    """
    reader = _Reader(graph, insights)
    made = []
    for insight in insights:
        row = reader.row(insight, only)
        if row is None:
            continue
        through = () if only is None or not row.quotes else (row.quotes[0].id,)
        start = () if subject is None else (graph.ids[subject],)
        elsewhere = sorted(bare_episode_id(graph.ids[e]) for e in (also or {}).get(insight, ()))
        made.append(replace(row, path=(*start, *through, row.id), also_in=tuple(elsewhere)))
    return made


def entity_rows(
    graph: CorpusGraph,
    entities: Sequence[int],
    evidence: Sequence[int],
    details: Sequence[Mapping[str, Any]],
    *,
    subject: int,
) -> list[RelatedNode]:
    """Return rows of entities, each with the insight that connects it as its provenance.

    Evidence of NO_NODE, or that can no longer be read, leaves the provenance empty.
    """
    reader = _Reader(graph, [e for e in evidence if e != NO_NODE])
    made = []
    for entity, insight, more in zip(entities, evidence, details, strict=True):
        proof = None if insight == NO_NODE else reader.row(insight, None)
        entity_id = graph.ids[entity]
        row = RelatedNode(
            entity_id, graph.type_at(entity), graph.label_at(entity), details=dict(more)
        )
        if proof is not None:
            row = replace(
                proof,
                id=row.id,
                type=row.type,
                text=row.text,
                details=row.details,
                path=(graph.ids[subject], proof.id, entity_id),
            )
        made.append(row)
    return made


def episode_rows(
    graph: CorpusGraph, episodes: Sequence[int], *, subject: int | None = None
) -> list[RelatedNode]:
    """Return rows of episodes, in order."""
    nodes = graph.get_nodes(graph.ids[e] for e in episodes)
    start = () if subject is None else (graph.ids[subject],)
    made = []
    for episode in episodes:
        node = nodes.get(graph.ids[episode])
        if node is not None:
            place = _place(graph, episode, node)
            made.append(
                RelatedNode(
                    node.id, "episode", graph.label_at(episode), path=(*start, node.id), **place
                )
            )
    return made


def day_text(graph: CorpusGraph, number: int) -> str | None:
    """Return the day of a node as ``YYYY-MM-DD``, or None where it is unknown."""
    day = int(graph.columns.day[number])
    return None if day == NO_DAY else (_EPOCH + timedelta(days=day)).isoformat()


def group_of(graph: CorpusGraph, number: int | None) -> Named:
    """Return the group of a speaker; None is the group of what nobody is known to have said."""
    if number is None:
        return Named("", "Unattributed")
    return Named(graph.ids[number], graph.label_at(number))


class _Reader:
    """Reads everything that the rows of some insights show, in one go."""

    def __init__(self, graph: CorpusGraph, insights: Sequence[int]) -> None:
        self._graph = graph
        numbers = np.array(sorted(set(insights)), dtype=np.int64)
        at, quotes = graph.typed_many(numbers, "SUPPORTED_BY")
        quote_at, people = graph.typed_many(quotes, "SPOKEN_BY")
        self._quotes: dict[int, list[int]] = defaultdict(list)
        for position, quote in zip(at.tolist(), quotes.tolist(), strict=True):
            self._quotes[int(numbers[position])].append(quote)
        self._speakers: dict[int, list[int]] = defaultdict(list)
        for position, person in zip(quote_at.tolist(), people.tolist(), strict=True):
            speakers = self._speakers[int(quotes[position])]
            if person not in speakers:
                speakers.append(person)
        homes = {int(graph.columns.home[n]) for n in numbers} - {NO_NODE}
        wanted = [*numbers.tolist(), *quotes.tolist(), *sorted(homes)]
        self._nodes = graph.get_nodes(graph.ids[n] for n in wanted)

    def _node(self, number: int) -> GraphNode | None:
        return self._nodes.get(self._graph.ids[number])

    def row(self, insight: int, only: int | None) -> RelatedNode | None:
        node = self._node(insight)
        if node is None:
            return None
        home = int(self._graph.columns.home[insight])
        episode = None if home == NO_NODE else self._node(home)
        place = {} if episode is None else _place(self._graph, home, episode)
        quotes = self._row_quotes(insight, only, place.get("media_url"))
        speakers = {q.speaker.id: q.speaker for q in quotes if q.speaker is not None}
        details = {
            "insight_type": node.payload.get("insight_type", "unknown"),
            "grounded": bool(node.payload.get("grounded")),
            "position_hint": node.payload.get("position_hint"),
        }
        return RelatedNode(
            node.id,
            "insight",
            str(node.payload.get("text", "")),
            speakers=tuple(speakers.values()),
            quotes=quotes,
            details=details,
            **place,
        )

    def _row_quotes(
        self, insight: int, only: int | None, media_url: str | None
    ) -> tuple[RelatedQuote, ...]:
        made = []
        for quote in self._quotes[insight]:
            node = self._node(quote)
            people = self._speakers[quote]
            if node is None or (only is not None and only not in people):
                continue
            person = only if only is not None else min(people, default=None)
            made.append(
                RelatedQuote(
                    node.id,
                    str(node.payload.get("text", "")),
                    None if person is None else self._speaker(quote, person),
                    node.payload.get("start_ms"),
                    node.payload.get("end_ms"),
                    media_url,
                )
            )
        return tuple(sorted(made, key=lambda q: (q.start_ms is None, q.start_ms or 0, q.id)))

    def _speaker(self, quote: int, person: int) -> Speaker:
        graph = self._graph
        inferred = graph.is_inferred(quote, "SPOKEN_BY", person)
        return Speaker(graph.ids[person], graph.label_at(person), inferred)


def _place(graph: CorpusGraph, episode: int, node: GraphNode) -> dict[str, Any]:
    show = int(graph.columns.home[episode])
    bare = bare_episode_id(node.id)
    media = graph.media_url(bare, node.payload.get("audio_url"))
    return {
        "show_id": None if show == NO_NODE else graph.ids[show],
        "show_title": None if show == NO_NODE else graph.label_at(show),
        "episode_id": bare,
        "episode_title": graph.label_at(episode),
        "date": day_text(graph, episode),
        "media_url": media,
    }
