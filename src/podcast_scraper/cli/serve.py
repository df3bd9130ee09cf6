"""``podcast-scraper serve``: the search page and the HTTP API."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from podcast_scraper.cli.options import config_option, corpus_argument, index_dir_option

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@corpus_argument
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", default=8910, show_default=True, type=click.IntRange(0, 65535))
@click.option(
    "--token",
    envvar="PODCAST_SCRAPER_TOKEN",
    show_envvar=True,
    help="Ask for this with every request; needed where other machines reach HOST.",
)
@click.option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="A further name under which the server may be asked for; repeatable.",
)
@config_option
@index_dir_option
def serve(
    corpus: Path,
    host: str,
    port: int,
    token: str | None,
    hosts: tuple[str, ...],
    config: Path | None,
    index_dir: Path | None,
) -> None:
    """Serve the pages and the HTTP API of CORPUS until Ctrl-C.

    A corpus that has no index yet gets one first.
    """
    from podcast_scraper.cli.index import ensure_index
    from podcast_scraper.corpus import open_corpus
    from podcast_scraper.server.app import create_app
    from podcast_scraper.server.serve import check_binding
    from podcast_scraper.server.serve import serve as run

    check_binding(host, token)
    ensure_index(corpus, index_dir)
    with open_corpus(corpus, index_dir=index_dir, settings_file=config) as opened:
        opened.warm()
        run(
            create_app(opened, hosts=(host, *hosts), token=token),
            host,
            port,
            lambda url: click.echo(f"Serving {opened.name} at {url}  (Ctrl-C stops)"),
        )
