"""PostgreSQL in the place of the files: how a database is reached, and what its errors mean.

A generation's records are the tables of one schema of the database, people's decisions those of
another. The driver is psycopg 3.
"""

from __future__ import annotations

import functools
import json
import re
from typing import Any, Final

import sqlalchemy as sa

from podcast_scraper.errors import (
    ConfigurationError,
    IndexDamagedError,
    IndexLockedError,
    IndexStateError,
    StoreUnavailableError,
)
from podcast_scraper.storage.dialects import LOCK_SECONDS

SCHEME: Final = "postgresql+psycopg"
CONNECT_SECONDS: Final = 5

# SQLSTATE codes and what they mean here.
_MEANINGS: Final[tuple[tuple[tuple[str, ...], type[IndexStateError], str, str], ...]] = (
    (
        ("42P01", "3F000"),  # undefined table, invalid schema name
        IndexDamagedError,
        "The store holds no records of this index",
        "Build the index again with `podcast-scraper index --rebuild`.",
    ),
    (
        ("53100", "53200"),  # disk full, out of memory
        IndexStateError,
        "The store cannot be written",
        "Free space on its server and run the command again.",
    ),
    (
        ("55P03", "40P01"),  # lock not available, deadlock
        IndexLockedError,
        "Another process is writing the store",
        "Wait until it has ended.",
    ),
)
_NO_CHARACTER: Final = "�"  # for NUL, which PostgreSQL's texts cannot hold
_ESCAPED_NUL: Final = re.compile(r"(?<!\\)((?:\\\\)*)\\u0000")


def parse_url(url: str) -> sa.URL:
    """Return the parts of a ``postgresql+psycopg://`` URL. Raises ConfigurationError."""
    try:
        parsed = sa.make_url(url)
    except (sa.exc.ArgumentError, ValueError):
        parsed = None
    if parsed is None or parsed.drivername != SCHEME or not parsed.database:
        raise ConfigurationError(
            f"A store is {SCHEME}://USER@HOST/DATABASE.",
            mend="Correct `store` in podcast-scraper.yaml, or leave it out to keep files.",
            subject=url.partition(":")[0],
        )
    try:
        import psycopg  # noqa: F401
    except ImportError as error:
        raise ConfigurationError(
            "The store is PostgreSQL, whose driver is not installed.",
            mend='Install it with `pip install "podcast-scraper[postgresql]"`.',
            subject="psycopg",
        ) from error
    return parsed


def open_postgres(url: sa.URL, schema: str, *, read_only: bool = False) -> sa.Engine:
    """Return an engine over one schema of a database.

    Readers see what is committed at each statement, and can change nothing. A writer waits
    :data:`LOCK_SECONDS` for another.
    """
    engine = sa.create_engine(
        url,
        pool_pre_ping=True,
        json_serializer=_json,
        connect_args={"connect_timeout": CONNECT_SECONDS},
    )
    quoted = engine.dialect.identifier_preparer.quote_identifier(schema)
    settings = [f"SET search_path TO {quoted}", f"SET lock_timeout = '{LOCK_SECONDS}s'"]
    if read_only:
        settings.append("SET default_transaction_read_only = on")
    sa.event.listen(engine, "connect", functools.partial(_prepare, "; ".join(settings)))
    sa.event.listen(engine, "handle_error", functools.partial(_translate, schema))
    return engine


def create_schema(engine: sa.Engine, schema: str) -> None:
    """Make a schema where it is missing."""
    with engine.begin() as connection:
        connection.execute(sa.schema.CreateSchema(schema, if_not_exists=True))


def drop_schema(engine: sa.Engine, schema: str) -> None:
    """Remove a schema with everything in it, where it exists."""
    with engine.begin() as connection:
        connection.execute(sa.schema.DropSchema(schema, cascade=True, if_exists=True))


def _prepare(settings: str, connection: Any, record: object) -> None:
    connection.adapters.register_dumper(str, _text_dumper())
    with connection.cursor() as cursor:
        cursor.execute(settings)
    connection.commit()


@functools.cache
def _text_dumper() -> type:
    from psycopg.types.string import StrDumper

    class Dumper(StrDumper):
        """Writes U+FFFD for NUL, so that one broken character does not stop a corpus."""

        def dump(self, obj: str) -> Any:
            return super().dump(obj.replace("\0", _NO_CHARACTER) if "\0" in obj else obj)

    return Dumper


def _json(value: object) -> str:
    text = json.dumps(value)
    return _ESCAPED_NUL.sub(r"\1\\ufffd", text) if "\\u0000" in text else text


def _translate(schema: str, context: sa.engine.ExceptionContext) -> None:
    """Name a server that does not answer, missing tables, a full disk and another writer."""
    if context.is_pre_ping:
        return  # the pool makes another connection
    error = context.original_exception
    state = getattr(error, "sqlstate", None) or ""
    message = str(error).strip().partition("\n")[0]
    for states, kind, what, mend in _MEANINGS:
        if state in states:
            raise kind(f"{what}: {message}.", mend=mend, subject=schema) from error
    # No connection could be made, or the server ended it (classes 08, 28, 57P).
    gone = state[:2] in ("08", "28") or state.startswith("57P")
    if context.is_disconnect or context.connection is None or gone:
        raise StoreUnavailableError(
            f"The store does not answer: {message}.",
            mend="Start PostgreSQL, or correct `store` in podcast-scraper.yaml.",
            subject=schema,
        ) from error
