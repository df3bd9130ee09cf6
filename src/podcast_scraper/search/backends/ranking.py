"""What every backend makes of the hits of an engine: a ranked list of documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podcast_scraper.errors import UsageError
from podcast_scraper.search.backend import ScoredResult

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


def check_k(k: int) -> None:
    """Refuse to look for less than one result."""
    if k < 1:
        raise UsageError(f"k is {k}.", mend="Ask for at least one result.", subject=k)


def ranked(
    found: Iterable[tuple[int, float]],
    names: Mapping[int, tuple[str, str]],
    signal: str,
    k: int,
) -> list[ScoredResult]:
    """Order ``(key, score)`` by score, then doc_id, and cut after ``k``.

    ``names`` is key → (doc_id, tier). A key without a name was deleted since.
    """
    hits = [(-score, *names[key]) for key, score in found if key in names]
    return [
        ScoredResult(doc_id, -negative, rank, {}, signal, tier)
        for rank, (negative, doc_id, tier) in enumerate(sorted(hits)[:k], start=1)
    ]


def by_date(newest: Sequence[tuple[str, str]]) -> list[ScoredResult]:
    """Return ``(doc_id, tier)`` in their order as results; scores are 1 / rank."""
    return [
        ScoredResult(doc_id, 1.0 / rank, rank, {}, "date", tier)
        for rank, (doc_id, tier) in enumerate(newest, start=1)
    ]
