"""What each document of an index is on: its own graph nodes, and the statements it makes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa

from podcast_scraper.identity.canonical import is_voice
from podcast_scraper.search.rescue.hyperedges import Statement
from podcast_scraper.storage.schema import IndexedDocument

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


@dataclass(frozen=True, slots=True)
class IndexedNodes:
    """``keys`` and ``nodes`` by document id; ``statements`` are those of the insights."""

    keys: Mapping[str, int]
    nodes: Mapping[str, tuple[str, ...]]
    statements: tuple[Statement, ...]


def read_document_nodes(engine: sa.Engine) -> IndexedNodes:
    """Read what the documents of an index are on.

    An insight is on itself, its speakers, its topics and whom it mentions. A segment is on its own
    speakers, and on everything that the insights resting on it are on. Diarisation voices are no
    nodes: the same label is another person in the next episode.
    """
    columns = (
        IndexedDocument.doc_id,
        IndexedDocument.key,
        IndexedDocument.tier,
        IndexedDocument.episode_id,
        IndexedDocument.speakers,
        IndexedDocument.topics,
        IndexedDocument.mentions,
        IndexedDocument.linked,
    )
    keys: dict[str, int] = {}
    own: dict[str, tuple[str, ...]] = {}
    insights: dict[str, str] = {}
    linked: dict[str, Sequence[str]] = {}
    with engine.connect() as connection:
        for doc_id, key, tier, episode, *named, links in connection.execute(sa.select(*columns)):
            keys[doc_id] = key
            own[doc_id] = _entities(one for ids in named for one in ids)
            linked[doc_id] = links
            if tier == "insight":
                insights[doc_id] = episode
    nodes = {}
    for doc_id, entities in own.items():
        if doc_id in insights:
            nodes[doc_id] = (doc_id, *entities)
        else:
            resting = [one for one in linked[doc_id] if one in insights]
            nodes[doc_id] = _entities([*entities, *resting, *(e for i in resting for e in own[i])])
    statements = tuple(
        Statement(doc_id, episode, own[doc_id], (doc_id, *linked[doc_id]))
        for doc_id, episode in insights.items()
    )
    return IndexedNodes(keys, nodes, statements)


def _entities(ids: Iterable[str]) -> tuple[str, ...]:
    return tuple(one for one in dict.fromkeys(ids) if not is_voice(one))
