"""``podcast-scraper outbox``: search engines that follow the records of a corpus."""

from __future__ import annotations

import threading
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from podcast_scraper.cli.options import corpus_argument, index_dir_option, json_option
from podcast_scraper.cli.output import print_json
from podcast_scraper.errors import IndexLockedError, StoreUnavailableError

if TYPE_CHECKING:
    from podcast_scraper.storage.generations import IndexLocation
    from podcast_scraper.storage.outbox import Target

DEGRADED = 3


@click.group()
def outbox() -> None:
    """Tell search engines elsewhere what has changed, and see how far they are."""


@outbox.command()
@corpus_argument
@click.argument("directory", type=click.Path(path_type=Path, file_okay=False))
@click.option("--name", help="What the follower is called. Default: its directory.")
@click.option("--follow", is_flag=True, help="Go on until Ctrl-C.")
@click.option("--every", default=2.0, metavar="SECONDS", help="With --follow: how often to look.")
@index_dir_option
@json_option
@click.pass_context
def drain(
    context: click.Context,
    corpus: Path,
    directory: Path,
    name: str | None,
    follow: bool,
    every: float,
    index_dir: Path | None,
    as_json: bool,
) -> None:
    """Bring the engines in DIRECTORY to the state of CORPUS, and compare them with it.

    With --follow it goes on where the store does not answer or is being written.

    Exit status: 0 when they hold everything, 3 when something is missing.
    """
    location = _location(corpus, index_dir)
    called = name or str(directory.resolve())
    pause = threading.Event()
    while True:
        try:
            result = _drained(location, directory, called)
        except (IndexLockedError, StoreUnavailableError) as error:
            if not follow:
                raise
            click.echo(f"{called}: {error}", err=True)  # the next look may find it mended
        else:
            if as_json:
                print_json(result)
            elif result["told"] or not follow:
                click.echo(f"{called}: {result['told']} told, {_state(result['reasons'])}")
            if not follow:
                context.exit(DEGRADED if result["reasons"] else 0)
        try:
            pause.wait(every)
        except KeyboardInterrupt:
            return


@outbox.command()
@corpus_argument
@index_dir_option
@json_option
def status(corpus: Path, index_dir: Path | None, as_json: bool) -> None:
    """List the followers of CORPUS with how many changes each has yet to be told."""
    from podcast_scraper.storage.outbox import Outbox

    location = _location(corpus, index_dir)
    engine = location.store.open_records(location.current().path)
    try:
        targets = Outbox(engine).targets()
    finally:
        engine.dispose()
    if as_json:
        print_json({"targets": [asdict(target) for target in targets]})
        return
    for target in targets:
        click.echo(_line(target))
    if not targets:
        click.echo("Nothing follows this corpus.")


@outbox.command()
@corpus_argument
@click.argument("name")
@index_dir_option
def forget(corpus: Path, name: str, index_dir: Path | None) -> None:
    """Let the follower NAME go, so that no change is kept for it any more."""
    from podcast_scraper.storage.outbox import Outbox

    location = _location(corpus, index_dir)
    engine = location.store.open_records(location.current().path, read_only=False)
    try:
        Outbox(engine).forget(name)
    finally:
        engine.dispose()


def _location(corpus: Path, index_dir: Path | None) -> IndexLocation:
    from podcast_scraper.artifacts.discovery import resolve_corpus
    from podcast_scraper.settings import load_settings, location_of

    folder = resolve_corpus(corpus)
    return location_of(folder, index_dir, load_settings(folder))


def _drained(location: IndexLocation, directory: Path, name: str) -> dict[str, Any]:
    from podcast_scraper.search.following import Follower
    from podcast_scraper.search.search_node import search_node

    live = location.current()
    manifest = live.manifest
    records = location.store.open_records(live.path, read_only=False)
    try:
        with search_node(directory, manifest.generation, manifest.dimension) as backend:
            follower = Follower(records, backend, name)
            told = follower.catch_up()
            reasons = follower.look()
    finally:
        records.dispose()
    return {"name": name, "generation": manifest.generation, "told": told, "reasons": list(reasons)}


def _line(target: Target) -> str:
    filled = "" if target.filled else ", being filled"
    state = _state(target.reasons) if target.checked else "not looked at"
    return f"{target.name}: {target.lag} behind{filled}, told {target.told}, {state}"


def _state(reasons: tuple[str, ...] | list[str]) -> str:
    return f"degraded: {'; '.join(reasons)}" if reasons else "complete"
