"""``podcast-scraper export graph``: the graph, documents and hyperedges as files of their own."""

from __future__ import annotations

from pathlib import Path

import click

from podcast_scraper.cli.options import corpus_argument, index_dir_option, json_option
from podcast_scraper.cli.output import console, print_json


@click.group("export")
def export_group() -> None:
    """Write parts of an index for other programs."""


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
