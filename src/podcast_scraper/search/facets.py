"""Facet counts over the fused candidate set of one query."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from podcast_scraper.search.results import FacetValue

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from podcast_scraper.search.backend import ScoredResult

# Field -> the ids that a payload has there. A field added here appears everywhere.
FACETS: Final[Mapping[str, Callable[[Mapping[str, Any]], Sequence[str]]]] = {
    "show": lambda payload: (payload["show_id"],),
    "person": lambda payload: payload["speakers"],
    "topic": lambda payload: payload["topics"],
    "year": lambda payload: (payload["published"][:4],) if payload["published"] else (),
    "tier": lambda payload: (payload["tier"],),
    "insight_type": lambda payload: (payload["insight_type"],) if payload["insight_type"] else (),
}

VALUES_SHOWN: Final = 50


def count_facets(results: Sequence[ScoredResult]) -> dict[str, list[tuple[str, int]]]:
    """Return field → (id, count), the most frequent first, ties by id, at most 50 a field."""
    counted: dict[str, list[tuple[str, int]]] = {}
    for field, ids_of in FACETS.items():
        values: list[str] = []
        for result in results:
            ids = ids_of(result.payload)
            values += ids if len(ids) < 2 else set(ids)
        order = sorted(Counter(values).items(), key=lambda pair: (-pair[1], pair[0]))
        counted[field] = order[:VALUES_SHOWN]
    return counted


def label_facets(
    counted: Mapping[str, Sequence[tuple[str, int]]], labels: Mapping[str, str]
) -> dict[str, tuple[FacetValue, ...]]:
    """Give counted values their display names; an id without one shows itself."""
    return {
        field: tuple(FacetValue(key, labels.get(key, key), count) for key, count in values)
        for field, values in counted.items()
    }
