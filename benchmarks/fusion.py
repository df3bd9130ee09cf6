"""Which fusion earns to be the default: every candidate on every set, and leave-one-set-out choice.

    python benchmarks/fusion.py SETS/insight-quote SETS/qmsum-dev:meeting … [--cache-dir DIR]

A set may carry ``:FIELD`` (the ``--restrict`` of ``eval run``). ``insight-quote`` is measured per
pair, as its publisher does. The first stages run once a query through the product's backend;
candidates fuse the same two lists. A candidate is admissible on the training sets when on each its
mean nDCG@10 is at most .01 below the better of BM25 and dense, and the 95 % interval of that
difference does not lie below 0. Of the admissible ones the best mean over the training sets is
chosen and tested on the set that was left out.
"""

from __future__ import annotations

import argparse
import itertools
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from podcast_scraper.evaluate.corpus_workbench import open_corpus_workbench
from podcast_scraper.evaluate.markdown import interval, table
from podcast_scraper.evaluate.measures import MeasureInput, measure
from podcast_scraper.evaluate.set_workbench import open_set_workbench
from podcast_scraper.evaluate.sets import load_set, per_pair
from podcast_scraper.evaluate.spans import to_judged_ids
from podcast_scraper.evaluate.statistics import estimate, paired_test
from podcast_scraper.search.backend import SearchQuery
from podcast_scraper.search.documents import payload_of
from podcast_scraper.search.fusion import FUSIONS
from podcast_scraper.search.neighbours import add_shares, shares_of_neighbours

if TYPE_CHECKING:
    from podcast_scraper.evaluate.workbench import Workbench
    from podcast_scraper.search.backend import ScoredResult

MEASURE = "nDCG@10"
NEIGHBOURS = ((), (0.3,), (0.5,), (0.3, 0.1), (0.4, 0.2), (0.5, 0.3, 0.15), (0.6, 0.4, 0.2))
DENSE_SHARES = (0.3, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7)


@dataclass(frozen=True)
class Candidate:
    """A fusion with the share of the dense list and the weights of neighbours."""

    fusion: str
    dense: float
    neighbours: tuple[float, ...]

    def __str__(self) -> str:
        return f"{self.fusion} {self.dense:.2f} {self.neighbours or 'alone'}"

    def fuse(self, lists: list[list[ScoredResult]]) -> list[ScoredResult]:
        weights = {"bm25": 2 - 2 * self.dense, "vector": 2 * self.dense}
        fused = FUSIONS[self.fusion]([x for x in lists if x], signal_weights=weights).results
        if not self.neighbours:
            return fused
        return add_shares(fused, shares_of_neighbours(fused, self.neighbours))


def candidates() -> list[Candidate]:
    """The grid; RRF without neighbours is the one that RFC-090 defines."""
    grid = itertools.product(("minmax", "dbsf"), DENSE_SHARES, NEIGHBOURS)
    return [Candidate("rrf", 0.5, ()), *(Candidate(*one) for one in grid)]


class MeasuredSet:
    """The two lists of every query of one set."""

    def __init__(self, argument: str, cache_dir: Path | None, limit: int | None) -> None:
        path, _, field = argument.partition(":")
        self.name = Path(path).name + (f":{field}" if field else "")
        query_set = load_set(Path(path), limit=limit)
        opened = open_corpus_workbench if query_set.corpus else open_set_workbench
        self.bench = opened(query_set, restrict=field or None, cache_dir=cache_dir)
        queries = query_set.queries
        self.qrels, self.parents = query_set.qrels, {query.id: query.id for query in queries}
        if query_set.name == "insight-quote":
            self.qrels, self.parents = per_pair(query_set)
        self.lists = {query.id: _stages(self.bench, query) for query in queries}

    def values(self, rankings: dict[str, list[ScoredResult]]) -> np.ndarray:
        named = {
            query: to_judged_ids(
                self.bench.to_set_ids(result.doc_id for result in rankings[parent]),
                self.qrels[query],
                self.bench.span_of,
            )
            for query, parent in self.parents.items()
        }
        found = measure([MEASURE], MeasureInput(named, self.qrels, {}))[MEASURE]
        return np.array([found[query] for query in self.parents])

    def of(self, candidate: Candidate) -> np.ndarray:
        return self.values({query: candidate.fuse(both) for query, both in self.lists.items()})

    def part(self, which: int) -> np.ndarray:
        return self.values({query: both[which] for query, both in self.lists.items()})


def _stages(bench: Workbench, query) -> list[list[ScoredResult]]:
    ask = SearchQuery(query.text, bench.embed(query)[0], bench.filters_for(query), bench.pool_k)
    both = [bench.backend.search_vector(ask), bench.backend.search_bm25(ask)]
    documents = bench.backend.fetch([result.doc_id for one in both for result in one])
    return [
        [replace(result, payload=payload_of(documents[result.doc_id])) for result in one]
        for one in both
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="+")
    parser.add_argument("--cache-dir", type=Path)
    parser.add_argument("--limit", type=int)
    options = parser.parse_args()
    names, parts, scores = [], {}, {}
    for argument in options.sets:
        one = MeasuredSet(argument, options.cache_dir, options.limit)
        names.append(one.name)
        dense, bm25 = one.part(0), one.part(1)
        parts[one.name] = max((dense, bm25), key=lambda values: values.mean())
        scores[one.name] = {str(c): one.of(c) for c in candidates()}
        print(f"{one.name}: BM25 {bm25.mean():.4f}, dense {dense.mean():.4f}", flush=True)
    print(f"\n{_grid(names, parts, scores)}\n\n{_cross_validation(names, parts, scores)}")


def _admissible(candidate: str, names, parts, scores) -> bool:
    differences = [scores[name][candidate] - parts[name] for name in names]
    if min(one.mean() for one in differences) < -0.01:
        return False
    return all(estimate(one).high >= 0 for one in differences if one.mean() < 0)


def _chosen(names, parts, scores) -> str:
    means = {
        candidate: np.mean([scores[name][candidate].mean() for name in names])
        for candidate in scores[names[0]]
    }
    ranked = sorted(means, key=lambda candidate: -means[candidate])
    return next(c for c in ranked if _admissible(c, names, parts, scores))


def _grid(names, parts, scores) -> str:
    rows = [
        [
            candidate,
            *(f"{scores[name][candidate].mean():.4f}" for name in names),
            f"{np.mean([scores[name][candidate].mean() for name in names]):.4f}",
            "yes" if _admissible(candidate, names, parts, scores) else "no",
        ]
        for candidate in scores[names[0]]
    ]
    best = ["better part", *(f"{parts[name].mean():.4f}" for name in names), "", ""]
    return table(["fusion, dense share, neighbours", *names, "mean", "admissible"], [best, *rows])


def _cross_validation(names, parts, scores) -> str:
    rows = []
    rrf = str(Candidate("rrf", 0.5, ()))
    for left_out in names:
        chosen = _chosen([name for name in names if name != left_out], parts, scores)
        mine = scores[left_out][chosen]
        against = [paired_test(mine, parts[left_out]), paired_test(mine, scores[left_out][rrf])]
        rows.append(
            [
                left_out,
                chosen,
                f"{mine.mean():.4f}",
                *(
                    f"{interval({'difference': t.difference, 'low': t.low, 'high': t.high}, '+')}"
                    f" p {t.p:.4f}"
                    for t in against
                ),
            ]
        )
    rows.append(["all", _chosen(names, parts, scores), "", "", ""])
    head = ["left out", "chosen on the others", MEASURE, "− better part", "− RRF"]
    return "Leave one set out:\n\n" + table(head, rows)


if __name__ == "__main__":
    main()
