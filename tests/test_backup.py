"""What docs/deploy.md says of backups, as it says it, against a database server of its own."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from podcast_scraper.cli.main import main
from podcast_scraper.corpus import open_corpus
from podcast_scraper.errors import IndexStateError
from podcast_scraper.index.build import build_index
from podcast_scraper.settings import STORE_VARIABLE
from tests.index.encoders import word_encoder
from tests.postgres import own_server, programs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.postgres import PostgresServer

__all__ = ["word_encoder"]

PAGE = Path(__file__).resolve().parents[1] / "docs" / "deploy.md"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[PostgresServer]:
    made = own_server()
    monkeypatch.setenv(STORE_VARIABLE, made.url)
    yield made
    made.remove()


def commands() -> list[str]:
    """Return the commands of the section, each on one line."""
    section = PAGE.read_text(encoding="utf-8").partition("## Backup and restore")[2]
    section = section.partition("\n## ")[0]
    block = section.split("```")[1].splitlines()
    inline = re.findall(r"`([^`]+)`", section.split("```")[2].replace("\n", " "))
    return [line.partition("#")[0].strip() for line in (*block, *inline) if line.strip()]


@pytest.mark.engines("PostgreSQL")
@pytest.mark.usefixtures("word_encoder")
def test_backups_bring_back_what_they_say(
    tiny: Path, tmp_path: Path, server: PostgresServer
) -> None:
    found = programs()
    assert found is not None
    paths = f"{found}{os.pathsep}{os.environ['PATH']}"
    places = {"PGHOST": str(server.directory), "PGUSER": "postgres", "PATH": paths}

    def run(command: str) -> None:
        command = command.replace("CORPUS", shlex.quote(str(tiny)))
        command = re.sub(r"\bpodcasts\b", "postgres", command)
        if command.startswith("podcast-scraper "):
            result = CliRunner().invoke(main, shlex.split(command)[1:])
            assert result.exit_code == 0, result.output
        else:
            subprocess.run(command, shell=True, cwd=tmp_path, env=places, check=True)

    def drop(schema: str) -> None:
        engine = sa.create_engine(server.url)
        with engine.begin() as connection:
            connection.execute(sa.text(f"DROP SCHEMA {schema} CASCADE"))
        engine.dispose()

    dump_state, dump_all, export, restore, index, *_ = commands()
    assert export.startswith("podcast-scraper state export")
    build_index(tiny)
    with open_corpus(tiny) as corpus:
        kept = corpus.searches.save("Looms", "q=loom")
        hits = corpus.search("loom").hits
    run(dump_state)
    run(dump_all)
    run(export.replace("state.json", str(tmp_path / "state.json")))

    drop("podcast_scraper_state")
    run(restore)
    run(index)
    with open_corpus(tiny) as corpus:
        assert corpus.searches.saved() == [kept]

    drop("podcast_scraper_000001")
    with pytest.raises(IndexStateError):
        open_corpus(tiny)
    run(restore.replace("state.dump", "everything.dump"))
    with open_corpus(tiny) as corpus:
        assert corpus.health()["ok"]
        assert corpus.search("loom").hits == hits
