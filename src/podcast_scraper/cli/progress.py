"""The progress bar of long work; silent where nobody watches."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from podcast_scraper.index.progress import Silent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

    from podcast_scraper.index.progress import Progress


class _Bar:
    def __init__(self, bar: RichProgress) -> None:
        self._bar = bar
        self._task: TaskID | None = None

    def start(self, episodes: int) -> None:
        self._task = self._bar.add_task("Indexing", total=episodes)

    def episode_done(self, title: str) -> None:
        if self._task is not None:
            self._bar.advance(self._task)


@contextmanager
def build_progress() -> Iterator[Progress]:
    """Give a bar with rate and remaining time on a terminal, else one that shows nothing."""
    if not sys.stderr.isatty():
        yield Silent()
        return
    from rich import progress

    from podcast_scraper.cli.output import console

    columns = (
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TextColumn("episodes"),
        progress.TimeElapsedColumn(),
        progress.TimeRemainingColumn(),
    )
    with progress.Progress(*columns, console=console(stderr=True)) as bar:
        yield _Bar(bar)
