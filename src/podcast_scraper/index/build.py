"""Building an index generation: read, chunk, embed, write, publish.

Episodes stream through one at a time, so memory does not grow with the corpus. The generation is
built beside the live one (:mod:`podcast_scraper.storage.generations`); nothing readable changes
until it is complete and has passed its own health check.
"""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

import sqlalchemy as sa
from sqlalchemy.orm import Session

from podcast_scraper.artifacts.reading import open_reading
from podcast_scraper.artifacts.scan_memory import ScanMemory
from podcast_scraper.embed.resolve import open_encoder
from podcast_scraper.errors import CorpusError, IndexStateError
from podcast_scraper.identity.ledger import Ledger
from podcast_scraper.index.derived import write_calibration, write_derived
from podcast_scraper.index.encoding import encode_episode
from podcast_scraper.index.entities import write_entities
from podcast_scraper.index.inputs import BuildOutcome, Inputs
from podcast_scraper.index.parallel import WorkerJob, Workers, encode_episodes, workers_at
from podcast_scraper.index.progress import Progress, Silent, Stopwatch
from podcast_scraper.index.recall import encoded, pseudo_queries
from podcast_scraper.index.refresh import bring_up_to_date
from podcast_scraper.index.report import build_report
from podcast_scraper.index.rows import rows_of, show_row
from podcast_scraper.index.vectors import StoredVectors
from podcast_scraper.search.backends.dense import LARGE
from podcast_scraper.search.backends.opening import create_backend
from podcast_scraper.settings import load_settings, location_of
from podcast_scraper.storage import schema
from podcast_scraper.storage.driver import FREE_SPACE
from podcast_scraper.storage.generations import Manifest
from podcast_scraper.storage.state import StateStore

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from podcast_scraper.artifacts.records import EpisodeRecord
    from podcast_scraper.embed.encoder import Encoder
    from podcast_scraper.identity.identity_map import IdentityMap
    from podcast_scraper.index.encoding import EncodedEpisode
    from podcast_scraper.index.vectors import Donor
    from podcast_scraper.storage.generations import BuildPlace, IndexLocation

SCANS: Final = "scans.sqlite"


def build_index(
    corpus: Path,
    *,
    index_dir: Path | None = None,
    model: str | None = None,
    encoder: Encoder | None = None,
    threads: int = 2,
    wait: float = 0.0,
    rebuild: bool = False,
    workers: str | None = None,
    progress: Progress | None = None,
) -> BuildOutcome:
    """Build the index of a corpus, or bring the live one up to date where little has changed.

    ``encoder`` is used where it is given, else that of ``model``, else that of the live index, else
    the default; ``rebuild`` builds in any case, and reads every file.
    ``wait`` is how many seconds to wait for another build to end. ``workers`` are what a build
    shares its work with (:func:`~podcast_scraper.index.parallel.workers_at`). Raises CorpusError
    where nothing can be built, IndexLockedError where another process builds, ModelError for a
    missing model.
    """
    settings = load_settings(corpus)
    location = location_of(corpus, index_dir, settings)
    memory = None if rebuild else ScanMemory(location.directory / SCANS)
    reading = open_reading(corpus, memory=memory)
    if not reading.plan:
        raise CorpusError(
            f"{corpus} holds no readable *.gi.json or *.kg.json file.",
            mend="Name a corpus of artifacts, or make one with `podcast-scraper import`.",
            subject=corpus,
        )
    given = encoder
    encoder = given or open_encoder(model or _live_model(location), threads=threads)
    team = Workers(workers, given or encoder.name) if workers is not None else None
    with location.building(wait=wait) as place:
        if memory is not None:
            memory.keep()
        identity = _identity(location)
        inputs = Inputs(reading, encoder, identity, progress or Silent(), settings.search, team)
        try:
            if not rebuild and (outcome := bring_up_to_date(location, inputs)) is not None:
                place.discard()
                return outcome
            return _Build(place, inputs).run()
        except OSError as error:
            raise IndexStateError(
                f"The index in {location.directory} cannot be written: {error}.",
                mend=FREE_SPACE,
                subject=location.directory,
            ) from error


def _live_model(location: IndexLocation) -> str | None:
    """Return the name of the live index's model, so that an update needs no flags to keep it."""
    try:
        return location.current().manifest.encoder
    except IndexStateError:
        return None


def follow_removal(corpus: Path) -> None:
    """Take out of a corpus' index what its files no longer hold; without an index do nothing.

    An index whose corpus has become empty is withdrawn. :func:`build_index` would not: there an
    empty directory is more likely a mistake than a wish.
    """
    location = location_of(corpus, None, load_settings(corpus))
    if location.current_name() is None:
        return
    if open_reading(corpus).plan:
        build_index(corpus)
    else:
        location.withdraw()


class _Build:
    """One build from an empty directory to a published generation."""

    def __init__(
        self,
        place: BuildPlace,
        inputs: Inputs,
    ) -> None:
        self._place = place
        self._inputs = inputs
        self._reading = inputs.reading
        self._encoder = encoder = inputs.encoder
        store = place.location.store
        self._identity = inputs.identity
        self._progress = inputs.progress
        self._watch = Stopwatch()
        self._donors: list[Donor] = [
            StoredVectors(path, encoder.fingerprint, encoder.dimension, store)
            for path in place.donors
        ]
        self._backend = create_backend(
            inputs.search, place.path, encoder.dimension, store.create_records(place.path)
        )
        self._engine = self._backend.engine
        self._shows: set[str] = set()
        self._reused = 0
        self._documents = 0

    def run(self) -> BuildOutcome:
        backend = self._backend
        created = datetime.now(UTC).isoformat(timespec="seconds")
        try:
            self._write_meta(created)
            self._progress.start(len(self._reading.plan))
            self._write_episodes()
            with self._watch.stage("graph"):
                with self._engine.begin() as connection:
                    write_entities(connection)
                write_derived(self._place.path, self._engine, self._identity)
            with self._watch.stage("write"):
                backend.create_indices(self._tuning_queries())
                health = backend.health()
            with self._watch.stage("calibrate"):
                write_calibration(self._place.path, backend, self._encoder)
            report = build_report(
                self._engine, self._reading.report, health, self._watch.seconds(), self._reused
            )
            with Session(self._engine) as session, session.begin():
                session.add(schema.BuildReport(created=created, report=report))
        finally:
            backend.close()
            for donor in self._donors:
                donor.close()
        manifest = Manifest(
            generation=self._place.name,
            schema_version=schema.SCHEMA_VERSION,
            encoder=self._encoder.name,
            encoder_fingerprint=self._encoder.fingerprint,
            dimension=self._encoder.dimension,
            corpus_fingerprint=self._inputs.fingerprint,
            created=created,
            documents=health.documents,
            extra=self._inputs.extra(revision=0),
        )
        generation = self._place.publish(manifest)
        backend.publish(self._place.location.finished())
        return BuildOutcome(generation, report, fresh=True)

    def _tuning_queries(self) -> NDArray[np.float32] | None:
        """Return queries to tune the dense engine on, where it is large enough to need it."""
        if self._documents < LARGE:
            return None
        texts = pseudo_queries(self._engine, seed=0)
        return encoded(texts, self._query_vector, self._encoder.dimension)

    def _query_vector(self, text: str) -> NDArray[np.float32]:
        return self._encoder.encode_query(self._encoder.fit_query(text)[0])

    def _write_episodes(self) -> None:
        with contextlib.ExitStack() as stack:
            for episode in self._encoded(stack):
                with self._watch.stage("write"):
                    self._write(episode)
                self._reused += episode.reused
                self._documents += len(episode.vectors)
                self._progress.episode_done(episode.record.title)

    def _encoded(self, stack: contextlib.ExitStack) -> Iterator[EncodedEpisode]:
        """Yield the episodes of the corpus in order, encoded here or by workers."""
        inputs = self._inputs
        if inputs.workers is None:
            for record in self._read():
                yield encode_episode(
                    record, self._encoder, self._identity, self._donors, self._watch
                )
            return
        job = WorkerJob(
            inputs.workers.encoder,
            self._encoder.fingerprint,
            self._encoder.dimension,
            self._identity,
            self._place.donors,
            self._place.location.store,
        )
        client = stack.enter_context(workers_at(inputs.workers.where))
        encoded = encode_episodes(client, job, self._read())
        while True:
            with self._watch.stage("workers"):
                episode = next(encoded, None)
            if episode is None:
                return
            yield episode

    def _read(self) -> Iterator[EpisodeRecord]:
        episodes = self._reading.episodes()
        while True:
            with self._watch.stage("read"):
                record = next(episodes, None)
            if record is None:
                return
            yield record

    def _write(self, episode: EncodedEpisode) -> None:
        record = episode.record
        with self._engine.begin() as connection:
            if record.show.id not in self._shows:
                connection.execute(sa.insert(schema.Show), [show_row(record)])
                self._shows.add(record.show.id)
            for table, rows in rows_of(record):
                if rows:
                    connection.execute(sa.insert(table), rows)
        self._backend.upsert_segment(episode.segments, episode.of_segments)
        self._backend.upsert_insight(episode.insights, episode.of_insights)

    def _write_meta(self, created: str) -> None:
        values = {
            "schema_version": str(schema.SCHEMA_VERSION),
            "encoder": self._encoder.name,
            "encoder_fingerprint": self._encoder.fingerprint,
            "dimension": str(self._encoder.dimension),
            "created": created,
        }
        with Session(self._engine) as session, session.begin():
            session.execute(
                sa.insert(schema.Meta), [{"key": k, "value": v} for k, v in values.items()]
            )


def _identity(location: IndexLocation) -> IdentityMap:
    store = StateStore(location.state_path, location.store)
    try:
        return Ledger(store).standing().identity
    finally:
        store.close()
