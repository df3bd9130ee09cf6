"""A graph for a set that names the speakers of its documents: person, episode, document.

Such a set has no artifacts. What its ``meta.speakers`` says is what a KG would hold of it: who
speaks in which episode. Judgements made from the same speakers are then in the graph by
construction, and a report has to say so.
"""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Final

import sqlalchemy as sa

from podcast_scraper.artifacts.records import Edge, EpisodeRecord, Node, ShowRecord, Transcript
from podcast_scraper.identity.canonical import episode_node_id
from podcast_scraper.identity.registry import Registry
from podcast_scraper.identity.resolver import EntityResolver
from podcast_scraper.identity.slugify import slugify
from podcast_scraper.search.corpus_graph import CorpusGraph
from podcast_scraper.storage import schema

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from podcast_scraper.evaluate.set_workbench import SetWorkbench

_LAYERS: Final = frozenset({"kg"})


def speaker_graph(bench: SetWorkbench) -> tuple[CorpusGraph, EntityResolver] | None:
    """Return the graph of a set and the resolver of its speakers; None where none is named."""
    people = {
        f"person:{slugify(name)}": name
        for item in bench.query_set.documents
        for name in map(str, item.meta.get("speakers") or ())
        if slugify(name)
    }
    if not people:
        return None
    records = _records(bench, people)
    return CorpusGraph.from_records(records), EntityResolver(Registry.from_records(records))


def _records(bench: SetWorkbench, people: Mapping[str, str]) -> list[EpisodeRecord]:
    table = schema.IndexedDocument
    columns = sa.select(table.doc_id, table.episode_id, table.show_id, table.speakers)
    with bench.backend.engine.connect() as connection:
        rows = connection.execute(columns.order_by(table.key)).all()
    episodes = groupby(
        sorted(rows, key=attrgetter("episode_id")), key=attrgetter("episode_id", "show_id")
    )
    return [_record(*episode, list(documents), people) for episode, documents in episodes]


def _record(
    episode_id: str,
    show_id: str,
    documents: Sequence[sa.Row[str, str, str, tuple[str, ...]]],
    people: Mapping[str, str],
) -> EpisodeRecord:
    node = episode_node_id(episode_id)
    speakers = dict.fromkeys(one for row in documents for one in row.speakers if one in people)
    persons = [Node(one, "person", {"name": people[one]}, _LAYERS) for one in speakers]
    segments = [Node(row.doc_id, "segment", {}, _LAYERS) for row in documents]
    return EpisodeRecord(
        episode_id=episode_id,
        show=ShowRecord(show_id, show_id),
        title=episode_id,
        stem_path="",
        fingerprint="",
        nodes=(*persons, *segments),
        edges=(
            *(Edge("SPEAKS_IN", one.id, node, "kg") for one in persons),
            *(Edge("HAS_SEGMENT", node, one.id, "kg") for one in segments),
        ),
        transcript=Transcript("", ()),
    )
