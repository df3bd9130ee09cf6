"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable

_DIRECTORY = click.Path(path_type=Path, file_okay=False)


def corpus_argument(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``CORPUS``, a directory (that it exists is checked where it is read)."""
    return click.argument("corpus", type=click.Path(path_type=Path))(function)


def index_dir_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--index-dir``."""
    return click.option(
        "--index-dir",
        type=_DIRECTORY,
        metavar="DIR",
        help="Where the index lives (default: CORPUS/.podcast-scraper).",
    )(function)


def json_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--json``."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(function)


def model_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--model``."""
    return click.option(
        "--model",
        metavar="NAME",
        help="Embedding model: pkg:bge-small, pkg:minilm, a folder, or a name. Default: that of "
        "the index, else pkg:bge-small.",
    )(function)


def config_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``-c`` / ``--config``."""
    return click.option(
        "-c",
        "--config",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="Settings (default: podcast-scraper.yaml in CORPUS).",
    )(function)
