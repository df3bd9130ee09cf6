"""The seal of an index: what its engines held when they last agreed.

It is one row of the records. A write breaks it, or replaces it in the transaction that changes the
records: whoever opens an index reads the seal first, and takes exactly the files it names.
"""

from __future__ import annotations

import contextlib
import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Final

import sqlalchemy as sa
from sqlalchemy.exc import DatabaseError

from podcast_scraper.errors import IndexDamagedError, IndexLockedError, PodcastScraperError
from podcast_scraper.search.backends.dense_files import DenseSeal
from podcast_scraper.storage.dialects import on_postgresql, replace_row
from podcast_scraper.storage.driver import SNAPSHOT_CONNECTIONS
from podcast_scraper.storage.schema import Meta
from podcast_scraper.storage.store import DATABASE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MEND: Final = "Build the index again with `podcast-scraper index`."

REBUILD: Final = "Build the index again with `podcast-scraper index --rebuild`."

_KEY: Final = "search_seal"


@dataclass(frozen=True, slots=True)
class Seal:
    """What belongs together; ``lexical`` holds tantivy's commit and its files with their sizes.

    ``revision`` counts the changes since the index was built.
    """

    documents: int
    dimension: int
    lexical_directory: str = "lexical"
    lexical: dict[str, int] = field(default_factory=dict)
    dense: DenseSeal = field(default_factory=DenseSeal)
    revision: int = 0


def read_seal(connection: sa.Connection, path: Path) -> Seal:
    """Return the seal in the database at ``path``; IndexDamagedError where it is broken."""
    try:
        value = connection.execute(sa.select(Meta.value).where(Meta.key == _KEY)).scalar()
    except DatabaseError as error:
        raise IndexDamagedError(
            f"The records in {path} cannot be read: {error.orig}.", mend=MEND, subject=path
        ) from error
    if value is None:
        raise torn(path, "Its last write was not finished.")
    try:
        values = json.loads(value)
        return Seal(**{**values, "dense": DenseSeal(**values["dense"])})
    except (ValueError, KeyError, TypeError) as error:
        raise torn(path, "Its seal is of another version.") from error


def settled_seal(engine: sa.Engine, path: Path) -> Seal:
    """Return the seal that every connection of a reader sees."""
    if on_postgresql(engine):  # where a connection sees what is committed at each statement
        with engine.connect() as connection:
            return read_seal(connection, path)
    while True:
        with contextlib.ExitStack() as stack:
            opened = [stack.enter_context(engine.connect()) for _ in range(SNAPSHOT_CONNECTIONS)]
            seals = [read_seal(connection, path / DATABASE) for connection in opened]
        if all(seal == seals[0] for seal in seals):
            return seals[0]
        engine.dispose()  # a revision came between two of them


def write_seal(connection: sa.Connection, seal: Seal) -> None:
    """Put a seal in the place of the one before."""
    row = {"key": _KEY, "value": json.dumps(asdict(seal))}
    replace_row(connection, Meta, row, "key")


def break_seal(connection: sa.Connection) -> None:
    """Mark the index as being written."""
    connection.execute(sa.delete(Meta).where(Meta.key == _KEY))


def torn(path: Path, reason: str) -> IndexDamagedError:
    """Return the error for parts that do not fit together."""
    return IndexDamagedError(f"The index in {path} is torn. {reason}", mend=MEND, subject=path)


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Name the other writer where the records of the index in a directory cannot be written."""
    try:
        yield
    except PodcastScraperError:
        raise
    except DatabaseError as error:
        raise IndexLockedError(
            f"The index in {path} cannot be written: {error.orig}.",
            mend="Wait until the other writer has ended, or open the index for writing.",
            subject=path,
        ) from error
