"""The command group. Each command lives in a module of its own that is imported when it runs."""

from __future__ import annotations

import importlib
from typing import Final

import click

import podcast_scraper
from podcast_scraper.errors import PodcastScraperError

# Name -> module and attribute. A command's module is imported only when the command is named, so
# that `search` does not wait for what `import` or `eval` need.
COMMANDS: Final[dict[str, str]] = {
    "import": "podcast_scraper.cli.import_:import_command",
    "update": "podcast_scraper.cli.import_:update",
    "remove": "podcast_scraper.cli.import_:remove",
    "index": "podcast_scraper.cli.index:index",
    "search": "podcast_scraper.cli.search:search",
    "context": "podcast_scraper.cli.context:context",
    "serve": "podcast_scraper.cli.serve:serve",
    "init": "podcast_scraper.cli.init:init",
    "retrieval-config": "podcast_scraper.cli.retrieval_config:retrieval_config",
    "calibrate": "podcast_scraper.cli.calibrate:calibrate",
    "export": "podcast_scraper.cli.export:export_group",
    "doctor": "podcast_scraper.cli.doctor:doctor",
    "relational": "podcast_scraper.cli.relational:relational",
    "resolve": "podcast_scraper.cli.resolve:resolve",
    "entities": "podcast_scraper.cli.entities:entities",
    "state": "podcast_scraper.cli.state:state",
    "outbox": "podcast_scraper.cli.outbox:outbox",
    "eval": "podcast_scraper.cli.eval:eval_group",
}


class LazyGroup(click.Group):
    """A group whose commands are imported when they are first asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        target = COMMANDS.get(cmd_name)
        if target is None:
            return None
        module, _, attribute = target.partition(":")
        command = getattr(importlib.import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(podcast_scraper.__version__, prog_name="podcast-scraper")
def main() -> None:
    """Search spoken podcasts: who said what, when, and how views changed."""


def run() -> None:
    """Entry point of the console script: errors of the package become one line and an exit code."""
    try:
        main(prog_name="podcast-scraper")
    except PodcastScraperError as error:
        click.echo(f"podcast-scraper: {error}", err=True)
        raise SystemExit(error.exit_code) from error
