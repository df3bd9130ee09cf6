"""The progress of an import: episodes done by stage, with the rate."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from podcast_scraper.ingest.importing import silent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextmanager
def counted() -> Iterator[Callable[[str], None]]:
    """Give a counter with episodes a minute on a terminal, else one that shows nothing.

    How many episodes there are is not known before all sources are read, so there is no end to
    the bar.
    """
    if not sys.stderr.isatty():
        yield silent
        return
    from rich import progress

    from podcast_scraper.cli.output import console

    columns = (
        progress.SpinnerColumn(),
        progress.TextColumn("{task.description}"),
        progress.TextColumn("{task.completed:.0f} episodes, {task.fields[rate]:.0f} a minute"),
        progress.TimeElapsedColumn(),
    )
    with progress.Progress(*columns, console=console(stderr=True)) as bar:
        tasks: dict[str, progress.TaskID] = {}

        def advance(stage: str) -> None:
            if stage not in tasks:
                tasks[stage] = bar.add_task(stage.capitalize(), total=None, rate=0.0)
            bar.advance(tasks[stage])
            task = next(task for task in bar.tasks if task.id == tasks[stage])
            bar.update(tasks[stage], rate=60 * task.completed / max(0.1, task.elapsed or 0.1))

        yield advance
