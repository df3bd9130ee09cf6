"""Reading the records of one index generation: names, episodes, transcripts, insights, quotes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from podcast_scraper.errors import NotFoundError
from podcast_scraper.identity.canonical import bare_episode_id, type_of
from podcast_scraper.storage.listed import among, listed
from podcast_scraper.storage.schema import (
    BuildReport,
    Entity,
    Episode,
    GraphEdge,
    Insight,
    Meta,
    Quote,
    Show,
    TranscriptSegment,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


def _names(key: Any, name: Any) -> sa.Select[*tuple[Any, ...]]:
    return sa.select(key, name).where(among(key))


# Built once: a page of hits asks for them on every search.
_ENTITY_NAMES = _names(Entity.id, Entity.name)
_SHOW_TITLES = _names(Show.id, Show.title)
_EPISODE_TITLES = _names(Episode.id, Episode.title)


# The columns of EpisodeInfo, in its order.
_EPISODES = (
    sa.select(
        Episode.id,
        Episode.title,
        Episode.show_id,
        Show.title,
        Episode.published,
        Episode.duration,
        Episode.media,
        Episode.summary_title,
        Episode.summary_bullets,
        Episode.summary_text,
        Episode.times_may_drift,
    )
    .join(Show, Show.id == Episode.show_id)
    .order_by(Episode.published.desc().nulls_last(), Episode.id)
)
_EPISODES_AMONG = _EPISODES.where(among(Episode.id))


_STATEMENTS = sa.select(Insight.id, Insight.text).where(among(Insight.id))
_OCCURRENCES = (
    sa.select(Insight.base_id, Insight.id, Insight.episode_id)
    .where(among(Insight.base_id))
    .order_by(Insight.id)
)


def _quotes_statement() -> sa.Select[*tuple[Any, ...]]:
    supported, spoken = sa.orm.aliased(GraphEdge), sa.orm.aliased(GraphEdge)
    return (
        sa.select(
            supported.source,
            Quote.id,
            Quote.text,
            sa.func.min(spoken.target),
            Quote.start_ms,
            Quote.end_ms,
            Quote.char_start,
            Quote.char_end,
        )
        .join(Quote, Quote.id == supported.target)
        .outerjoin(spoken, sa.and_(spoken.source == Quote.id, spoken.type == "SPOKEN_BY"))
        .where(supported.type == "SUPPORTED_BY", among(supported.source))
        .group_by(supported.source, Quote.id)
        .order_by(supported.source, Quote.start_ms.nulls_last(), Quote.char_start, Quote.id)
    )


_QUOTES = _quotes_statement()


@dataclass(frozen=True, slots=True)
class ShowInfo:
    """A show and how many episodes of it are indexed."""

    id: str
    title: str
    description: str | None
    url: str | None
    image: str | None
    publisher: str | None
    episodes: int


@dataclass(frozen=True, slots=True)
class EpisodeInfo:
    """An episode without its transcript. ``date`` is ``YYYY-MM-DD``, ``duration`` seconds."""

    id: str
    title: str
    show_id: str
    show_title: str
    date: str | None
    duration: float | None
    media: str | None
    summary_title: str | None
    summary_bullets: tuple[str, ...]
    summary_text: str | None
    times_may_drift: bool


@dataclass(frozen=True, slots=True)
class SegmentInfo:
    """One line of a transcript, with its speaker's name where one is known."""

    ordinal: int
    start: float | None
    end: float | None
    text: str
    speaker_id: str | None
    speaker_label: str | None
    kind: str
    char_start: int | None
    char_end: int | None


@dataclass(frozen=True, slots=True)
class QuoteInfo:
    """A quote, who spoke it and where (milliseconds)."""

    id: str
    text: str
    speaker_id: str | None
    start_ms: int | None
    end_ms: int | None
    char_start: int | None
    char_end: int | None


@dataclass(frozen=True, slots=True)
class InsightInfo:
    """An insight of an episode with the quotes that ground it."""

    id: str
    text: str
    insight_type: str
    grounded: bool
    position_hint: float | None
    quotes: tuple[QuoteInfo, ...]


class Catalog:
    """Record queries over one generation's database. Thread-safe; every call is one session."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def meta(self) -> Mapping[str, str]:
        """Return the single values of the generation."""
        with Session(self._engine) as session:
            return dict(session.execute(sa.select(Meta.key, Meta.value)).all())

    def build_report(self) -> dict[str, Any]:
        """Return the report of the build (``index --json``); empty where none was kept."""
        newest = sa.select(BuildReport.report).order_by(BuildReport.id.desc()).limit(1)
        with Session(self._engine) as session:
            return session.scalar(newest) or {}

    def labels(self, ids: Iterable[str]) -> dict[str, str]:
        """Return id → display name for people, organisations, topics, shows and episodes.

        Unknown ids are absent. Episode ids may be bare or prefixed.
        """
        wanted = sorted(set(ids))
        bare = {bare_episode_id(i): i for i in wanted if type_of(i) in (None, "episode")}
        found: dict[str, str] = {}
        with self._engine.connect() as connection:
            for statement, keys in (
                (_ENTITY_NAMES, [i for i in wanted if i not in bare]),
                (_SHOW_TITLES, [i for i in wanted if type_of(i) == "podcast"]),
                (_EPISODE_TITLES, list(bare)),
            ):
                if keys:
                    rows = connection.execute(statement, listed(keys))
                    found.update((bare.get(key, key), name) for key, name in rows)
        return found

    def shows(self) -> list[ShowInfo]:
        """Return every show, by title."""
        statement = (
            sa.select(Show, sa.func.count(Episode.id))
            .outerjoin(Episode, Episode.show_id == Show.id)
            .group_by(Show.id)
            .order_by(Show.title, Show.id)
        )
        with Session(self._engine) as session:
            return [
                ShowInfo(s.id, s.title, s.description, s.url, s.image, s.publisher, count)
                for s, count in session.execute(statement)
            ]

    def episodes(
        self, ids: Iterable[str] | None = None, *, show_id: str | None = None
    ) -> dict[str, EpisodeInfo]:
        """Return episodes by bare id, newest first; all of them, or those asked for."""
        statement = _EPISODES if ids is None else _EPISODES_AMONG
        if show_id is not None:
            statement = statement.where(Episode.show_id == show_id)
        values = listed({bare_episode_id(i) for i in ids}) if ids is not None else None
        with self._engine.connect() as connection:
            return {row[0]: _episode_info(row) for row in connection.execute(statement, values)}

    def episode(self, episode_id: str) -> EpisodeInfo:
        """Return one episode; NotFoundError where the corpus has none of that id."""
        bare = bare_episode_id(episode_id)
        found = self.episodes([bare]).get(bare)
        if found is None:
            raise NotFoundError(
                f"There is no episode {bare!r} in this corpus.",
                mend="GET /api/episodes lists the ids.",
                subject=episode_id,
            )
        return found

    def transcript(self, episode_id: str) -> tuple[str, list[SegmentInfo]]:
        """Return the text and the segments of an episode, in order; either may be empty."""
        bare = bare_episode_id(episode_id)
        segments = (
            sa.select(TranscriptSegment)
            .where(TranscriptSegment.episode_id == bare)
            .order_by(TranscriptSegment.ordinal)
        )
        with Session(self._engine) as session:
            text = session.scalar(sa.select(Episode.transcript).where(Episode.id == bare))
            return text or "", [
                SegmentInfo(
                    s.ordinal,
                    s.start,
                    s.end,
                    s.text,
                    s.speaker_id,
                    s.speaker_label,
                    s.kind,
                    s.char_start,
                    s.char_end,
                )
                for s in session.scalars(segments)
            ]

    def insights(self, episode_id: str) -> list[InsightInfo]:
        """Return the insights of an episode in the order in which they are grounded."""
        bare = bare_episode_id(episode_id)
        statement = (
            sa.select(Insight)
            .where(Insight.episode_id == bare)
            .order_by(Insight.position_hint.nulls_last(), Insight.id)
        )
        with Session(self._engine) as session:
            rows = list(session.scalars(statement))
            quotes = _quotes_of(session.connection(), [row.id for row in rows])
            return [
                InsightInfo(
                    row.id,
                    row.text,
                    row.insight_type,
                    row.grounded,
                    row.position_hint,
                    quotes.get(row.id, ()),
                )
                for row in rows
            ]

    def quotes(self, insight_ids: Iterable[str]) -> dict[str, tuple[QuoteInfo, ...]]:
        """Return insight id → the quotes that support it, in the order they were spoken."""
        with self._engine.connect() as connection:
            return _quotes_of(connection, sorted(set(insight_ids)))

    def statements(self, insight_ids: Iterable[str]) -> dict[str, str]:
        """Return insight id → what it says; unknown ids are absent."""
        wanted = set(insight_ids)
        if not wanted:
            return {}
        with self._engine.connect() as connection:
            return dict(connection.execute(_STATEMENTS, listed(wanted)).all())

    def occurrences(self, base_ids: Iterable[str]) -> dict[str, tuple[tuple[str, str], ...]]:
        """Return base insight id → (occurrence id, episode id) wherever the id occurs."""
        found: dict[str, list[tuple[str, str]]] = {}
        with self._engine.connect() as connection:
            rows = connection.execute(_OCCURRENCES, listed(set(base_ids)))
            for base, occurrence, episode in rows:
                found.setdefault(base, []).append((occurrence, episode))
        return {base: tuple(pairs) for base, pairs in found.items()}

    def counts(self) -> dict[str, int]:
        """Return how many shows, episodes, insights, quotes and entities by type there are."""
        with Session(self._engine) as session:
            counts = {
                name: session.scalar(sa.select(sa.func.count()).select_from(table)) or 0
                for name, table in (
                    ("shows", Show),
                    ("episodes", Episode),
                    ("insights", Insight),
                    ("quotes", Quote),
                )
            }
            by_type = sa.select(Entity.type, sa.func.count()).group_by(Entity.type)
            counts.update(dict(session.execute(by_type).all()))
            return counts


def _episode_info(row: sa.Row[*tuple[Any, ...]]) -> EpisodeInfo:
    key, title, show_id, show_title, published, *rest = row
    duration, media, summary_title, bullets, summary_text, drifts = rest
    date = published[:10] if published else None
    return EpisodeInfo(
        key,
        title,
        show_id,
        show_title,
        date,
        duration,
        media,
        summary_title,
        tuple(bullets),
        summary_text,
        drifts,
    )


def _quotes_of(
    connection: sa.Connection, insight_ids: Sequence[str]
) -> dict[str, tuple[QuoteInfo, ...]]:
    found: dict[str, list[QuoteInfo]] = {}
    for insight, *quote in connection.execute(_QUOTES, listed(insight_ids)):
        found.setdefault(insight, []).append(QuoteInfo(*quote))
    return {insight: tuple(quotes) for insight, quotes in found.items()}
