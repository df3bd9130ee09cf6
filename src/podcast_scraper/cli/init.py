"""``podcast-scraper init``: write the settings of a corpus."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from podcast_scraper.cli.options import corpus_argument
from podcast_scraper.search.rescue.config import FILLS, GRAPH_MODES, SELECTORS
from podcast_scraper.search.rescue.settings import MAIN_SECTIONS, SECTIONS, default_of

if TYPE_CHECKING:
    from collections.abc import Callable

_CHOICES: Final = {"mode": GRAPH_MODES, "selector": SELECTORS, "fill": FILLS}
_ASKED: Final = {"mode": "When may the graph add results", "selector": "How is a context chosen"}


def _flag(section: str, name: str) -> str:
    return "--graph-mode" if name == "mode" else "--" + name.replace("_", "-")


def _every_knob(function: Callable[..., Any]) -> Callable[..., Any]:
    for section, names in reversed(list(SECTIONS.items())):
        for name in reversed(list(names)):
            function = _option(section, name)(function)
    return function


def _option(section: str, name: str) -> Callable[..., Any]:
    default = default_of(section, name)
    kind: Any = str if default is None else type(default)
    if name in _CHOICES:
        kind = click.Choice(_CHOICES[name])
    many = isinstance(default, tuple)
    return click.option(
        _flag(section, name),
        f"{section}__{name}",
        type=str if many else kind,
        multiple=many,
        metavar=None if name in _CHOICES else ("WORD" if many else "VALUE"),
        help=f"retrieval.{section}.{name}"
        + ("" if many or default is None else f" (default {default})"),
    )


@click.command()
@corpus_argument
@_every_knob
@click.option("-c", "--config", type=click.Path(path_type=Path), metavar="FILE", help="Write here.")
@click.option("--yes", is_flag=True, help="Ask nothing; take the defaults.")
@click.option("--force", is_flag=True, help="Replace an existing file.")
def init(corpus: Path, config: Path | None, yes: bool, force: bool, **given: Any) -> None:
    """Write podcast-scraper.yaml for CORPUS: the retrieval block with every default.

    Asks for the two choices that matter, unless they are given. The same answers write the same
    bytes.
    """
    from podcast_scraper.errors import UsageError
    from podcast_scraper.settings import FILE_NAME, write_settings

    path = config or corpus / FILE_NAME
    if path.exists() and not force:
        raise UsageError(f"{path} exists.", mend="Replace it with --force.", subject=path)
    answers = {tuple(key.split("__")): value for key, value in given.items()}
    block: dict[str, dict[str, Any]] = {}
    for section, names in SECTIONS.items():
        for name in names:
            value = answers[section, name]
            if value in (None, ()):
                if section not in MAIN_SECTIONS:
                    continue
                value = default_of(section, name)
                if name in _ASKED and not yes and sys.stdin.isatty():
                    value = click.prompt(
                        _ASKED[name], default=value, type=click.Choice(_CHOICES[name])
                    )
            block.setdefault(section, {})[name] = list(value) if isinstance(value, tuple) else value
    write_settings(path, block)
    click.echo(f"Wrote {path}")
