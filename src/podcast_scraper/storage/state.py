"""What people decided about a corpus, beside the index and untouched by builds.

It is kept in ``state.sqlite`` or in a schema of a PostgreSQL database
(:mod:`podcast_scraper.storage.store`), carries its version and is migrated when it is opened.
It can be exported to JSON and imported again; rows are known by their ``uid``, so that importing
twice changes nothing.
"""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING, Any, ClassVar, Final

import sqlalchemy as sa
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

from podcast_scraper.errors import IndexDamagedError, IndexMismatchError, UsageError
from podcast_scraper.storage.dialects import (
    INTEGER,
    STRING,
    become_writer,
    column_types,
    schema_version,
    set_schema_version,
)
from podcast_scraper.storage.store import FILES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from podcast_scraper.storage.store import RecordStore

Names = list[str]


class StateBase(DeclarativeBase):
    """Base of all tables of people's decisions. Each has a unique ``uid`` and ``created``."""

    type_annotation_map: ClassVar[dict[Any, Any]] = {
        Names: sa.JSON,
        str: STRING,
        int: INTEGER,
    }


class LedgerRow(StateBase):
    """A decision about identities (see :mod:`podcast_scraper.identity.ledger`).

    Times are ISO 8601 in UTC. A row is never deleted: undoing it fills the ``undone_*`` columns.
    """

    __tablename__ = "ledger"
    id: Mapped[int] = mapped_column(primary_key=True)
    uid: Mapped[str] = mapped_column(unique=True)
    created: Mapped[str]
    kind: Mapped[str]
    subject: Mapped[str] = mapped_column(index=True)
    object: Mapped[str | None]
    episodes: Mapped[Names]
    author: Mapped[str]
    reason: Mapped[str]
    undone_at: Mapped[str | None]
    undone_by: Mapped[str | None]
    undone_reason: Mapped[str | None]


class SavedSearch(StateBase):
    """A search kept under a name; ``query`` is the query string of its address, without ``?``."""

    __tablename__ = "saved_searches"
    id: Mapped[int] = mapped_column(primary_key=True)
    uid: Mapped[str] = mapped_column(unique=True)
    created: Mapped[str]
    name: Mapped[str]
    query: Mapped[str]


class RecentSearch(StateBase):
    """A search that was made: one row a query, ``created`` when it was made last."""

    __tablename__ = "recent_searches"
    id: Mapped[int] = mapped_column(primary_key=True)
    uid: Mapped[str] = mapped_column(unique=True)
    created: Mapped[str]
    query: Mapped[str]


class TimeOffset(StateBase):
    """By how many seconds the sound of an episode runs behind its transcript; ``uid`` is its id."""

    __tablename__ = "time_offsets"
    id: Mapped[int] = mapped_column(primary_key=True)
    uid: Mapped[str] = mapped_column(unique=True)
    created: Mapped[str]
    seconds: Mapped[float]


def _first_schema(connection: sa.Connection) -> None:
    kinds = column_types(connection)
    text = kinds["TEXT"]
    connection.exec_driver_sql(
        f"CREATE TABLE ledger (id {kinds['ID']}, uid {text} NOT NULL UNIQUE,"
        f" created {text} NOT NULL, kind {text} NOT NULL, subject {text} NOT NULL, object {text},"
        f" episodes JSON NOT NULL, author {text} NOT NULL, reason {text} NOT NULL,"
        f" undone_at {text}, undone_by {text}, undone_reason {text})"
    )
    connection.exec_driver_sql("CREATE INDEX ix_ledger_subject ON ledger (subject)")


def _searches_and_offsets(connection: sa.Connection) -> None:
    kinds = column_types(connection)
    text = kinds["TEXT"]
    for table, columns in (
        ("saved_searches", f"name {text} NOT NULL, query {text} NOT NULL"),
        ("recent_searches", f"query {text} NOT NULL"),
        ("time_offsets", "seconds FLOAT NOT NULL"),
    ):
        connection.exec_driver_sql(
            f"CREATE TABLE {table} (id {kinds['ID']}, uid {text} NOT NULL UNIQUE,"
            f" created {text} NOT NULL, {columns})"
        )


# Each entry brings a state from the version of its position to the next. Never edit an entry that
# was released: append another.
MIGRATIONS: Final[list[Callable[[sa.Connection], None]]] = [_first_schema, _searches_and_offsets]


class StateStore:
    """The state of one corpus. A file is made by the first write; until then it reads empty.

    ``path`` is where the file is, of a store that keeps files.
    """

    def __init__(self, path: Path, store: RecordStore = FILES) -> None:
        self.path = path
        self._store = store
        self._engine: sa.Engine | None = None

    @contextlib.contextmanager
    def reading(self) -> Iterator[Session | None]:
        """Give a session to read with, or None where nothing was ever decided."""
        if self._engine is None and not self._store.has_state(self.path):
            yield None
            return
        with Session(self._open()) as session:
            yield session

    @contextlib.contextmanager
    def writing(self) -> Iterator[Session]:
        """Give a session that holds the write lock, and commit at the end.

        What is read in it cannot be changed by another process before it is committed.
        """
        with Session(self._open()) as session, session.begin():
            become_writer(session.connection())
            yield session

    def close(self) -> None:
        """Close the file."""
        if self._engine is not None:
            self._engine.dispose()
            self._engine = None

    def export(self) -> dict[str, Any]:
        """Return everything as JSON values: ``{"version", "tables": {name: [row, …]}}``."""
        tables: dict[str, list[dict[str, Any]]] = {}
        with self.reading() as session:
            for table in StateBase.metadata.sorted_tables:
                columns = [column for column in table.columns if column.name != "id"]
                statement = sa.select(*columns).order_by(table.c.created, table.c.uid)
                tables[table.name] = (
                    []
                    if session is None
                    else [dict(row) for row in session.execute(statement).mappings()]
                )
        return {"version": len(MIGRATIONS), "tables": tables}

    def import_(self, data: object) -> dict[str, int]:
        """Add the rows of an export that are not here yet; return how many each table gained.

        A row that is undone in the export and not here is undone here too. Raises UsageError where
        ``data`` is no export or of a newer version; then nothing is changed.
        """
        tables = _checked(data)
        gained: dict[str, int] = {}
        with self.writing() as session:
            for table in StateBase.metadata.sorted_tables:
                here = {row.uid: row for row in session.execute(sa.select(table)).all()}
                fresh = [row for row in tables.get(table.name, []) if row["uid"] not in here]
                if fresh:
                    session.execute(sa.insert(table), fresh)
                for row in tables.get(table.name, []):
                    old = here.get(row["uid"])
                    undone = {k: v for k, v in row.items() if k.startswith("undone_")}
                    if old is not None and undone.get("undone_at") and old.undone_at is None:
                        same = table.c.uid == row["uid"]
                        session.execute(sa.update(table).where(same).values(**undone))
                gained[table.name] = len(fresh)
        return gained

    def _open(self) -> sa.Engine:
        if self._engine is None:
            engine = self._store.open_state(self.path)
            try:
                _migrate(engine, self.path)
            except (sa.exc.DatabaseError, IndexDamagedError) as error:
                engine.dispose()
                raise IndexDamagedError(
                    f"{self.path} holds people's decisions and cannot be read.",
                    mend="Move it away, then `podcast-scraper state import` an export of it.",
                    subject=self.path,
                ) from error
            except BaseException:
                engine.dispose()
                raise
            self._engine = engine
        return self._engine


def _migrate(engine: sa.Engine, path: Path) -> None:
    with engine.begin() as connection:
        become_writer(connection)
        version = schema_version(connection)
        if version > len(MIGRATIONS):
            raise IndexMismatchError(
                f"{path} has state version {version}; this version reads up to {len(MIGRATIONS)}.",
                mend="Use a newer podcast-scraper.",
                subject=path,
            )
        for migration in MIGRATIONS[version:]:
            migration(connection)
        set_schema_version(connection, len(MIGRATIONS))


def _checked(data: object) -> dict[str, list[dict[str, Any]]]:
    version = data.get("version") if isinstance(data, dict) else None
    if not isinstance(data, dict) or not isinstance(version, int):
        raise UsageError("This is no export of a state file.", subject="version")
    if version > len(MIGRATIONS):
        raise UsageError(
            f"The export has version {version}; this version reads up to {len(MIGRATIONS)}.",
            mend="Use a newer podcast-scraper.",
            subject="version",
        )
    tables = data.get("tables")
    known = {table.name: table for table in StateBase.metadata.sorted_tables}
    if not isinstance(tables, dict) or not set(tables) <= set(known):
        raise UsageError("The export has no tables that are known.", subject="tables")
    for name, rows in tables.items():
        columns = {column.name: column for column in known[name].columns if column.name != "id"}
        for row in rows if isinstance(rows, list) else [None]:
            if not isinstance(row, dict) or set(row) != set(columns):
                raise UsageError(f"A row of {name} in the export is malformed.", subject=name)
            if any(row[c.name] is None and not c.nullable for c in columns.values()):
                raise UsageError(f"A row of {name} in the export lacks a value.", subject=name)
    checked: dict[str, list[dict[str, Any]]] = json.loads(json.dumps(tables))
    return checked
