"""The retrieval unit: what is indexed, ranked and shown."""

from __future__ import annotations

from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any, Final

TIERS: Final = ("segment", "insight")


@dataclass(frozen=True, slots=True)
class Document:
    """A segment window or an insight (see ``docs/rfc/090``).

    Times are seconds; ``published`` is a day (``YYYY-MM-DD``) or None; offsets count code points of
    the episode's transcript. ``speakers`` are canonical ids, the dominant one first; ``linked`` are
    the ids of the documents of the other tier that rest on the same passage. ``ordinal`` counts the
    documents of a tier within their episode, in the order of speech: neighbours differ by 1.
    ``context`` holds words that describe a document and are not said in it (names, titles, topics);
    it is searched with a smaller weight and never shown.
    """

    doc_id: str
    tier: str
    text: str
    episode_id: str
    show_id: str
    published: str | None = None
    start: float | None = None
    end: float | None = None
    char_start: int | None = None
    char_end: int | None = None
    speakers: tuple[str, ...] = ()
    speaker_share: float | None = None
    topics: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()
    insight_type: str | None = None
    grounded: bool | None = None
    confidence: float | None = None
    position_hint: float | None = None
    kind: str = "speech"
    linked: tuple[str, ...] = ()
    ordinal: int | None = None
    context: str = ""


_FIELDS: Final = tuple(field.name for field in fields(Document))
_VALUES: Final = attrgetter(*_FIELDS)


def payload_of(document: Document) -> dict[str, Any]:
    """Return the payload that results carry: every field, and the links by the names of RFC-090.

    A segment has ``linked_insight_ids``; an insight has ``source_segment_ids`` and the first of
    them as ``source_segment_id`` (None where it has none).
    """
    payload: dict[str, Any] = dict(zip(_FIELDS, _VALUES(document), strict=True))
    if document.tier == "segment":
        payload["linked_insight_ids"] = document.linked
    else:
        payload["source_segment_ids"] = document.linked
        payload["source_segment_id"] = document.linked[0] if document.linked else None
    return payload
