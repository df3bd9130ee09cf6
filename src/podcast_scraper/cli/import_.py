"""``podcast-scraper import``, ``update`` and ``remove``: a corpus from transcripts and feeds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from podcast_scraper.cli.options import corpus_argument, json_option
from podcast_scraper.cli.output import console, print_json

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rich.console import Console

    from podcast_scraper.ingest.extract.abstractive import Abstractive
    from podcast_scraper.ingest.report import ImportReport


def _shared_options(function: Callable[..., Any]) -> Callable[..., Any]:
    for option in (
        click.option("--strict", is_flag=True, help="Refuse files that need repairs."),
        click.option("--allow-private", is_flag=True, help="Allow feeds in private networks."),
        click.option("--jobs", type=click.IntRange(1), default=1, metavar="N", help="Processes."),
        click.option("--method", metavar="NAME", help="Extraction method (default: the best)."),
        click.option(
            "--endpoint", metavar="URL", help="OpenAI-compatible endpoint for abstractive insights."
        ),
        click.option("--endpoint-model", metavar="NAME", default="default", show_default=True),
        json_option,
    ):
        function = option(function)
    return function


@click.command("import")
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE…")
@corpus_argument
@click.option("--show", metavar="TITLE", help="The show's title (default: folder or feed).")
@_shared_options
@click.pass_context
def import_command(
    context: click.Context,
    /,
    sources: tuple[str, ...],
    corpus: Path,
    show: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Import each SOURCE (feed, OPML list, transcript file or directory) into CORPUS.

    What was imported before and has not changed is not touched. Exit status: 0 all well, 3 when
    something failed or was dropped, 1 when nothing could be imported.
    """
    from podcast_scraper.cli.import_progress import counted
    from podcast_scraper.ingest.importing import import_sources

    with counted() as progress:
        report = import_sources(
            sources,
            corpus,
            _options(show, options),
            progress=progress,
            abstractive=_abstractive(options),
        )
    _finish(context, report, as_json)


@click.command()
@corpus_argument
@click.option("--no-index", is_flag=True, help="Leave the index as it is.")
@_shared_options
@click.pass_context
def update(
    context: click.Context, /, corpus: Path, no_index: bool, as_json: bool, **options: Any
) -> None:
    """Read the sources of CORPUS again, import what is new and index it.

    Quiet when nothing is new, for use in a timetable.
    """
    from podcast_scraper.cli.import_progress import counted
    from podcast_scraper.ingest.importing import update as run

    with counted() as progress:
        report = run(
            corpus, _options(None, options), progress=progress, abstractive=_abstractive(options)
        )
    if report.shows and not no_index:
        # Even without news: a run before may have died here, or an episode have been removed.
        from podcast_scraper.index.build import build_index

        build_index(corpus)
    if as_json or not report.is_quiet:
        _finish(context, report, as_json)


@click.command()
@corpus_argument
@click.argument("name", metavar="EPISODE|SHOW")
@json_option
def remove(corpus: Path, name: str, as_json: bool) -> None:
    """Take an episode or a show out of CORPUS, and out of its index, for good."""
    from podcast_scraper.index.build import follow_removal
    from podcast_scraper.ingest.removing import remove as take_out
    from podcast_scraper.ingest.state import import_state

    with import_state(corpus) as state:
        removed = take_out(corpus, state, name)
    follow_removal(corpus)
    if as_json:
        print_json({"removed": removed})
    else:
        console().print(f"Removed {len(removed)} episodes.", markup=False)


def _options(show: str | None, options: dict[str, Any]) -> Any:
    from podcast_scraper.ingest.importing import ImportOptions

    return ImportOptions(
        show=show,
        strict=options["strict"],
        allow_private=options["allow_private"],
        jobs=options["jobs"],
        method=options["method"],
    )


def _abstractive(options: dict[str, Any]) -> Abstractive | None:
    if not options["endpoint"]:
        return None
    from podcast_scraper.ingest.extract.abstractive import Abstractive

    return Abstractive(options["endpoint"], options["endpoint_model"])


def _finish(context: click.Context, report: ImportReport, as_json: bool) -> None:
    if as_json:
        print_json(report.as_json())
    else:
        _print(report)
    if report.exit_code:
        context.exit(report.exit_code)


def _print(report: ImportReport) -> None:
    out = console()
    if report.shows:
        _print_shows(report, out)
    rate = 60 * report.episodes / max(0.001, sum(report.seconds.values()))
    out.print(
        f"{report.episodes} imported ({rate:.0f} a minute), {report.unchanged} unchanged, "
        f"{len(report.removed)} removed, {report.without_transcript} without transcript.",
        markup=False,
    )
    if counts := report.abstractive:
        out.print(
            f"{counts['accepted']} statements of the model taken, {counts['not_verbatim']} refused "
            f"(quote not verbatim), {counts['left_out']} left out, "
            f"{counts['failed_answers']} answers of no use.",
            markup=False,
        )
    for note in report.notes:
        out.print(note, markup=False)
    for file in report.files:
        for line in (*file["repairs"], *file["dropped"]):
            out.print(f"{file['path']}: {line}", markup=False)
    for failure in report.failed:
        text = f"failed {failure['path']}: {failure['reason']}"
        out.print(text, style="yellow", markup=False)


def _print_shows(report: ImportReport, out: Console) -> None:
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0))
    columns = ("episodes", "words", "speakers", "insights_per_episode", "topic", "share_with_time")
    table.add_column("show")
    for column in columns:
        table.add_column(column.replace("_", " "), justify="right")
    for slug, show in report.shows.items():
        table.add_row(slug, *(str(show[column]) for column in columns))
    out.print(table)
