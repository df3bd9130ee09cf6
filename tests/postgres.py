"""A PostgreSQL server for tests: one a process, on a socket in a directory of its own.

``POSTGRES_URL`` (``postgresql+psycopg://user@host/database``) names another server, in whose
database nothing but new schemas is touched. Where there is neither, tests skip and say so.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from podcast_scraper.storage.postgres import drop_schema, open_postgres

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

POSTGRES = "PostgreSQL"
WHERE = "apt install postgresql, or name a server with POSTGRES_URL"

FILES_OR_POSTGRES = ["files", pytest.param("postgres", marks=pytest.mark.engines(POSTGRES))]

_NUMBERS = itertools.count(1)


class PostgresServer:
    """A server over a new cluster. ``url`` names its database."""

    def __init__(self, programs: Path) -> None:
        self._programs = programs
        self.directory = Path(tempfile.mkdtemp(prefix="podcasts-pg-"))
        self._data = self.directory / "data"
        self.url = f"postgresql+psycopg://postgres@/postgres?host={self.directory}"
        if os.geteuid() == 0:  # PostgreSQL refuses to be run by root
            shutil.chown(self.directory, "postgres", "postgres")
        self._run("initdb", "-D", self._data, "-U", "postgres", "-A", "trust", "-E", "UTF8")

    def start(self) -> None:
        """Start it and wait until it takes connections."""
        options = f"-k {self.directory} -h '' -c fsync=off -c shared_buffers=32MB"
        log = self.directory / "log"
        self._run("pg_ctl", "start", "-w", "-D", self._data, "-l", log, "-o", options)

    def kill(self) -> None:
        """End it at once, as if its machine had lost power: it recovers when it is started."""
        self._run("pg_ctl", "stop", "-w", "-D", self._data, "-m", "immediate")

    def remove(self) -> None:
        """Stop it and remove its files."""
        with contextlib.suppress(subprocess.CalledProcessError):
            self.kill()
        shutil.rmtree(self.directory, ignore_errors=True)

    def _run(self, program: str, *arguments: str | Path) -> None:
        command: Sequence[str] = [str(self._programs / program), *map(str, arguments)]
        if os.geteuid() == 0:
            command = ["runuser", "-u", "postgres", "--", *command]
        subprocess.run(
            command,
            check=True,
            cwd=self.directory,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


def programs() -> Path | None:
    """Return where the newest PostgreSQL of this machine has its programs."""
    found = shutil.which("pg_ctl")
    if found is not None:
        return Path(found).resolve().parent
    places = Path("/usr/lib/postgresql").glob("*/bin/pg_ctl")
    versions = sorted(places, key=lambda path: int(path.parts[-3]))
    return versions[-1].parent if versions else None


@contextlib.contextmanager
def served() -> Iterator[str]:
    """Give the URL of a server; skips where there is none."""
    if named := os.environ.get("POSTGRES_URL"):
        yield named
        return
    server = own_server()
    try:
        yield server.url
    finally:
        server.remove()


def own_server() -> PostgresServer:
    """Return a server that was just started; skips where none can be."""
    found = programs()
    if found is None:
        pytest.skip(f"{POSTGRES} is not installed: {WHERE}")
    try:
        server = PostgresServer(found)
        server.start()
    except (OSError, LookupError, subprocess.CalledProcessError) as error:
        pytest.skip(f"{POSTGRES} does not start here ({error}): {WHERE}")
    return server


@contextlib.contextmanager
def fresh_schemas(url: str) -> Iterator[str]:
    """Give the URL of a store that is empty, and remove what was made in it afterwards."""
    prefix = f"t{os.getpid()}_{next(_NUMBERS)}"
    parsed = sa.make_url(url)
    yield parsed.update_query_dict({"schema": prefix}).render_as_string(hide_password=False)
    engine = open_postgres(parsed, "public")
    for name in sa.inspect(engine).get_schema_names():
        if name.startswith(f"{prefix}_"):
            drop_schema(engine, name)
    engine.dispose()
