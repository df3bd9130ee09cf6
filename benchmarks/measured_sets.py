"""Query sets whose first stages ran once, so that many ways to fuse them can be compared.

A set is named ``PATH[:FIELD][@N]``: ``:FIELD`` restricts as ``eval run --restrict`` does, ``@N``
draws N queries with the seed of ``eval run --sample``. ``insight-quote`` is measured per pair, as
its publisher does.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from podcast_scraper.evaluate.corpus_workbench import open_corpus_workbench
from podcast_scraper.evaluate.markdown import interval
from podcast_scraper.evaluate.measures import MeasureInput, measure
from podcast_scraper.evaluate.set_workbench import open_set_workbench
from podcast_scraper.evaluate.sets import load_set, per_pair
from podcast_scraper.evaluate.spans import to_judged_ids
from podcast_scraper.evaluate.statistics import estimate, paired_test
from podcast_scraper.search.backend import SearchQuery
from podcast_scraper.search.documents import payload_of
from podcast_scraper.search.fusion import FUSIONS, TIER_WEIGHTS
from podcast_scraper.search.neighbours import add_shares, shares_of_neighbours

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from podcast_scraper.evaluate.sets import SetItem
    from podcast_scraper.evaluate.workbench import Workbench
    from podcast_scraper.search.backend import ScoredResult

MEASURE = "nDCG@10"


@dataclass(frozen=True)
class Candidate:
    """A fusion, the share of the dense list in it, the weights of neighbours and of tiers."""

    fusion: str
    dense: float
    neighbours: tuple[float, ...] = ()
    tiers: Mapping[str, float] = field(default_factory=lambda: TIER_WEIGHTS, compare=False)

    def __str__(self) -> str:
        return f"{self.fusion} {self.dense:.2f} {self.neighbours or 'alone'}"

    def fuse(self, lists: Sequence[Sequence[ScoredResult]]) -> list[ScoredResult]:
        """Fuse what one query's stages gave (dense, BM25)."""
        weights = {"bm25": 2 - 2 * self.dense, "vector": 2 * self.dense}
        fused = FUSIONS[self.fusion](
            [x for x in lists if x], signal_weights=weights, tier_weights=self.tiers
        ).results
        return self.share(fused)

    def share(self, fused: list[ScoredResult]) -> list[ScoredResult]:
        """Let neighbours share their scores."""
        return add_shares(fused, shares_of_neighbours(fused, self.neighbours))


class MeasuredSet:
    """The two lists of every query of one set, dense before BM25."""

    def __init__(self, argument: str, cache_dir: Path | None) -> None:
        named, _, drawn = argument.partition("@")
        path, _, restrict = named.partition(":")
        query_set = load_set(Path(path), sample=int(drawn) if drawn else None)
        self.name = query_set.name + argument.removeprefix(path)
        self.scope = "episode" if restrict else "corpus"
        opened = open_corpus_workbench if query_set.corpus else open_set_workbench
        self.bench = opened(query_set, restrict=restrict or None, cache_dir=cache_dir)
        self.queries = query_set.queries
        self.qrels, self.parents = query_set.qrels, {query.id: query.id for query in self.queries}
        if query_set.name == "insight-quote":
            self.qrels, self.parents = per_pair(query_set)
        self.lists = {query.id: _stages(self.bench, query) for query in self.queries}
        results = [one for both in self.lists.values() for found in both for one in found]
        self.has_neighbours = any(one.payload.get("ordinal") for one in results)

    def values(self, fuse: Callable[[str], Sequence[ScoredResult]]) -> np.ndarray:
        """The measure of every query (or pair), ranked by what ``fuse`` returns for its id."""
        ranked = {query.id: fuse(query.id) for query in self.queries}
        named = {
            query: to_judged_ids(
                self.bench.to_set_ids(result.doc_id for result in ranked[parent]),
                self.qrels[query],
                self.bench.span_of,
            )
            for query, parent in self.parents.items()
        }
        found = measure([MEASURE], MeasureInput(named, self.qrels, {}))[MEASURE]
        return np.array([found[query] for query in self.parents])

    def of(self, candidate: Candidate) -> np.ndarray:
        """The measure of every query under one way to fuse."""
        return self.values(lambda query: candidate.fuse(self.lists[query]))

    def better_part(self) -> np.ndarray:
        """The measure under BM25 or under dense alone, whichever has the better mean."""
        parts = [self.values(lambda query, i=i: self.lists[query][i]) for i in (0, 1)]
        return max(parts, key=lambda values: values.mean())


def mean_of(values: np.ndarray) -> str:
    """Mean with its interval."""
    found = estimate(values)
    return interval({"mean": found.mean, "low": found.low, "high": found.high})


def difference_of(mine: np.ndarray, other: np.ndarray) -> str:
    """Paired difference with its interval and p."""
    test = paired_test(mine, other)
    shown = interval({"difference": test.difference, "low": test.low, "high": test.high}, "+")
    return f"{shown} p {test.p:.4f}"


def _stages(bench: Workbench, query: SetItem) -> list[list[ScoredResult]]:
    ask = SearchQuery(query.text, bench.embed(query)[0], bench.filters_for(query), bench.pool_k)
    both = [bench.backend.search_vector(ask), bench.backend.search_bm25(ask)]
    documents = bench.backend.fetch([result.doc_id for one in both for result in one])
    return [
        [replace(result, payload=payload_of(documents[result.doc_id])) for result in one]
        for one in both
    ]
