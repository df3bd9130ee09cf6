"""``podcast-scraper state``: take what people decided out of a corpus, and bring it back."""

from __future__ import annotations

import json
from typing import IO, TYPE_CHECKING

import click

from podcast_scraper.cli.options import corpus_argument, index_dir_option, json_option
from podcast_scraper.cli.output import print_json
from podcast_scraper.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from podcast_scraper.storage.state import StateStore


@click.group()
def state() -> None:
    """Export and import people's decisions (identities and what else they keep)."""


@state.command("export")
@corpus_argument
@click.option("--output", type=click.File("w", encoding="utf-8", atomic=True), default="-")
@index_dir_option
def export(corpus: Path, output: IO[str], index_dir: Path | None) -> None:
    """Write everything as JSON, to standard output by default."""
    store = _store(corpus, index_dir)
    try:
        json.dump(store.export(), output, ensure_ascii=False, indent=2)
        output.write("\n")
    finally:
        store.close()


@state.command("import")
@corpus_argument
@click.argument("file", type=click.File("r", encoding="utf-8"))
@index_dir_option
@json_option
def import_(corpus: Path, file: IO[str], index_dir: Path | None, as_json: bool) -> None:
    """Add what an export has and this corpus has not."""
    store = _store(corpus, index_dir)
    try:
        gained = store.import_(json.load(file))
    except ValueError as error:
        raise UsageError(f"{file.name} is no JSON: {error}.", subject=file.name) from error
    finally:
        store.close()
    if as_json:
        print_json(gained)
    else:
        click.echo(", ".join(f"{table}: {number} added" for table, number in gained.items()))


def _store(corpus: Path, index_dir: Path | None) -> StateStore:
    from podcast_scraper.artifacts.discovery import resolve_corpus
    from podcast_scraper.settings import load_settings, location_of
    from podcast_scraper.storage.state import StateStore

    folder = resolve_corpus(corpus)
    location = location_of(folder, index_dir, load_settings(folder))
    return StateStore(location.state_path, location.store)
