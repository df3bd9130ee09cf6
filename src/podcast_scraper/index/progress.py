"""What a build tells the one who waits for it."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator


class Progress(Protocol):
    """Told once how many episodes there are, then of every one that is done."""

    def start(self, episodes: int) -> None: ...

    def episode_done(self, title: str) -> None: ...


class Silent:
    """Tells nobody."""

    def start(self, episodes: int) -> None:
        """Do nothing."""

    def episode_done(self, title: str) -> None:
        """Do nothing."""


class Stopwatch:
    """Seconds by stage; a stage may be entered many times."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Add the time spent inside to a stage."""
        start = time.perf_counter()
        try:
            yield
        finally:
            spent = time.perf_counter() - start
            self._seconds[name] = self._seconds.get(name, 0.0) + spent

    def seconds(self) -> dict[str, float]:
        """Return the stages in the order in which they were first entered."""
        return {name: round(spent, 3) for name, spent in self._seconds.items()}
