"""What reading a corpus gives: one :class:`EpisodeRecord` an episode, in canonical ids.

Times are seconds as float where the name ends in nothing, milliseconds where it ends in ``_ms``.
Character offsets count Unicode code points of :attr:`Transcript.text`, end exclusive.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

Layer = Literal["gi", "kg", "derived"]
SegmentKind = Literal["speech", "ad", "music"]


@dataclass(frozen=True, slots=True)
class Node:
    """A node of the merged GI and KG layers of one episode.

    ``type`` is lower case: person, org, topic, episode, insight, quote, podcast, or an unknown
    type kept under its lower-cased name. ``layers`` says which layers held it.
    """

    id: str
    type: str
    properties: Mapping[str, Any]
    layers: frozenset[str]
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class Edge:
    """A typed edge; ``type`` is upper case. ``layer`` is ``derived`` where no file held it."""

    type: str
    source: str
    target: str
    layer: Layer
    properties: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Segment:
    """One timed piece of transcript, as the file has it.

    ``speaker_id`` is a canonical person id (a voice id where only a label is known), or None.
    ``char_start`` and ``char_end`` are None where the segment does not align with the text.
    """

    ordinal: int
    start: float | None
    end: float | None
    text: str
    speaker_label: str | None = None
    speaker_id: str | None = None
    kind: SegmentKind = "speech"
    char_start: int | None = None
    char_end: int | None = None


@dataclass(frozen=True, slots=True)
class Transcript:
    """The decoded text of an episode and its segments; either may be empty."""

    text: str
    segments: tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class ShowRecord:
    """A podcast. ``other_ids`` are the further podcast ids that were joined into this one."""

    id: str
    title: str
    description: str | None = None
    url: str | None = None
    image: str | None = None
    publisher: str | None = None
    other_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AliasRecord:
    """A further name of an entity and where it was seen (``property``, ``bridge``, ``label``…)."""

    entity_id: str
    name: str
    origin: str


@dataclass(frozen=True, slots=True)
class EpisodeRecord:
    """One episode with everything that its files allow.

    ``episode_id`` is bare (no ``episode:``); ``published`` is aware UTC or None; ``media`` is an
    http(s) URL, a path under the corpus, or None. ``fingerprint`` is a SHA-256 over the content of
    all files that the record was made from. ``stem_path`` is relative to the corpus.
    """

    episode_id: str
    show: ShowRecord
    title: str
    stem_path: str
    fingerprint: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    transcript: Transcript
    published: datetime | None = None
    duration: float | None = None
    media: str | None = None
    language: str | None = None
    summary_title: str | None = None
    summary_bullets: tuple[str, ...] = ()
    summary_text: str | None = None
    aliases: tuple[AliasRecord, ...] = ()
    times_may_drift: bool = False
