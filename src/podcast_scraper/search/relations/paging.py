"""Order and cut: re-ranking by relevance where a query text was given, then one page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from podcast_scraper.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from podcast_scraper.search.corpus_graph import CorpusGraph

Scorer = Callable[[Sequence[str]], Mapping[str, float]]

MAX_K: Final = 1_000


def page(size: int, k: int, offset: int) -> slice:
    """Return the slice of one page. ``k`` above 1 000 is cut to 1 000; 0 gives an empty page.

    Raises UsageError for a negative ``k`` or ``offset``.
    """
    for name, value in (("k", k), ("offset", offset)):
        if value < 0:
            raise UsageError(f"{name} is {value}.", mend=f"Give a {name} of 0 or more.")
    return slice(min(offset, size), min(offset + min(k, MAX_K), size))


def by_relevance(
    graph: CorpusGraph, numbers: NDArray[np.int64], scorer: Scorer | None
) -> NDArray[np.int64]:
    """Order nodes by their score for a query; those without a score follow as they stood.

    Nothing is dropped; equal scores keep their order.
    """
    if scorer is None or not numbers.size:
        return numbers
    ids = [graph.ids[number] for number in numbers]
    scores = scorer(ids)
    value = np.array([scores.get(node_id, -np.inf) for node_id in ids])
    return numbers[np.argsort(-value, kind="stable")]
