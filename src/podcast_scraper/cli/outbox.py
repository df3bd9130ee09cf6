"""``podcast-scraper outbox``: search engines that follow the records of a corpus."""

from __future__ import annotations

import contextlib
import threading
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from podcast_scraper.cli.options import corpus_argument, index_dir_option, json_option
from podcast_scraper.cli.output import print_json
from podcast_scraper.errors import (
    EngineUnavailableError,
    IndexLockedError,
    StoreUnavailableError,
    UsageError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from podcast_scraper.search.following import Follower
    from podcast_scraper.storage.generations import IndexLocation
    from podcast_scraper.storage.outbox import Target

DEGRADED = 3


@click.group()
def outbox() -> None:
    """Tell search engines elsewhere what has changed, and see how far they are."""


@outbox.command()
@corpus_argument
@click.argument("directory", type=click.Path(path_type=Path, file_okay=False), required=False)
@click.option("--name", help="What the follower in DIRECTORY is called. Default: its path.")
@click.option("--follow", is_flag=True, help="Go on until Ctrl-C.")
@click.option("--every", default=2.0, metavar="SECONDS", help="With --follow: how often to look.")
@index_dir_option
@json_option
@click.pass_context
def drain(
    context: click.Context,
    corpus: Path,
    directory: Path | None,
    name: str | None,
    follow: bool,
    every: float,
    index_dir: Path | None,
    as_json: bool,
) -> None:
    """Bring search engines to the state of CORPUS, and compare them with it.

    They are those in DIRECTORY, or on the server that `search` in podcast-scraper.yaml names. With
    --follow it goes on where a server does not answer or is being written.

    Exit status: 0 when they hold everything, 3 when something is missing.
    """
    location, server = _location(corpus, index_dir)
    called = name or (str(directory.resolve()) if directory else "search server")
    pause = threading.Event()
    while True:
        try:
            with _follower(location, server, directory, called) as follower:
                told = follower.catch_up()
                reasons = list(follower.look())
        except (EngineUnavailableError, IndexLockedError, StoreUnavailableError) as error:
            if not follow:
                raise
            click.echo(f"{called}: {error}", err=True)  # the next look may find it mended
        else:
            if as_json:
                print_json({"name": follower.name, "told": told, "reasons": reasons})
            elif told or not follow:
                click.echo(f"{follower.name}: {told} told, {_state(reasons)}")
            if not follow:
                context.exit(DEGRADED if reasons else 0)
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

    location, _ = _location(corpus, index_dir)
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

    location, _ = _location(corpus, index_dir)
    engine = location.store.open_records(location.current().path, read_only=False)
    try:
        Outbox(engine).forget(name)
    finally:
        engine.dispose()


@contextlib.contextmanager
def _follower(
    location: IndexLocation, server: str | None, directory: Path | None, name: str
) -> Iterator[Follower]:
    """Open the engines in a directory, or else those on a server, as they follow the records."""
    from podcast_scraper.search.backends.opening import follower_at
    from podcast_scraper.search.following import Follower
    from podcast_scraper.search.search_node import NodeEngines, search_node

    live = location.current()
    records = location.store.open_records(live.path, read_only=False)
    with contextlib.ExitStack() as stack:
        stack.callback(records.dispose)
        if directory is not None:
            node = search_node(directory, live.manifest.generation, live.manifest.dimension)
            yield Follower(records, NodeEngines(stack.enter_context(node)), name)
        elif server is not None:
            yield stack.enter_context(follower_at(server, records))
        else:
            raise UsageError(
                "The corpus names no search server.",
                mend="Name a DIRECTORY, or `search` in podcast-scraper.yaml.",
                subject=directory,
            )


def _location(corpus: Path, index_dir: Path | None) -> tuple[IndexLocation, str | None]:
    """Return where the index of a corpus is, and the URL of its search server."""
    from podcast_scraper.artifacts.discovery import resolve_corpus
    from podcast_scraper.settings import load_settings, location_of

    folder = resolve_corpus(corpus)
    settings = load_settings(folder)
    return location_of(folder, index_dir, settings), settings.search


def _line(target: Target) -> str:
    filled = "" if target.filled else ", being filled"
    state = _state(target.reasons) if target.checked else "not looked at"
    return f"{target.name}: {target.lag} behind{filled}, told {target.told}, {state}"


def _state(reasons: tuple[str, ...] | list[str]) -> str:
    return f"degraded: {'; '.join(reasons)}" if reasons else "complete"
