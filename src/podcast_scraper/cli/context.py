"""``podcast-scraper context``: passages chosen under a token budget, ready to be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from podcast_scraper.cli.options import (
    config_option,
    corpus_argument,
    index_dir_option,
    json_option,
)
from podcast_scraper.cli.output import print_json

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@corpus_argument
@click.argument("query")
@click.option(
    "--selector", type=click.Choice(["packed", "coe", "none"]), help="Default: as configured."
)
@click.option("--budget", type=click.IntRange(0), metavar="N", help="Tokens to spend at most.")
@click.option("--graph", type=click.Choice(["off", "auto", "force"]), help="Graph rescue.")
@click.option("--markdown", is_flag=True, help="Print Markdown (the default).")
@config_option
@index_dir_option
@json_option
def context(
    corpus: Path,
    query: str,
    selector: str | None,
    budget: int | None,
    graph: str | None,
    markdown: bool,
    config: Path | None,
    index_dir: Path | None,
    as_json: bool,
) -> None:
    """Choose passages of CORPUS on QUERY under a budget of tokens.

    QUERY is read as by `search`. What rests on a quote or a transcript comes first; coverage and
    caveats come last.
    """
    from podcast_scraper.context import context_to_json, to_markdown
    from podcast_scraper.corpus import open_corpus

    if markdown and as_json:
        raise click.UsageError("--json and --markdown exclude each other.")
    with open_corpus(corpus, index_dir=index_dir, settings_file=config) as opened:
        made = opened.context(query, selector=selector, budget=budget, graph=graph)
    if as_json:
        print_json(context_to_json(made))
    else:
        click.echo(to_markdown(made), nl=False)
