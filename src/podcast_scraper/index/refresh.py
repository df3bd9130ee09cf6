"""The live index, where it can serve: left as it is, or brought up to date in place."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from podcast_scraper.errors import (
    EngineUnavailableError,
    IndexDamagedError,
    IndexStateError,
    StoreUnavailableError,
)
from podcast_scraper.index.derived import write_calibration, write_derived
from podcast_scraper.index.inputs import BuildOutcome, Inputs
from podcast_scraper.index.progress import Stopwatch
from podcast_scraper.index.report import build_report, carried_over
from podcast_scraper.index.update import (
    Changes,
    Update,
    changes_of,
    stored_fingerprints,
    worth_updating,
)
from podcast_scraper.index.vectors import StoredVectors
from podcast_scraper.search.backends.opening import open_backend
from podcast_scraper.search.graph.files import StoredGraph
from podcast_scraper.search.rescue.stored import StoredRescue
from podcast_scraper.storage import schema
from podcast_scraper.storage.catalog import Catalog
from podcast_scraper.storage.generations import deriving

if TYPE_CHECKING:
    from podcast_scraper.search.backend import IndexBackend
    from podcast_scraper.storage.generations import Generation, IndexLocation


def bring_up_to_date(location: IndexLocation, inputs: Inputs) -> BuildOutcome | None:
    """Return the live generation as the inputs want it; None where it must be built anew.

    It must where there is none, where it is damaged, was made by another schema or encoder or
    under other decisions about ids, and where too much has changed.
    """
    try:
        live = location.current()
        if live.manifest.encoder_fingerprint != inputs.encoder.fingerprint:
            return None
        StoredGraph(live.derived)  # a graph that cannot be read is damage too
        StoredRescue(live.derived)
        engine = location.store.open_records(live.path, read_only=False)
        backend = open_backend(inputs.search, live.path, engine, read_only=False)
    except (StoreUnavailableError, EngineUnavailableError):
        raise  # the index is as it was: what is missing is the way to it
    except IndexStateError:
        return None
    try:
        return _refreshed(location, live, backend, inputs)
    except IndexDamagedError:
        return None  # damage that opening did not come upon
    finally:
        backend.close()


def _refreshed(
    location: IndexLocation, live: Generation, backend: IndexBackend, inputs: Inputs
) -> BuildOutcome | None:
    manifest = live.manifest
    backend.publish(location.finished())
    if (
        manifest.corpus_fingerprint == inputs.fingerprint
        and manifest.extra.get("revision") == backend.revision
    ):
        return BuildOutcome(live, Catalog(backend.engine).build_report(), fresh=False)
    changes = changes_of(inputs.reading.plan, stored_fingerprints(backend.engine))
    if manifest.extra.get("decisions") != inputs.decisions or not worth_updating(changes, backend):
        return None
    return _Refresh(location, live, backend, inputs).run(changes)


class _Refresh:
    """One update of the live generation: records first, then what is derived from all of them."""

    def __init__(
        self, location: IndexLocation, live: Generation, backend: IndexBackend, inputs: Inputs
    ) -> None:
        self._location = location
        self._live = live
        self._backend = backend
        self._inputs = inputs
        self._watch = Stopwatch()

    def run(self, changes: Changes) -> BuildOutcome:
        backend, inputs = self._backend, self._inputs
        before = Catalog(backend.engine).build_report()
        donor = StoredVectors(
            self._live.path,
            inputs.encoder.fingerprint,
            backend.dimension,
            self._location.store,
        )
        try:
            update = Update(
                backend, inputs.reading, inputs.encoder, inputs.identity, [donor], inputs.progress
            )
            with self._watch.stage("update"):
                update.run(changes)
        finally:
            donor.close()
        # From here on the changes can be found; what describes the whole corpus follows. Until it
        # is there the index is not up to date, whether these changes were made now or before.
        searchable = self._published(self._live, "")
        with self._watch.stage("graph"), deriving(self._live) as directory:
            write_derived(directory, backend.engine, inputs.identity)
            write_calibration(directory, backend, inputs.encoder)
        report = self._report(before, changes, update.reused)
        return BuildOutcome(self._published(searchable, inputs.fingerprint), report, fresh=True)

    def _published(self, generation: Generation, fingerprint: str) -> Generation:
        backend = self._backend
        manifest = replace(
            generation.manifest,
            corpus_fingerprint=fingerprint,
            documents=backend.health().documents,
            extra=self._inputs.extra(revision=backend.revision),
        )
        return self._location.republish(generation, manifest)

    def _report(self, before: dict[str, Any], changes: Changes, reused: int) -> dict[str, Any]:
        engine, reading = self._backend.engine, self._inputs.reading
        fresh = build_report(
            engine, reading.report, self._backend.health(), self._watch.seconds(), reused
        )
        report = carried_over(before, fresh, reading.plan, changes.written)
        report["updated"] = {"written": len(changes.written), "removed": len(changes.removed)}
        created = datetime.now(UTC).isoformat(timespec="seconds")
        with engine.begin() as connection:
            row = {"created": created, "report": report}
            connection.execute(sa.insert(schema.BuildReport), [row])
        return report
