"""The record schema of an index generation (SQLAlchemy 2 models).

Everything here is rebuilt from the corpus; what people decide lives in ``state.sqlite``
(:mod:`podcast_scraper.storage.state`). Rows that an episode contributed carry its ``episode_id``,
so that removing an episode removes exactly its share. Times are seconds, ``*_ms`` milliseconds,
dates ISO 8601 in UTC.
"""

from __future__ import annotations

from typing import Any, ClassVar

import sqlalchemy as sa
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from podcast_scraper.storage.dialects import INTEGER, STRING

SCHEMA_VERSION = 4

Names = list[str]
Ids = tuple[str, ...]


class IdList(sa.TypeDecorator[Ids]):
    """Ids, one a line: a search reads some hundred such lists, and JSON takes six times as long.

    Ids hold no control characters.
    """

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: Ids | None, dialect: sa.Dialect) -> str:
        return "\n".join(value or ())

    def process_result_value(self, value: str | None, dialect: sa.Dialect) -> Ids:
        return tuple(value.split("\n")) if value else ()


class Base(DeclarativeBase):
    """Declarative base; JSON columns hold lists and mappings."""

    type_annotation_map: ClassVar[dict[Any, Any]] = {
        str: STRING,
        int: INTEGER,
        dict[str, Any]: sa.JSON,
        Names: sa.JSON,
        Ids: IdList,
    }


class Meta(Base):
    """Single values of the generation: schema version, encoder, fingerprints, thresholds."""

    __tablename__ = "meta"
    key: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[str]


class Show(Base):
    """A podcast; ``other_ids`` were joined into it."""

    __tablename__ = "shows"
    id: Mapped[str] = mapped_column(primary_key=True)
    title: Mapped[str]
    description: Mapped[str | None]
    url: Mapped[str | None]
    image: Mapped[str | None]
    publisher: Mapped[str | None]
    other_ids: Mapped[Names]


class Episode(Base):
    """An episode; ``id`` is bare (no ``episode:``), ``transcript`` the decoded text."""

    __tablename__ = "episodes"
    id: Mapped[str] = mapped_column(primary_key=True)
    show_id: Mapped[str] = mapped_column(sa.ForeignKey("shows.id"), index=True)
    title: Mapped[str]
    published: Mapped[str | None] = mapped_column(index=True)
    duration: Mapped[float | None]
    media: Mapped[str | None]
    language: Mapped[str | None]
    summary_title: Mapped[str | None]
    summary_bullets: Mapped[Names]
    summary_text: Mapped[str | None]
    stem_path: Mapped[str]
    fingerprint: Mapped[str]
    times_may_drift: Mapped[bool]
    transcript: Mapped[str] = mapped_column(sa.Text, deferred=True)


class Entity(Base):
    """A person, organisation or topic of the whole corpus. ``voice`` marks diarisation labels."""

    __tablename__ = "entities"
    id: Mapped[str] = mapped_column(primary_key=True)
    type: Mapped[str] = mapped_column(index=True)
    name: Mapped[str]
    description: Mapped[str | None]
    voice: Mapped[bool]


class EntityOccurrence(Base):
    """What one episode says of an entity: its name there, its role, the layers that held it."""

    __tablename__ = "entity_occurrences"
    episode_id: Mapped[str] = mapped_column(sa.ForeignKey("episodes.id"), primary_key=True)
    entity_id: Mapped[str] = mapped_column(primary_key=True, index=True)
    type: Mapped[str]
    name: Mapped[str]
    role: Mapped[str | None]
    layers: Mapped[str]
    properties: Mapped[dict[str, Any]]


class Alias(Base):
    """A further name of an entity and where it was seen."""

    __tablename__ = "aliases"
    id: Mapped[int] = mapped_column(primary_key=True)  # names are of any length: no key holds them
    episode_id: Mapped[str] = mapped_column(sa.ForeignKey("episodes.id"), index=True)
    entity_id: Mapped[str] = mapped_column(index=True)
    name: Mapped[str]
    origin: Mapped[str]


class Insight(Base):
    """One occurrence of an insight; ``base_id`` is the id in the file."""

    __tablename__ = "insights"
    id: Mapped[str] = mapped_column(primary_key=True)
    base_id: Mapped[str] = mapped_column(index=True)
    episode_id: Mapped[str] = mapped_column(sa.ForeignKey("episodes.id"), index=True)
    text: Mapped[str]
    insight_type: Mapped[str]
    grounded: Mapped[bool]
    position_hint: Mapped[float | None]
    confidence: Mapped[float | None]
    properties: Mapped[dict[str, Any]]


class Quote(Base):
    """One occurrence of a verbatim quote; ``located`` says how it was found in the transcript."""

    __tablename__ = "quotes"
    id: Mapped[str] = mapped_column(primary_key=True)
    base_id: Mapped[str] = mapped_column(index=True)
    episode_id: Mapped[str] = mapped_column(sa.ForeignKey("episodes.id"), index=True)
    text: Mapped[str]
    char_start: Mapped[int | None]
    char_end: Mapped[int | None]
    start_ms: Mapped[int | None]
    end_ms: Mapped[int | None]
    located: Mapped[str]
    properties: Mapped[dict[str, Any]]


class OtherNode(Base):
    """A node of a type that we do not know, kept as it is."""

    __tablename__ = "other_nodes"
    episode_id: Mapped[str] = mapped_column(sa.ForeignKey("episodes.id"), primary_key=True)
    id: Mapped[str] = mapped_column(primary_key=True)
    type: Mapped[str]
    properties: Mapped[dict[str, Any]]


class TranscriptSegment(Base):
    """One timed piece of transcript, as the corpus has it."""

    __tablename__ = "transcript_segments"
    episode_id: Mapped[str] = mapped_column(sa.ForeignKey("episodes.id"), primary_key=True)
    ordinal: Mapped[int] = mapped_column(primary_key=True)
    start: Mapped[float | None]
    end: Mapped[float | None]
    text: Mapped[str]
    speaker_label: Mapped[str | None]
    speaker_id: Mapped[str | None] = mapped_column(index=True)
    kind: Mapped[str]
    char_start: Mapped[int | None]
    char_end: Mapped[int | None]


class GraphEdge(Base):
    """A typed edge and the episode that it came from. ``layer`` is gi, kg or derived."""

    __tablename__ = "edges"
    id: Mapped[int] = mapped_column(primary_key=True)
    episode_id: Mapped[str] = mapped_column(sa.ForeignKey("episodes.id"), index=True)
    type: Mapped[str]
    source: Mapped[str]
    target: Mapped[str]
    layer: Mapped[str]
    confidence: Mapped[float | None]
    properties: Mapped[dict[str, Any]]

    __table_args__ = (
        sa.Index("edges_by_source", "source", "type"),
        sa.Index("edges_by_target", "target", "type"),
    )


class IndexedDocument(Base):
    """A retrieval unit (:class:`podcast_scraper.search.documents.Document`); ``key`` is its row id.

    ``text_hash`` (SHA-256, hex) with the encoder's fingerprint names the vector of the text.
    """

    __tablename__ = "documents"
    key: Mapped[int] = mapped_column(primary_key=True)
    doc_id: Mapped[str] = mapped_column(unique=True)
    tier: Mapped[str]
    text: Mapped[str]
    text_hash: Mapped[str] = mapped_column(index=True)
    episode_id: Mapped[str] = mapped_column(sa.ForeignKey("episodes.id"), index=True)
    show_id: Mapped[str]
    published: Mapped[str | None]
    start: Mapped[float | None]
    end: Mapped[float | None]
    char_start: Mapped[int | None]
    char_end: Mapped[int | None]
    speakers: Mapped[Ids]
    speaker_share: Mapped[float | None]
    topics: Mapped[Ids]
    mentions: Mapped[Ids]
    insight_type: Mapped[str | None]
    grounded: Mapped[bool | None]
    confidence: Mapped[float | None]
    position_hint: Mapped[float | None]
    kind: Mapped[str]
    context: Mapped[str]
    linked: Mapped[Ids]
    ordinal: Mapped[int | None]

    __table_args__ = {"sqlite_autoincrement": True}  # noqa: RUF012 (read by SQLAlchemy alone)


class DocumentEntity(Base):
    """Which entities a document has, by role (``speaker``, ``topic``, ``mention``): for filters."""

    __tablename__ = "document_entities"
    entity_id: Mapped[str] = mapped_column(primary_key=True)
    role: Mapped[str] = mapped_column(primary_key=True)
    # Indexed: the rows of a document that is removed go with it, and must be found for that.
    key: Mapped[int] = mapped_column(
        sa.ForeignKey("documents.key", ondelete="CASCADE"), primary_key=True, index=True
    )


class DocumentVector(Base):
    """A document's vector: little-endian float32 of L2 norm 1, as sqlite-vec reads it."""

    __tablename__ = "document_vectors"
    key: Mapped[int] = mapped_column(
        sa.ForeignKey("documents.key", ondelete="CASCADE"), primary_key=True
    )
    embedding: Mapped[bytes]


class OutboxRow(Base):
    """A change of a document that search engines elsewhere have to be told, in order of ``seq``.

    ``op`` is ``upsert`` or ``delete``. ``key`` refers to the payload, the document with its vector:
    an upsert whose key is gone was overtaken by a later row.
    """

    __tablename__ = "outbox"
    seq: Mapped[int] = mapped_column(primary_key=True)
    op: Mapped[str]
    doc_id: Mapped[str]
    tier: Mapped[str]
    key: Mapped[int]

    __table_args__ = {"sqlite_autoincrement": True}  # noqa: RUF012 (read by SQLAlchemy alone)


class OutboxTarget(Base):
    """An engine that follows the outbox: it has been told everything up to ``seq``.

    Until it is ``filled`` it lacks documents that were there before. ``told`` and ``checked`` are
    when it was told and looked at last (UTC), ``reasons`` what was wrong with it then.
    """

    __tablename__ = "outbox_targets"
    name: Mapped[str] = mapped_column(primary_key=True)
    seq: Mapped[int]
    filled: Mapped[bool]
    told: Mapped[str]
    checked: Mapped[str | None]
    reasons: Mapped[Names]


class BuildReport(Base):
    """The full report of a build, as JSON."""

    __tablename__ = "build_reports"
    id: Mapped[int] = mapped_column(primary_key=True)
    created: Mapped[str]
    report: Mapped[dict[str, Any]]
