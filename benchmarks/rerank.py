"""What the learned linear reranker is worth on queries that it was not trained on.

    python benchmarks/rerank.py SETS/qmsum-dev:meeting SETS/vaswani … [--cache-dir DIR]

Two ways of holding out: five folds of every set, cut by episode (or by query where a set has none),
and one whole set at a time. A third row learns and tests on the same set: what such a model
reaches where it has seen the answers, which is no strict bound, since learning does not maximise
nDCG itself. Each is compared with the default fusion and neighbours, paired by query. Sets with a
``:FIELD`` teach and test searches within an episode, the others over a corpus.
"""

from __future__ import annotations

import argparse
import zlib
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from podcast_scraper.evaluate.corpus_workbench import open_corpus_workbench
from podcast_scraper.evaluate.markdown import interval, table
from podcast_scraper.evaluate.measures import MeasureInput, measure
from podcast_scraper.evaluate.set_workbench import open_set_workbench
from podcast_scraper.evaluate.sets import load_set, per_pair
from podcast_scraper.evaluate.spans import to_judged_ids
from podcast_scraper.evaluate.statistics import paired_test
from podcast_scraper.evaluate.training import Example, examples_of, learn, start_weights

if TYPE_CHECKING:
    from podcast_scraper.evaluate.workbench import Workbench

FOLDS = 5
MEASURE = "nDCG@10"


class LearntSet:
    """The examples of one set, its judgements, and the fold of each query."""

    def __init__(self, argument: str, cache_dir: Path | None) -> None:
        path, _, field = argument.partition(":")
        query_set = load_set(Path(path))
        self.name = query_set.name + (f":{field}" if field else "")
        self.scope = "episode" if field else "corpus"
        opened = open_corpus_workbench if query_set.corpus else open_set_workbench
        self.bench: Workbench = opened(query_set, restrict=field or None, cache_dir=cache_dir)
        self.examples = examples_of(self.bench)
        self.qrels, self.parents = query_set.qrels, {q.id: q.id for q in query_set.queries}
        if query_set.name == "insight-quote":
            self.qrels, self.parents = per_pair(query_set)
        self.folds = {
            query.id: zlib.crc32(
                str(query.meta.get("episode") or query.meta.get("meeting") or query.id).encode()
            )
            % FOLDS
            for query in query_set.queries
        }

    def outside(self, fold: int) -> list[Example]:
        return [one for one in self.examples if self.folds[one.query_id] != fold]

    def values(self, weights_of: dict[int, np.ndarray]) -> list[float]:
        """The measure of every query, ordered by the weights of its fold."""
        ranked = {}
        for one in self.examples:
            scores = one.features @ weights_of[self.folds[one.query_id]]
            order = sorted(range(len(scores)), key=lambda i: (-scores[i], one.doc_ids[i]))
            ranked[one.query_id] = self.bench.to_set_ids(one.doc_ids[i] for i in order)
        rankings = {
            key: to_judged_ids(ranked.get(parent, ()), self.qrels[key], self.bench.span_of)
            for key, parent in self.parents.items()
        }
        found = measure([MEASURE], MeasureInput(rankings, self.qrels, {}))[MEASURE]
        return [found[key] for key in self.parents]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="+")
    parser.add_argument("--cache-dir", type=Path)
    options = parser.parse_args()
    scopes: dict[str, list[LearntSet]] = defaultdict(list)
    for argument in options.sets:
        one = LearntSet(argument, options.cache_dir)
        scopes[one.scope].append(one)
    rows = []
    for scope, sets in scopes.items():
        by_fold = {fold: learn([one.outside(fold) for one in sets], scope) for fold in range(FOLDS)}
        for one in sets:
            rows.append(_row(one, "five folds", by_fold))
            if others := [other.examples for other in sets if other is not one]:
                learnt = dict.fromkeys(range(FOLDS), learn(others, scope))
                rows.append(_row(one, "other sets", learnt))
            itself = dict.fromkeys(range(FOLDS), learn([one.examples], scope))
            rows.append(_row(one, "itself, in sample", itself))
    print(table(["set", "trained on", "default", "linear", "difference [95 %]", "p"], rows))


def _row(one: LearntSet, trained_on: str, weights: dict[int, np.ndarray]) -> list[str]:
    base = one.values(dict.fromkeys(range(FOLDS), start_weights(one.scope)))
    mine = one.values(weights)
    test = paired_test(mine, base)
    difference = {"difference": test.difference, "low": test.low, "high": test.high}
    means = [f"{np.mean(values):.4f}" for values in (base, mine)]
    return [one.name, trained_on, *means, interval(difference, "+"), f"{test.p:.4f}"]


if __name__ == "__main__":
    main()
