"""Which fusion and which share of neighbours earn to be the default.

    python -m benchmarks.fusion SETS/insight-quote SETS/qmsum-dev:meeting … [--cache-dir DIR]

Sets are named as in ``benchmarks/measured_sets.py``. Two choices, each made by leaving one set out:

1. The fusion and the share of the dense list, without neighbours, over all sets.
2. With the product's fusion, what neighbours share, over the sets of one scope (a corpus, or one
   episode) in which documents have neighbours.

A candidate is admissible on the training sets when on each its mean nDCG@10 is at most .01 below
the better of BM25 and dense, and the 95 % interval of that difference does not lie below 0. Of the
admissible ones the best mean over the training sets is chosen, and tested on the set left out.
"""

from __future__ import annotations

import argparse
import itertools
from pathlib import Path

import numpy as np
from benchmarks.measured_sets import MEASURE, Candidate, MeasuredSet, difference_of, mean_of

from podcast_scraper.evaluate.markdown import table
from podcast_scraper.evaluate.statistics import estimate
from podcast_scraper.search.fusion import DEFAULT_FUSION
from podcast_scraper.search.neighbours import OVER_CORPUS, WITHIN_EPISODE

DENSE_SHARES = (0.3, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7)
NEIGHBOURS = (
    (),
    (0.1,),
    (0.2,),
    (0.3,),
    (0.2, 0.05),
    (0.3, 0.1),
    (0.4, 0.2),
    (0.5, 0.3, 0.15),
    (0.6, 0.4, 0.2),
)
RRF = Candidate("rrf", 0.5)
ALONE = [RRF, *(Candidate(*one) for one in itertools.product(("minmax", "dbsf"), DENSE_SHARES))]
SHARED = [Candidate(DEFAULT_FUSION, 0.5, shares) for shares in NEIGHBOURS]
DEFAULTS = {"corpus": OVER_CORPUS, "episode": WITHIN_EPISODE}

Scores = dict[str, dict[Candidate, np.ndarray]]
Parts = dict[str, np.ndarray]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="+")
    parser.add_argument("--cache-dir", type=Path)
    options = parser.parse_args()
    parts: Parts = {}
    alone: Scores = {}
    shared: dict[str, Scores] = {scope: {} for scope in DEFAULTS}
    for argument in options.sets:
        one = MeasuredSet(argument, options.cache_dir)
        parts[one.name] = one.better_part()
        alone[one.name] = {candidate: one.of(candidate) for candidate in ALONE}
        if one.has_neighbours:
            shared[one.scope][one.name] = {candidate: one.of(candidate) for candidate in SHARED}
        print(f"{one.name}: {len(one.parents)} queries", flush=True)
    print("\n## Fusion, without neighbours\n")
    print(_grid(alone, parts), "\n")
    print(_leave_one_out(alone, parts, RRF, "RRF"))
    for scope, scores in shared.items():
        if len(scores) > 1:
            print(f"\n## Neighbours over {scope}, {DEFAULT_FUSION}; default {DEFAULTS[scope]}\n")
            print(_grid(scores, parts), "\n")
            print(_leave_one_out(scores, parts, SHARED[0], "no neighbours"))


def _admissible(candidate: Candidate, names: list[str], scores: Scores, parts: Parts) -> bool:
    differences = [scores[name][candidate] - parts[name] for name in names]
    if min(one.mean() for one in differences) < -0.01:
        return False
    return all(estimate(one).high >= 0 for one in differences if one.mean() < 0)


def _mean(candidate: Candidate, names: list[str], scores: Scores) -> float:
    return float(np.mean([scores[name][candidate].mean() for name in names]))


def _chosen(names: list[str], scores: Scores, parts: Parts) -> Candidate | None:
    ranked = sorted(scores[names[0]], key=lambda one: -_mean(one, names, scores))
    return next((one for one in ranked if _admissible(one, names, scores, parts)), None)


def _grid(scores: Scores, parts: Parts) -> str:
    names = list(scores)
    rows = [["better part", *(mean_of(parts[name]) for name in names), "", ""]]
    for candidate in scores[names[0]]:
        means = [mean_of(scores[name][candidate]) for name in names]
        admissible = "yes" if _admissible(candidate, names, scores, parts) else "no"
        rows.append([str(candidate), *means, f"{_mean(candidate, names, scores):.4f}", admissible])
    return table(["fusion, dense share, neighbours", *names, "mean", "admissible"], rows)


def _leave_one_out(scores: Scores, parts: Parts, base: Candidate, base_name: str) -> str:
    rows = []
    for left_out in scores:
        chosen = _chosen([name for name in scores if name != left_out], scores, parts)
        if chosen is None:
            rows.append([left_out, "none is admissible", "", "", ""])
            continue
        mine = scores[left_out][chosen]
        against = [
            difference_of(mine, parts[left_out]),
            difference_of(mine, scores[left_out][base]),
        ]
        rows.append([left_out, str(chosen), mean_of(mine), *against])
    rows.append(["none", str(_chosen(list(scores), scores, parts)), "", "", ""])
    return table(
        ["left out", "chosen on the others", MEASURE, "− better part", f"− {base_name}"], rows
    )


if __name__ == "__main__":
    main()
