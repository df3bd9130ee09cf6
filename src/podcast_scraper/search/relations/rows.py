"""The records that relational queries return, and their JSON shape."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, overload

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Named:
    """An id with its display name."""

    id: str
    label: str


@dataclass(frozen=True, slots=True)
class Speaker:
    """Who spoke. ``inferred`` marks a host that was not named in the episode."""

    id: str
    name: str
    inferred: bool = False


@dataclass(frozen=True, slots=True)
class RelatedQuote:
    """A verbatim quote with its place in the audio (milliseconds, None where unknown)."""

    id: str
    text: str
    speaker: Speaker | None
    start_ms: int | None
    end_ms: int | None
    media_url: str | None


@dataclass(frozen=True, slots=True)
class RelatedNode:
    """One row: a node, where it comes from, and the path of ids that led to it.

    A row about an entity carries the newest insight that connects it as its provenance.
    ``details`` hold what one query alone knows (counts, months, …). ``also_in`` are further
    episodes in which the same words recur. ``pair`` holds both sides of a candidate tension or
    agreement.
    """

    id: str
    type: str
    text: str
    show_id: str | None = None
    episode_id: str | None = None
    show_title: str | None = None
    episode_title: str | None = None
    date: str | None = None
    speakers: tuple[Speaker, ...] = ()
    quotes: tuple[RelatedQuote, ...] = ()
    media_url: str | None = None
    path: tuple[str, ...] = ()
    group: Named | None = None
    also_in: tuple[str, ...] = ()
    pair: tuple[RelatedNode, RelatedNode] | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Relation(Sequence[RelatedNode]):
    """One page of rows. ``total`` counts all rows; ``suggestions`` are ids near an unknown one.

    ``note`` says why the result is empty where the id itself is the reason. It behaves as the
    sequence of its rows.
    """

    rows: tuple[RelatedNode, ...] = ()
    total: int = 0
    subject: Named | None = None
    suggestions: tuple[Named, ...] = ()
    note: str | None = None

    @overload
    def __getitem__(self, index: int) -> RelatedNode: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[RelatedNode]: ...
    def __getitem__(self, index: int | slice) -> RelatedNode | Sequence[RelatedNode]:
        return self.rows[index]

    def __len__(self) -> int:
        return len(self.rows)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Relation):
            return self.rows == other.rows and self.total == other.total
        return isinstance(other, Sequence) and list(self.rows) == list(other)

    __hash__ = None  # type: ignore[assignment]


def row_to_json(row: RelatedNode) -> dict[str, Any]:
    """Return a row in the shape that the command line and the HTTP API share."""
    made: dict[str, Any] = {
        "id": row.id,
        "type": row.type,
        "text": row.text,
        "show": _thing(row.show_id, title=row.show_title),
        "episode": _thing(row.episode_id, title=row.episode_title, date=row.date),
        "speakers": [_speaker(speaker) for speaker in row.speakers],
        "quotes": [_quote(quote) for quote in row.quotes],
        "media_url": row.media_url,
        "path": list(row.path),
        "details": dict(row.details),
    }
    if row.group is not None:
        made["group"] = named_to_json(row.group)
    if row.also_in:
        made["also_in"] = list(row.also_in)
    if row.pair is not None:
        made["pair"] = [row_to_json(side) for side in row.pair]
    return made


def named_to_json(named: Named) -> dict[str, str]:
    return {"id": named.id, "label": named.label}


def _thing(thing_id: str | None, **more: str | None) -> dict[str, str | None] | None:
    return None if thing_id is None else {"id": thing_id, **more}


def _speaker(speaker: Speaker) -> dict[str, Any]:
    made: dict[str, Any] = {"id": speaker.id, "name": speaker.name}
    return {**made, "inferred": True} if speaker.inferred else made


def _quote(quote: RelatedQuote) -> dict[str, Any]:
    return {
        "id": quote.id,
        "text": quote.text,
        "speaker": _speaker(quote.speaker) if quote.speaker else None,
        "start_ms": quote.start_ms,
        "end_ms": quote.end_ms,
        "media_url": quote.media_url,
    }
