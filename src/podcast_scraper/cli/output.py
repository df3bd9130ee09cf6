"""How commands print: JSON for scripts, rich text for people, no colours into a pipe."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import Console


def print_json(value: Any) -> None:
    """Print one JSON document, keys in the order given."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False))


def console(*, stderr: bool = False) -> Console:
    """Return a console; rich leaves colours off where the stream is not a terminal."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    return Console(file=stream, highlight=False, soft_wrap=not stream.isatty())
