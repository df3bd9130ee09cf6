"""``podcast-scraper index``: build the index of a corpus."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import click

from podcast_scraper.cli.options import (
    corpus_argument,
    index_dir_option,
    json_option,
    model_option,
)
from podcast_scraper.cli.output import console, print_json

if TYPE_CHECKING:
    from pathlib import Path

    from podcast_scraper.index.inputs import BuildOutcome

INCOMPLETE = 3


@click.command()
@corpus_argument
@index_dir_option
@click.option("--report", type=click.Path(), metavar="FILE", help="Write the full report as JSON.")
@model_option
@click.option("--threads", type=click.IntRange(1), metavar="N", help="Default: every core.")
@click.option(
    "--workers",
    metavar="WHERE",
    help="Build with so many processes, or those of a Dask scheduler at tcp://HOST:PORT.",
)
@click.option("--wait", default=0.0, metavar="SECONDS", help="Wait for another build to end.")
@click.option("--rebuild", is_flag=True, help="Build even where nothing has changed.")
@json_option
@click.pass_context
def index(
    context: click.Context,
    corpus: Path,
    index_dir: Path | None,
    report: str | None,
    model: str | None,
    threads: int | None,
    workers: str | None,
    wait: float,
    rebuild: bool,
    as_json: bool,
) -> None:
    """Build the index of CORPUS. Where nothing has changed, nothing is built.

    Exit status: 0 when everything was read, 3 when something was quarantined or dropped, 1 when
    nothing could be built.
    """
    from podcast_scraper.cli.progress import build_progress
    from podcast_scraper.index.build import build_index

    with build_progress() as progress:
        outcome = build_index(
            corpus,
            index_dir=index_dir,
            model=model,
            threads=threads or os.cpu_count() or 1,
            wait=wait,
            rebuild=rebuild,
            workers=workers,
            progress=progress,
        )
    if report is not None:
        with open(report, "w", encoding="utf-8") as file:
            json.dump(outcome.report, file, ensure_ascii=False, indent=2)
    if as_json:
        print_json(outcome.report)
    else:
        _print(outcome)
    if outcome.report["quarantined"] or outcome.report["dropped"]:
        context.exit(INCOMPLETE)


def ensure_index(corpus: Path, index_dir: Path | None) -> None:
    """Build the index of a corpus that has none; one that exists is left as it is."""
    from podcast_scraper.cli.progress import build_progress
    from podcast_scraper.index.build import build_index
    from podcast_scraper.storage.generations import IndexLocation

    if IndexLocation.of(corpus, index_dir).current_name() is None:
        with build_progress() as progress:
            threads = os.cpu_count() or 1
            build_index(corpus, index_dir=index_dir, threads=threads, progress=progress)


def _print(outcome: BuildOutcome) -> None:
    from rich.table import Table

    out = console()
    report: dict[str, Any] = outcome.report
    state = "built" if outcome.fresh else "is up to date"
    out.print(f"Index {state}: {outcome.generation.path}", markup=False)
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    rows = {
        "episodes": report["episodes"],
        "documents": _counts(report["documents"]),
        "nodes": _counts(report["nodes"]),
        "edges": _counts(report["edges"]),
        "derived": _counts({**report["derived"]["nodes"], **report["derived"]["edges"]}),
        "repairs": len(report["repairs"]),
        "shadowed": len(report["shadowed"]),
        "quarantined": len(report["quarantined"]),
        "dropped": len(report["dropped"]),
        "seconds": ", ".join(f"{k} {v:.1f}" for k, v in report["seconds"].items()),
    }
    for name, value in rows.items():
        table.add_row(name, str(value))
    out.print(table)
    for item in report["quarantined"]:
        out.print(f"quarantined {item['path']}: {item['reason']}", style="yellow", markup=False)
    if report["dropped"]:
        out.print("What was dropped is listed by --report FILE.", style="yellow")


def _counts(values: dict[str, Any]) -> str:
    return ", ".join(f"{value} {name}" for name, value in values.items()) or "0"
