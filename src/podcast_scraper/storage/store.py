"""Where records and decisions are kept: in files beside the engines, or in a PostgreSQL database.

Both give SQLAlchemy engines over the same tables, so that everything above knows neither. A
generation's records have the name of its directory: the file ``corpus.sqlite`` in it, or the schema
``PREFIX_000007`` of the database, where PREFIX is ``schema=`` of the URL. Decisions are in
``state.sqlite``, or in the schema ``PREFIX_state``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

import sqlalchemy as sa

from podcast_scraper.errors import ConfigurationError, IndexMismatchError, IndexMissingError
from podcast_scraper.storage.driver import open_engine
from podcast_scraper.storage.postgres import create_schema, drop_schema, open_postgres, parse_url
from podcast_scraper.storage.schema import Base

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from pathlib import Path

DATABASE: Final = "corpus.sqlite"
PREFIX: Final = "podcast_scraper"

_BUILD: Final = "Build it again with `podcast-scraper index`."
_NAME: Final = re.compile(r"[a-z_][a-z0-9_]{0,39}")


class RecordStore(Protocol):
    """Keeps the records of generations and the decisions of people."""

    def create_records(self, directory: Path) -> sa.Engine:
        """Make the empty tables of the generation in a directory, and open them for writing."""
        ...

    def open_records(self, directory: Path, *, read_only: bool = True) -> sa.Engine:
        """Open the records of the generation in a directory.

        Raises IndexMissingError where there are none, IndexMismatchError where they are in another
        store.
        """
        ...

    def has_records(self, directory: Path) -> bool:
        """Tell whether the generation, finished or not, has records here."""
        ...

    def drop_records(self, directory: Path) -> None:
        """Remove the records of a generation."""
        ...

    def numbers(self) -> Collection[int]:
        """Return the numbers of generations that are taken, beside those of directories."""
        ...

    def has_state(self, path: Path) -> bool:
        """Tell whether anything can have been decided."""
        ...

    def open_state(self, path: Path) -> sa.Engine:
        """Open what people decided, for writing; ``path`` is that of the file."""
        ...


class FileStore:
    """Records in the directory of their generation, decisions in a file."""

    def create_records(self, directory: Path) -> sa.Engine:
        directory.mkdir(parents=True, exist_ok=True)
        engine = open_engine(directory / DATABASE)
        Base.metadata.create_all(engine)
        return engine

    def open_records(self, directory: Path, *, read_only: bool = True) -> sa.Engine:
        if not self.has_records(directory):
            if (directory / "manifest.json").is_file():
                raise IndexMismatchError(
                    f"The records of {directory} are in a database, and none is configured.",
                    mend="Name it as `store` in podcast-scraper.yaml, or build the index again.",
                    subject=directory,
                )
            raise IndexMissingError(
                f"There is no index in {directory}.", mend=_BUILD, subject=directory
            )
        return open_engine(directory / DATABASE, read_only=read_only)

    def has_records(self, directory: Path) -> bool:
        return (directory / DATABASE).is_file()

    def drop_records(self, directory: Path) -> None:
        (directory / DATABASE).unlink(missing_ok=True)

    def numbers(self) -> Collection[int]:
        return ()

    def has_state(self, path: Path) -> bool:
        return path.exists()

    def open_state(self, path: Path) -> sa.Engine:
        path.parent.mkdir(parents=True, exist_ok=True)
        return open_engine(path, vectors=False)


@dataclass(frozen=True, slots=True)
class PostgresStore:
    """Records and decisions in schemas of one database, whose names begin with ``prefix``."""

    url: sa.URL
    prefix: str

    def create_records(self, directory: Path) -> sa.Engine:
        directory.mkdir(parents=True, exist_ok=True)
        engine = self._engine(self._schema(directory))
        create_schema(engine, self._schema(directory))
        Base.metadata.create_all(engine)
        return engine

    def open_records(self, directory: Path, *, read_only: bool = True) -> sa.Engine:
        if FILES.has_records(directory):
            raise IndexMismatchError(
                f"The records of {directory} are in a file, not in the store that is configured.",
                mend=_BUILD,
                subject=directory,
            )
        return self._engine(self._schema(directory), read_only=read_only)

    def has_records(self, directory: Path) -> bool:
        return int(_number(directory)) in self.numbers()

    def drop_records(self, directory: Path) -> None:
        self._once(lambda engine: drop_schema(engine, self._schema(directory)))

    def numbers(self) -> Collection[int]:
        names: list[str] = []
        self._once(lambda engine: names.extend(sa.inspect(engine).get_schema_names()))
        start = f"{self.prefix}_"
        rest = [name.removeprefix(start) for name in names if name.startswith(start)]
        return [int(number) for number in rest if number.isdecimal()]

    def has_state(self, path: Path) -> bool:
        return True

    def open_state(self, path: Path) -> sa.Engine:
        schema = f"{self.prefix}_state"
        engine = self._engine(schema)
        create_schema(engine, schema)
        return engine

    def _schema(self, directory: Path) -> str:
        return f"{self.prefix}_{_number(directory)}"

    def _engine(self, schema: str, *, read_only: bool = False) -> sa.Engine:
        return open_postgres(self.url, schema, read_only=read_only)

    def _once(self, act: Callable[[sa.Engine], object]) -> None:
        engine = self._engine("public")
        try:
            act(engine)
        finally:
            engine.dispose()


FILES: Final[RecordStore] = FileStore()


def store_at(url: str | None) -> RecordStore:
    """Return the store of a URL; without one, files.

    ``postgresql+psycopg://USER@HOST/DATABASE?schema=PREFIX``; what libpq reads from its environment
    and from ``~/.pgpass`` need not be in it. Raises ConfigurationError.
    """
    if not url:
        return FILES
    parsed = parse_url(url)
    prefix = parsed.query.get("schema", PREFIX)
    if not isinstance(prefix, str) or not _NAME.fullmatch(prefix):
        raise ConfigurationError(
            f"The schema of a store is {prefix!r}.",
            mend="Use up to 40 small letters, digits and underscores.",
            subject="schema",
        )
    return PostgresStore(parsed.difference_update_query(["schema"]), prefix)


def _number(directory: Path) -> str:
    """Return the number of a generation's directory, ``000008`` or ``000008.building``."""
    return directory.name.partition(".")[0]
