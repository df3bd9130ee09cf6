"""Whole lists under filters: what the server can tell by itself, and what the records tell it.

An expression (:mod:`.milvus_expressions`) says most filters. Phrases, excluded words and very long
lists of ids are resolved by the records. Then, as for narrow filters of a graph index, which loses
most of what they leave, the documents that remain are scored one by one; where too many remain,
hits are fetched until enough of them pass.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from podcast_scraper.errors import QueryError
from podcast_scraper.search.analysis import exact_terms
from podcast_scraper.search.backend import Filters
from podcast_scraper.search.backends.milvus_collections import WINDOW
from podcast_scraper.search.backends.milvus_expressions import MOST_VALUES, expression, values_in
from podcast_scraper.search.backends.nearest import DECIMALS, best
from podcast_scraper.search.backends.sparse_bm25 import query_text
from podcast_scraper.search.documents import TIERS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from podcast_scraper.search.backend import SearchQuery
    from podcast_scraper.search.backends.document_queries import DocumentQueries
    from podcast_scraper.search.backends.milvus_collections import Collections

# Up to so many documents are scored one by one.
MOST_KEYS: Final = 20_000
# Sums of float32 products differ beyond this; equal documents must tie.
BM25_DECIMALS: Final = 4
_GROWTH: Final = 4

Found = list[tuple[int, float]]


@dataclass(frozen=True, slots=True)
class _Probe:
    """What is looked for, in which field, and the decimals that its scores are good for."""

    field: str
    vector: object
    decimals: int


class MilvusSearch:
    """Searches the collections of one generation. Thread-safe.

    Lists hold ``(key, score)``: the ``k`` best of each tier that is asked for and all that tie with
    the last. The caller orders ties and cuts.
    """

    def __init__(
        self, collections: Collections, queries: DocumentQueries, consistency: str
    ) -> None:
        self._collections = collections
        self._queries = queries
        self._consistency = consistency

    def sparse(self, vector: Mapping[int, float], query: SearchQuery) -> Found:
        """Return the documents of largest inner product with a sparse vector; above 0 all."""
        asked = query_text(vector) if self._collections.scores_itself else dict(vector)
        probe = _Probe("sparse", asked, BM25_DECIMALS)
        if self._needs_records(query.filters):
            keys = self._queries.keys(query.filters, query.tier, limit=MOST_KEYS + 1)
            if len(keys) > MOST_KEYS:
                found = self._search(probe, query, checking=True)
            else:
                found = self._in_parts(probe, query, keys.tolist())
        else:
            found = self._search(probe, query)
        return [hit for hit in found if hit[1] > 0]

    def dense(self, unit: NDArray[np.float32], query: SearchQuery) -> Found:
        """Return the documents nearest to a unit vector, by cosine."""
        probe = _Probe("dense", unit, DECIMALS)
        asking = self._needs_records(query.filters)
        if asking or (query.filters and not self._collections.is_exact):
            most = MOST_KEYS if asking else MOST_VALUES
            keys = self._queries.keys(query.filters, query.tier, limit=most + 1)
            if len(keys) <= most:
                return self._exact(unit, query.k, keys.tolist())
        return self._search(probe, query, checking=asking)

    @staticmethod
    def _needs_records(filters: Filters) -> bool:
        """Tell whether an expression cannot say what filters say."""
        words = (*filters.phrases, *filters.excluded)
        return any(map(exact_terms, words)) or values_in(filters) > MOST_VALUES

    def _exact(self, unit: NDArray[np.float32], k: int, keys: Sequence[int]) -> Found:
        """Score documents by their vectors in the records."""
        vectors = self._queries.vectors(keys)
        if not vectors:
            return []
        known = list(vectors)
        places, cosines = best(np.stack(list(vectors.values())) @ unit, k)
        return [(known[p], c) for p, c in zip(places.tolist(), cosines.tolist(), strict=True)]

    def _in_parts(self, probe: _Probe, query: SearchQuery, keys: Sequence[int]) -> Found:
        """Search among given documents, as many at a time as an expression can name."""
        found: Found = []
        for start in range(0, len(keys), MOST_VALUES):
            condition = expression(Filters(), keys=keys[start : start + MOST_VALUES])
            for tier in _tiers(query):
                found += self._whole(probe, tier, condition, query.k, None)
        return found

    def _search(self, probe: _Probe, query: SearchQuery, *, checking: bool = False) -> Found:
        filters = query.filters
        if values_in(filters) > MOST_VALUES:
            filters = Filters(since=filters.since, until=filters.until, ads=filters.ads)
        condition = expression(filters)
        check = query if checking else None
        return [
            hit
            for tier in _tiers(query)
            for hit in self._whole(probe, tier, condition, query.k, check)
        ]

    def _whole(
        self, probe: _Probe, tier: str, condition: str, k: int, check: SearchQuery | None
    ) -> Found:
        """Return the ``k`` best hits of a tier and those that tie, which pass a check if any."""
        limit = k + 1 if check is None else _GROWTH * k
        while True:
            limit = min(limit, WINDOW)
            hits = self._collections.search(
                tier, probe.field, probe.vector, limit, condition, consistency=self._consistency
            )
            rounded = [(key, round(score, probe.decimals)) for key, score in hits]
            kept = rounded if check is None else self._passing(rounded, check)
            last = sorted((score for _, score in kept), reverse=True)[k - 1 : k]
            if len(hits) < limit or (last and rounded[-1][1] < last[0]):
                return kept
            if limit == WINDOW:
                if check is None or last:
                    return kept
                raise QueryError(
                    "The query leaves out too much of what it asks for.",
                    mend="Add words or a filter that fewer documents satisfy.",
                    subject=check.text,
                )
            limit *= _GROWTH

    def _passing(self, hits: Found, query: SearchQuery) -> Found:
        allowed = self._queries.allowed([key for key, _ in hits], query.filters, query.tier)
        return [hit for hit in hits if hit[0] in allowed]


def _tiers(query: SearchQuery) -> tuple[str, ...]:
    return TIERS if query.tier == "all" else (query.tier,)
