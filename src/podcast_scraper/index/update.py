"""Bringing an index up to date by what has changed: some episodes came, went, or are others now.

The live generation is changed by revisions (:meth:`IndexBackend.revising`), a few episodes each:
every one is searchable when it is committed, and an update that is interrupted goes on with the
episodes that are left. What describes the whole corpus (graph, communities, centralities, columns,
calibration) is made anew once, after the last revision; until then readers have the old one. The
outcome holds what a full build would give.

Document frequencies of BM25 still count what was removed until tantivy merges its segments, and
rows of removed vectors stay in their file, so an index that has lost many documents, or an update
of many episodes, is built anew instead (:func:`worth_updating`).
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import sqlalchemy as sa

from podcast_scraper.index.encoding import encode_episode
from podcast_scraper.index.entities import write_entities
from podcast_scraper.index.rows import rows_of, show_row
from podcast_scraper.storage import schema
from podcast_scraper.storage.dialects import replace_row
from podcast_scraper.storage.listed import among, listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from podcast_scraper.artifacts.planning import PlannedEpisode
    from podcast_scraper.artifacts.reading import CorpusReading
    from podcast_scraper.artifacts.records import EpisodeRecord
    from podcast_scraper.embed.encoder import Encoder
    from podcast_scraper.identity.identity_map import IdentityMap
    from podcast_scraper.index.progress import Progress
    from podcast_scraper.index.vectors import Donor
    from podcast_scraper.search.backend import IndexBackend, RecordChanges

EPISODES_A_REVISION: Final = 8
MOST_CHANGED: Final = 0.2  # of the episodes that are indexed

_BY_EPISODE: Final = (
    schema.GraphEdge,
    schema.TranscriptSegment,
    schema.OtherNode,
    schema.Quote,
    schema.Insight,
    schema.Alias,
    schema.EntityOccurrence,
)


@dataclass(frozen=True, slots=True)
class Changes:
    """Ids of episodes: ``written`` are new or have changed, ``removed`` are gone."""

    written: tuple[str, ...]
    removed: tuple[str, ...]
    indexed: int

    def __len__(self) -> int:
        return len(self.written) + len(self.removed)


def changes_of(plan: Sequence[PlannedEpisode], stored: Mapping[str, str]) -> Changes:
    """Compare a plan with the fingerprints of the indexed episodes, by id."""
    planned = {episode.episode_id: episode.fingerprint for episode in plan}
    return Changes(
        tuple(key for key, fingerprint in planned.items() if stored.get(key) != fingerprint),
        tuple(key for key in stored if key not in planned),
        len(stored),
    )


def stored_fingerprints(engine: sa.Engine) -> dict[str, str]:
    """Return the fingerprint of each indexed episode."""
    with engine.connect() as connection:
        rows = connection.execute(sa.select(schema.Episode.id, schema.Episode.fingerprint))
        return {row.id: row.fingerprint for row in rows}


def worth_updating(changes: Changes, backend: IndexBackend) -> bool:
    """Tell whether changing the index costs less than building it, and leaves it lean."""
    few = len(changes) <= max(EPISODES_A_REVISION, MOST_CHANGED * changes.indexed)
    return few and backend.is_lean


class Update:
    """Writes the changed episodes of a reading into an index that is open for writing."""

    def __init__(
        self,
        backend: IndexBackend,
        reading: CorpusReading,
        encoder: Encoder,
        identity: IdentityMap,
        donors: Sequence[Donor],
        progress: Progress,
    ) -> None:
        self._backend = backend
        self._reading = reading
        self._encoder = encoder
        self._identity = identity
        self._donors = donors
        self._progress = progress
        self.reused = 0

    def run(self, changes: Changes) -> None:
        """Apply the changes, revision by revision."""
        self._progress.start(len(changes.written))
        records = self._reading.episodes(only=changes.written)
        gone = list(changes.removed)
        while batch := list(itertools.islice(records, EPISODES_A_REVISION)):
            self._revise(gone, batch)
            gone = []
        if gone:
            self._revise(gone, [])

    def _revise(self, removed: Sequence[str], written: Sequence[EpisodeRecord]) -> None:
        # Embedding takes long: it is done before the transaction, which then takes moments.
        encoded = [
            encode_episode(record, self._encoder, self._identity, self._donors)
            for record in written
        ]
        self.reused += sum(episode.reused for episode in encoded)
        leaving = [*removed, *(record.episode_id for record in written)]
        with self._backend.revising() as revision:
            touched = _entities_of(revision.connection, leaving)
            _remove(revision, leaving)
            for episode in encoded:
                _insert_records(revision.connection, episode.record)
                revision.upsert("segment", episode.segments, episode.of_segments)
                revision.upsert("insight", episode.insights, episode.of_insights)
            _drop_empty_shows(revision.connection)
            touched |= _entities_of(revision.connection, leaving)
            write_entities(revision.connection, touched)
        for record in written:
            self._progress.episode_done(record.title)


def _remove(revision: RecordChanges, episode_ids: Sequence[str]) -> None:
    connection, values = revision.connection, listed(episode_ids)
    document = schema.IndexedDocument
    statement = sa.select(document.doc_id).where(among(document.episode_id))
    revision.delete([row.doc_id for row in connection.execute(statement, values)])
    for table in _BY_EPISODE:
        connection.execute(sa.delete(table).where(among(table.episode_id)), values)
    connection.execute(sa.delete(schema.Episode).where(among(schema.Episode.id)), values)


def _insert_records(connection: sa.Connection, record: EpisodeRecord) -> None:
    replace_row(connection, schema.Show, show_row(record), "id")
    for table, rows in rows_of(record):
        if rows:
            connection.execute(sa.insert(table), rows)


def _drop_empty_shows(connection: sa.Connection) -> None:
    used = sa.select(schema.Episode.id).where(schema.Episode.show_id == schema.Show.id)
    connection.execute(sa.delete(schema.Show).where(~used.exists()))


def _entities_of(connection: sa.Connection, episode_ids: Iterable[str]) -> set[str]:
    occurrence = schema.EntityOccurrence
    statement = sa.select(occurrence.entity_id).where(among(occurrence.episode_id))
    return {row.entity_id for row in connection.execute(statement, listed(episode_ids))}
