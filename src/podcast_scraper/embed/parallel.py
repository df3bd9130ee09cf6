"""Work on many texts, several at a time, in order, with progress and prompt interruption."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from podcast_scraper.embed.encoder import Progress

T = TypeVar("T")

# Texts a thread between two reports of progress: the most that Ctrl-C still waits for.
_PER_THREAD = 16


def indexed_map(
    work: Callable[[int], T], count: int, threads: int, progress: Progress | None = None
) -> Iterator[T]:
    """Yield ``work(0) … work(count - 1)`` in order, ``threads`` of them at the same time."""
    step = _PER_THREAD * threads
    with ThreadPoolExecutor(threads) as pool:
        for start in range(0, count, step):
            part = range(start, min(start + step, count))
            yield from pool.map(work, part) if threads > 1 else map(work, part)
            if progress is not None:
                progress(len(part))
