"""The SQLite seam: which driver can load sqlite-vec, and how a file is opened.

Many Python builds compile ``sqlite3`` without extension loading. Then the ``pysqlite3`` wheel,
which carries its own SQLite, takes its place. The choice is made once a process (:func:`dbapi`).
"""

from __future__ import annotations

import functools
import importlib
import os
import sqlite3
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.pool import QueuePool

from podcast_scraper.errors import IndexDamagedError, IndexStateError

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

BUSY_TIMEOUT_MS = 10_000
FREE_SPACE = "Free some space and run `podcast-scraper index` again: it goes on where it stood."
SNAPSHOT_CONNECTIONS = 8

# Readers map this much of a file instead of copying pages into each process.
_MAPPED_BYTES = 1 << 31


@functools.cache
def dbapi() -> ModuleType:
    """Return the first DB-API module that can load extensions: stdlib ``sqlite3``, ``pysqlite3``.

    Raises IndexStateError where neither can.
    """
    if can_load_extensions(sqlite3):
        return sqlite3
    try:
        module = importlib.import_module("pysqlite3")
    except ImportError:
        module = None
    if module is not None and can_load_extensions(module):
        return module
    raise IndexStateError(
        "This Python's sqlite3 cannot load extensions and no pysqlite3 is installed.",
        mend="Install it with `pip install pysqlite3` (or use a Python built with extensions).",
        subject=sqlite3.sqlite_version,
    )


def can_load_extensions(module: ModuleType) -> bool:
    """Tell by trying whether connections of a DB-API module can load sqlite-vec."""
    if not hasattr(module.Connection, "enable_load_extension"):
        return False
    connection = module.connect(":memory:")
    try:
        _load_vec(connection)
    except Exception:
        return False
    finally:
        connection.close()
    return True


def _load_vec(connection: Any) -> None:
    import sqlite_vec

    connection.enable_load_extension(True)
    sqlite_vec.load(connection)
    connection.enable_load_extension(False)


def open_engine(path: Path, *, read_only: bool = False, vectors: bool = True) -> sa.Engine:
    """Return an engine over one SQLite file, with sqlite-vec loaded where ``vectors`` is true.

    Writers get write-ahead logging, a busy timeout and foreign keys. Readers cannot change the
    file; where they cannot write beside it either, as on a read-only disk, it is opened as
    immutable, for write-ahead logging would want to make its index file there.

    A reader's connection keeps seeing what it saw first, however the file changes meanwhile. The
    first :data:`SNAPSHOT_CONNECTIONS` of an engine, when opened together, see the same.

    Open one file with the same ``vectors`` throughout a process: two drivers are two copies of
    SQLite, and POSIX drops the locks of one when the other closes the file.
    """
    mode = "ro" if read_only else "rwc"
    if read_only and not os.access(path.parent, os.W_OK):
        mode += "&immutable=1"
    module = dbapi() if vectors else sqlite3
    uri = f"file:{_quote(path)}?mode={mode}"

    def connect() -> Any:
        try:
            kind = _snapshot_connection(module) if read_only else module.Connection
            connection = module.connect(uri, uri=True, check_same_thread=False, factory=kind)
            connection.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
            connection.execute("PRAGMA foreign_keys = ON")
            if vectors:
                _load_vec(connection)
            if read_only:
                connection.execute("PRAGMA query_only = ON")
                connection.execute(f"PRAGMA mmap_size = {_MAPPED_BYTES}")
                connection.execute("BEGIN")
            else:
                _write_ahead(connection, path)
        except module.DatabaseError as error:
            raise IndexDamagedError(
                f"{path} cannot be opened: {error}.",
                mend="Build the index again with `podcast-scraper index`.",
                subject=path,
            ) from error
        return connection

    engine = sa.create_engine(
        "sqlite://",
        creator=connect,
        module=module,
        poolclass=QueuePool,
        pool_size=SNAPSHOT_CONNECTIONS,
    )
    sa.event.listen(engine, "handle_error", functools.partial(_translate, path))
    return engine


def _translate(path: Path, context: sa.engine.ExceptionContext) -> None:
    """Name a corrupt file and a full disk, whichever statement comes upon them."""
    message = str(context.original_exception)
    if "disk is full" in message or "disk I/O" in message:
        raise IndexStateError(
            f"{path} cannot be written: {message}.", mend=FREE_SPACE, subject=path
        ) from context.original_exception
    if "malformed" in message or "not a database" in message:
        raise IndexDamagedError(
            f"{path} is damaged: {message}.",
            mend="Build the index again with `podcast-scraper index --rebuild`.",
            subject=path,
        ) from context.original_exception


@functools.cache
def _snapshot_connection(module: ModuleType) -> type:
    """Return a connection that stays in the read transaction that it began with."""

    class Snapshot(module.Connection):  # type: ignore[name-defined, misc]
        def rollback(self) -> None:
            """Keep the transaction: SQLAlchemy ends one whenever a connection is given back."""

        commit = rollback

    return Snapshot


def _write_ahead(connection: Any, path: Path) -> None:
    (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
    if mode.lower() not in ("wal", "memory"):
        raise IndexStateError(
            f"{path} cannot use write-ahead logging (journal mode {mode}).",
            mend="Put the index on a local disk with --index-dir.",
            subject=path,
        )
    connection.execute("PRAGMA synchronous = NORMAL")


def _quote(path: Path) -> str:
    from urllib.parse import quote

    return quote(str(path.absolute()))
