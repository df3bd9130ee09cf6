"""A set's documents as the product's: split where too long, placed in their episode, dated.

What a set calls an episode or a meeting becomes the episode, so that the product's own filters
restrict a search and neighbouring windows know each other.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

from podcast_scraper.artifacts.records import EpisodeRecord, ShowRecord, Transcript
from podcast_scraper.identity.slugify import slugify
from podcast_scraper.search.chunker import chunk_transcript
from podcast_scraper.search.documents import Document

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from podcast_scraper.embed.encoder import Encoder
    from podcast_scraper.evaluate.sets import QuerySet, SetItem

EPISODE_FIELDS: Final = ("episode", "meeting")
_PART: Final = "§"
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")


def parent_of(doc_id: str) -> str:
    """Return the set's document that an indexed one is, or is a part of."""
    return doc_id.partition(_PART)[0]


def episode_field(query_set: QuerySet, restrict: str | None) -> str | None:
    """Return the metadata field that plays the episode: the restriction, else a known name."""
    if restrict is not None and restrict != "show":
        return restrict
    first: Mapping[str, Any] = query_set.documents[0].meta if query_set.documents else {}
    return next((name for name in EPISODE_FIELDS if name in first), None)


def indexed_documents(
    query_set: QuerySet, encoder: Encoder, restrict: str | None = None
) -> Iterator[Document]:
    """Yield the documents to index. ``ordinal`` counts within an episode, by time where known."""
    field = episode_field(query_set, restrict)
    groups: dict[str, list[SetItem]] = defaultdict(list)
    for item in query_set.documents:
        groups[str(item.meta.get(field) or item.id) if field else item.id].append(item)
    for episode_id, items in groups.items():
        ordinal = 0
        for item in sorted(items, key=_time):
            for suffix, text in _parts(item.text, encoder):
                yield _document(query_set, item, item.id + suffix, text, episode_id, ordinal)
                ordinal += 1


def _parts(text: str, encoder: Encoder) -> list[tuple[str, str]]:
    """Cut a text that the encoder cannot take whole as the product cuts a transcript."""
    if encoder.count_tokens(text) <= encoder.max_tokens:
        return [("", text)]
    record = EpisodeRecord("", ShowRecord("", ""), "", "", "", (), (), Transcript(text, ()))
    windows = chunk_transcript(record, encoder)
    return [(f"{_PART}{n}", window.text) for n, window in enumerate(windows)]


def _time(item: SetItem) -> float:
    """Start in milliseconds; 0 keeps the order of the file."""
    value = item.meta.get("start_ms")
    return float(value) if isinstance(value, int | float) else 0.0


def _document(
    query_set: QuerySet, item: SetItem, doc_id: str, text: str, episode_id: str, ordinal: int
) -> Document:
    day = str(item.meta.get("date") or "")
    speakers = item.meta.get("speakers") or []
    return Document(
        doc_id=doc_id,
        tier="segment",
        text=text,
        episode_id=episode_id,
        show_id=str(item.meta.get("show") or query_set.name),
        published=day if _DAY.fullmatch(day) else None,
        speakers=tuple(f"person:{slugify(name)}" for name in speakers if slugify(name)),
        ordinal=ordinal,
        context=_context(item),
    )


def _context(item: SetItem) -> str:
    """Return what the product puts beside the words: names of speakers, then the title."""
    names = [str(name) for name in item.meta.get("speakers") or []]
    return "\n".join([*names, *filter(None, [str(item.meta.get("title") or "")])])
