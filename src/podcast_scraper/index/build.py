"""Building an index generation: read, chunk, embed, write, publish.

Episodes stream through one at a time, so memory does not grow with the corpus. The generation is
built beside the live one (:mod:`podcast_scraper.storage.generations`); nothing readable changes
until it is complete and has passed its own health check.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa
from sqlalchemy.orm import Session

from podcast_scraper.artifacts.reading import open_reading
from podcast_scraper.embed.resolve import open_encoder
from podcast_scraper.errors import CorpusError
from podcast_scraper.identity.ledger import Ledger
from podcast_scraper.index.documents import documents_of
from podcast_scraper.index.entities import write_entities
from podcast_scraper.index.progress import Progress, Silent, Stopwatch
from podcast_scraper.index.report import build_report
from podcast_scraper.index.rows import rows_of, show_row, text_hash
from podcast_scraper.index.vectors import StoredVectors, embed
from podcast_scraper.search.backends.embedded import EmbeddedBackend
from podcast_scraper.search.graph.files import write_graph
from podcast_scraper.storage import schema
from podcast_scraper.storage.catalog import Catalog
from podcast_scraper.storage.driver import open_engine
from podcast_scraper.storage.generations import Generation, IndexLocation, Manifest
from podcast_scraper.storage.state import StateStore

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from podcast_scraper.artifacts.reading import CorpusReading
    from podcast_scraper.artifacts.records import EpisodeRecord
    from podcast_scraper.embed.encoder import Encoder
    from podcast_scraper.identity.identity_map import IdentityMap
    from podcast_scraper.index.vectors import Donor
    from podcast_scraper.storage.generations import BuildPlace

# Episodes a transaction: large enough that commits cost little, small enough that an interrupted
# build has kept nearly all the vectors it computed.
EPISODES_A_COMMIT: Final = 16


@dataclass(frozen=True, slots=True)
class BuildOutcome:
    """The live generation and the report of the build that made it; ``fresh`` if made just now."""

    generation: Generation
    report: dict[str, Any]
    fresh: bool


def build_index(
    corpus: Path,
    *,
    index_dir: Path | None = None,
    model: str | None = None,
    threads: int = 2,
    wait: float = 0.0,
    rebuild: bool = False,
    progress: Progress | None = None,
) -> BuildOutcome:
    """Build the index of a corpus, or return the live one where nothing has changed.

    ``wait`` is how many seconds to wait for another build to end. Raises CorpusError where nothing
    can be built, IndexLockedError where another process builds, ModelError for a missing model.
    """
    reading = open_reading(corpus)
    if not reading.plan:
        raise CorpusError(
            f"{corpus} holds no readable *.gi.json or *.kg.json file.",
            mend="Name a corpus of artifacts, or make one with `podcast-scraper import`.",
            subject=corpus,
        )
    location = IndexLocation.of(corpus, index_dir)
    encoder = open_encoder(model, threads=threads)
    with location.building(wait=wait) as place:
        live = _live(location)
        identity = _identity(location)
        wanted = _fingerprint(reading, identity)
        if live is not None and not rebuild and _serves(live.manifest, wanted, encoder):
            place.discard()
            return BuildOutcome(live, _stored_report(live), fresh=False)
        donors = [g for g in (live.path if live else None, *place.abandoned) if g is not None]
        build = _Build(place, reading, encoder, identity, progress or Silent(), donors)
        return build.run(wanted)


class _Build:
    """One build from an empty directory to a published generation."""

    def __init__(
        self,
        place: BuildPlace,
        reading: CorpusReading,
        encoder: Encoder,
        identity: IdentityMap,
        progress: Progress,
        donors: Sequence[Path],
    ) -> None:
        self._place = place
        self._reading = reading
        self._encoder = encoder
        self._identity = identity
        self._progress = progress
        self._watch = Stopwatch()
        self._donors: list[Donor] = [
            StoredVectors(path, encoder.fingerprint, encoder.dimension) for path in donors
        ]
        self._backend = EmbeddedBackend.create(place.path, encoder.dimension)
        self._engine = self._backend.engine
        self._shows: set[str] = set()
        self._reused = 0

    def run(self, corpus_fingerprint: str) -> BuildOutcome:
        backend = self._backend
        created = datetime.now(UTC).isoformat(timespec="seconds")
        try:
            self._write_meta(created)
            self._progress.start(len(self._reading.plan))
            self._write_episodes()
            with self._watch.stage("graph"):
                with Session(self._engine) as session, session.begin():
                    write_entities(session)
                write_graph(self._place.path, self._engine, identity_map=self._identity)
            with self._watch.stage("write"):
                backend.create_indices()
                health = backend.health()
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
            corpus_fingerprint=corpus_fingerprint,
            created=created,
            documents=health.documents,
        )
        return BuildOutcome(self._place.publish(manifest), report, fresh=True)

    def _write_episodes(self) -> None:
        batch: list[EpisodeRecord] = []
        episodes = self._reading.episodes()
        while True:
            with self._watch.stage("read"):
                record = next(episodes, None)
            if record is not None:
                batch.append(record)
            if batch and (record is None or len(batch) == EPISODES_A_COMMIT):
                self._write_batch(batch)
                batch = []
            if record is None:
                return

    def _write_batch(self, batch: Sequence[EpisodeRecord]) -> None:
        with self._watch.stage("write"), Session(self._engine) as session, session.begin():
            for record in batch:
                self._write_records(session, record)
        for record in batch:
            with self._watch.stage("chunk"):
                segments, insights = documents_of(record, self._encoder, self._identity)
            documents = [*segments, *insights]
            with self._watch.stage("embed"):
                texts = [document.text for document in documents]
                hashes = [text_hash(text) for text in texts]
                vectors, reused = embed(texts, hashes, self._encoder, self._donors)
                self._reused += reused
            with self._watch.stage("write"):
                self._backend.upsert_segment(segments, vectors[: len(segments)])
                self._backend.upsert_insight(insights, vectors[len(segments) :])
            self._progress.episode_done(record.title)

    def _write_records(self, session: Session, record: EpisodeRecord) -> None:
        if record.show.id not in self._shows:
            session.execute(sa.insert(schema.Show), [show_row(record)])
            self._shows.add(record.show.id)
        for table, rows in rows_of(record):
            if rows:
                session.execute(sa.insert(table), rows)

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


def _live(location: IndexLocation) -> Generation | None:
    from podcast_scraper.errors import IndexStateError

    try:
        return location.current()
    except IndexStateError:
        return None  # missing, damaged or of another schema: whatever it is, it is built anew


def _serves(manifest: Manifest, corpus_fingerprint: str, encoder: Encoder) -> bool:
    return (
        manifest.corpus_fingerprint == corpus_fingerprint
        and manifest.encoder_fingerprint == encoder.fingerprint
    )


def _identity(location: IndexLocation) -> IdentityMap:
    store = StateStore(location.state_path)
    try:
        return Ledger(store).standing().identity
    finally:
        store.close()


def _fingerprint(reading: CorpusReading, identity: IdentityMap) -> str:
    """Return a digest of what the index is made of: files, and what people decided about ids."""
    digest = hashlib.sha256()
    decided = (sorted(identity.redirects.items()), sorted(identity.scoped.items()))
    if any(decided):
        digest.update(repr(decided).encode())
    for episode in reading.plan:
        digest.update(f"{episode.episode_id}\0{episode.fingerprint}\n".encode())
    return digest.hexdigest()


def _stored_report(generation: Generation) -> dict[str, Any]:
    engine = open_engine(generation.database, read_only=True, vectors=False)
    try:
        return Catalog(engine).build_report()
    finally:
        engine.dispose()
