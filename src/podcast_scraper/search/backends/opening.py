"""The backend of a generation, as the settings name its search engine.

Without one, the engines are embedded: files beside the records. ``milvus+http://…`` names a Milvus
server (:class:`~podcast_scraper.search.backends.milvus_client.MilvusTarget`), whose driver is
imported then alone.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from sqlalchemy.exc import DatabaseError

from podcast_scraper.errors import IndexDamagedError, IndexMismatchError
from podcast_scraper.search.backends.embedded import EmbeddedBackend

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import sqlalchemy as sa

    from podcast_scraper.search.backend import IndexBackend
    from podcast_scraper.search.backends.milvus_client import MilvusServer
    from podcast_scraper.search.following import Follower


def create_backend(url: str | None, path: Path, dimension: int, engine: sa.Engine) -> IndexBackend:
    """Make an empty backend over the empty tables of the generation in a directory.

    Raises ConfigurationError for a URL that names none, or where its driver is missing, and
    EngineUnavailableError where the server does not answer.
    """
    if url is None:
        return EmbeddedBackend.create(path, dimension, engine=engine)
    from podcast_scraper.search.backends.milvus import MilvusBackend

    return MilvusBackend.create(engine, _server(url), dimension, _number(path))


def open_backend(
    url: str | None, path: Path, engine: sa.Engine, *, read_only: bool = True
) -> IndexBackend:
    """Open the backend of the generation in a directory; a writer brings it up to date.

    Raises IndexMismatchError where it was built for another one, IndexDamagedError, and what
    :func:`create_backend` raises.
    """
    if url is None:
        try:
            return EmbeddedBackend.open(path, read_only=read_only, engine=engine)
        except IndexDamagedError as error:
            if _is_elsewhere(engine):
                raise IndexMismatchError(
                    f"The index in {path} was built for a search server, and none is configured.",
                    mend="Name it as `search` in podcast-scraper.yaml, or build the index again.",
                    subject=path,
                ) from error
            raise
    from podcast_scraper.search.backends.milvus import MilvusBackend

    backend = MilvusBackend.open(engine, _server(url), read_only=read_only)
    if not read_only:
        backend.catch_up()
    return backend


@contextlib.contextmanager
def follower_at(url: str, engine: sa.Engine) -> Iterator[Follower]:
    """Open the engine at a URL as it follows records that were indexed for it."""
    from podcast_scraper.search.backends.milvus import MilvusBackend

    with contextlib.closing(MilvusBackend.open(engine, _server(url), read_only=False)) as backend:
        yield backend.follower


def _server(url: str) -> MilvusServer:
    from podcast_scraper.search.backends.milvus_client import MilvusServer, MilvusTarget

    return MilvusServer(MilvusTarget.parse(url))


def _is_elsewhere(engine: sa.Engine) -> bool:
    from podcast_scraper.search.backends.milvus_seal import read_seal

    try:
        read_seal(engine)
    except (IndexDamagedError, DatabaseError):
        return False
    finally:
        engine.dispose()
    return True


def _number(path: Path) -> int:
    return int(path.name.partition(".")[0])
