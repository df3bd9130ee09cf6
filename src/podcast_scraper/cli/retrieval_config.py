"""``podcast-scraper retrieval-config``: what the settings of a corpus come to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from podcast_scraper.cli.options import (
    config_option,
    corpus_argument,
    index_dir_option,
    json_option,
)
from podcast_scraper.cli.output import console, print_json

if TYPE_CHECKING:
    from pathlib import Path


@click.command("retrieval-config")
@corpus_argument
@config_option
@index_dir_option
@json_option
def retrieval_config(
    corpus: Path, config: Path | None, index_dir: Path | None, as_json: bool
) -> None:
    """Print every key of graph rescue for CORPUS with its value and where that came from."""
    from podcast_scraper.errors import IndexStateError
    from podcast_scraper.search.rescue.calibration import stored_threshold
    from podcast_scraper.settings import load_settings, resolve
    from podcast_scraper.storage.generations import IndexLocation

    settings = load_settings(corpus, config)
    try:
        threshold = stored_threshold(IndexLocation.of(corpus, index_dir).current().derived)
    except IndexStateError:
        threshold = None  # without an index nothing was calibrated
    calibrated = {} if threshold is None else {"low_confidence": threshold}
    resolved = resolve(settings, calibrated=calibrated)
    if as_json:
        print_json({one.key: {"value": one.value, "origin": one.origin} for one in resolved})
        return
    from rich.table import Table

    table = Table("key", "value", "origin", box=None)
    for one in resolved:
        value = ", ".join(one.value) if isinstance(one.value, tuple) else str(one.value)
        table.add_row(one.key, value, one.origin)
    console().print(table)
