"""Episodes encoded by many processes, on this machine or on others: Dask's scheduler and workers.

Reading and writing stay with the one process that builds; chunking and embedding, which take nearly
all the time, are done by workers, one episode a task. A task whose worker dies is given to another
(three times at most), and episodes are written in the order of the corpus, so the index is the one
that a single process builds.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import itertools
import uuid
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from podcast_scraper.embed.resolve import open_encoder
from podcast_scraper.errors import ConfigurationError, IndexStateError, ModelError
from podcast_scraper.index.encoding import EncodedEpisode, encode_episode
from podcast_scraper.index.vectors import StoredVectors

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from podcast_scraper.artifacts.records import EpisodeRecord
    from podcast_scraper.embed.encoder import Encoder
    from podcast_scraper.identity.identity_map import IdentityMap
    from podcast_scraper.storage.store import RecordStore

# So many tasks a worker are given out: enough that none waits, few enough to stay in memory.
TASKS_A_WORKER: Final = 3
CONNECT_SECONDS: Final = 10


@dataclass(frozen=True, slots=True)
class Workers:
    """Where they are (see :func:`workers_at`), and what they encode with.

    ``encoder`` is the name of a model, or an encoder that can be sent as it is.
    """

    where: str
    encoder: str | Encoder


@dataclass(frozen=True, slots=True)
class WorkerJob:
    """What a worker needs for every episode of one build.

    ``donors`` are directories of generations, whose vectors are used where the worker can reach
    them.
    """

    encoder: str | Encoder = field(compare=False)
    fingerprint: str = field(compare=False)
    dimension: int = field(compare=False)
    identity: IdentityMap = field(compare=False)
    donors: Sequence[Path] = field(compare=False)
    store: RecordStore = field(compare=False)
    token: str = field(default_factory=lambda: uuid.uuid4().hex)


@contextlib.contextmanager
def workers_at(where: str) -> Iterator[Any]:
    """Connect to the scheduler at an address, or start as many workers here as a number says.

    Gives a ``distributed.Client``. Raises ConfigurationError where Dask is not installed or the
    address is none, IndexStateError where no scheduler answers there.
    """
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError as error:
        raise ConfigurationError(
            "Building with workers needs Dask, which is not installed.",
            mend="Install it with `pip install 'podcast-scraper[parallel]'`.",
            subject="distributed",
        ) from error
    with contextlib.ExitStack() as stack:
        if where.isdecimal() and int(where) > 0:
            address: Any = stack.enter_context(
                distributed.LocalCluster(
                    n_workers=int(where),
                    threads_per_worker=1,
                    host="127.0.0.1",
                    dashboard_address="127.0.0.1:0",
                )
            )
        elif "://" in where:
            address = where
        else:
            raise ConfigurationError(
                f"{where!r} is neither a number of workers nor the address of a scheduler.",
                mend="Write 4, or tcp://scheduler:8786.",
                subject=where,
            )
        try:
            client = distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise IndexStateError(
                f"No Dask scheduler answers at {where}.", mend="Start it.", subject=where
            ) from error
        yield stack.enter_context(client)


def encode_episodes(
    client: Any, job: WorkerJob, records: Iterable[EpisodeRecord]
) -> Iterator[EncodedEpisode]:
    """Yield episodes in the order of their records, encoded by the workers of a client.

    Raises IndexStateError where an episode was the end of four workers, and what encoding raises.
    """
    from distributed.scheduler import KilledWorker

    waiting: deque[tuple[EpisodeRecord, Any]] = deque()
    more = iter(records)
    while True:
        room = max(1, len(client.nthreads())) * TASKS_A_WORKER - len(waiting)
        for record in itertools.islice(more, max(0, room)):
            waiting.append((record, client.submit(_encoded, job, record, pure=False)))
        if not waiting:
            return
        record, future = waiting.popleft()
        try:
            yield future.result()
        except KilledWorker as error:
            raise IndexStateError(
                f"Every worker that encoded {record.episode_id} died.",
                mend="Give the workers more memory, or build without them.",
                subject=record.episode_id,
            ) from error


def _encoded(job: WorkerJob, record: EpisodeRecord) -> EncodedEpisode:
    """Run in a worker."""
    bench = _bench(job)
    return encode_episode(record, bench.encoder, job.identity, bench.donors)


@dataclass(frozen=True, slots=True)
class _Bench:
    encoder: Encoder
    donors: Sequence[StoredVectors]


@functools.lru_cache(maxsize=1)
def _bench(job: WorkerJob) -> _Bench:
    """Return what a worker keeps from one episode of a build to the next."""
    encoder = open_encoder(job.encoder) if isinstance(job.encoder, str) else job.encoder
    if encoder.fingerprint != job.fingerprint:
        raise ModelError(
            f"The model of a worker is {encoder.fingerprint}, not {job.fingerprint}.",
            mend="Install the same version of the model everywhere.",
            subject=encoder.name,
        )
    donors = [StoredVectors(path, job.fingerprint, job.dimension, job.store) for path in job.donors]
    return _Bench(encoder, donors)
