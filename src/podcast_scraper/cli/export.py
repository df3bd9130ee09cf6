"""``podcast-scraper export``: the graph, and transcripts, as files of their own."""

from __future__ import annotations

from pathlib import Path

import click

from podcast_scraper.cli.options import corpus_argument, index_dir_option, json_option
from podcast_scraper.cli.output import console, print_json


@click.group("export")
def export_group() -> None:
    """Write parts of a corpus for other programs."""


@export_group.command("graph")
@corpus_argument
@click.argument("directory", type=click.Path(path_type=Path, file_okay=False))
@index_dir_option
@json_option
def graph(corpus: Path, directory: Path, index_dir: Path | None, as_json: bool) -> None:
    """Write graph-edges.parquet, chunks.parquet and graph-hyperedges.kv of CORPUS to DIRECTORY."""
    from podcast_scraper.corpus import open_corpus
    from podcast_scraper.graph_export import export_graph

    with open_corpus(corpus, index_dir=index_dir) as opened:
        written = export_graph(opened.index, directory)
    if as_json:
        print_json({"directory": str(directory), "rows": written})
        return
    for name, rows in written.items():
        console().print(f"{directory / name}: {rows} rows", markup=False)


@export_group.command("transcript")
@corpus_argument
@click.argument("episode")
@click.option(
    "--format",
    "form",
    type=click.Choice(["vtt", "srt", "json"]),
    default="vtt",
    show_default=True,
    help="WebVTT, SRT or Podcasting 2.0 JSON.",
)
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Default: standard output.",
)
def transcript(corpus: Path, episode: str, form: str, output: Path | None) -> None:
    """Write the transcript of an EPISODE of CORPUS, with its speakers and times."""
    from podcast_scraper.ingest.exporting import export_transcript

    text = export_transcript(corpus, episode, form)
    if output is None:
        click.echo(text, nl=False)
    else:
        output.write_text(text, encoding="utf-8")
