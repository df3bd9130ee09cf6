"""How often the router names the right intent, and what weights by intent are worth.

    python -m benchmarks.router query-intents-dev.jsonl [SETS/vaswani …] [--cache-dir DIR]

Each line of the file is ``{id, text, intent}``. No resolver is asked: spelling alone decides what
looks like a name, as for a query typed before any corpus is known.

Sets are named as in ``benchmarks/measured_sets.py``. Their queries are cut by the intent that the
router names. Two gains in nDCG@10 are printed for each intent and set: of the router's own weights
against those of a query without an intent; and of the dense share that is best for that intent on
the other sets (chosen without looking at this one) against equal shares.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

import numpy as np
from benchmarks.measured_sets import Candidate, MeasuredSet, difference_of, mean_of

from podcast_scraper.evaluate.markdown import table
from podcast_scraper.evaluate.statistics import estimate
from podcast_scraper.search.fusion import DEFAULT_FUSION, SIGNAL_WEIGHTS, TIER_WEIGHTS
from podcast_scraper.search.neighbours import OVER_CORPUS, WITHIN_EPISODE
from podcast_scraper.search.router import (
    INTENTS,
    Intent,
    classify_query,
    signal_weights_for,
    tier_weights_for,
)

SHARES = (0.0, 0.005, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
EQUAL = 0.5


class RoutedSet:
    """A set's values under each dense share, under the router's weights, and without a router."""

    def __init__(self, measured: MeasuredSet) -> None:
        self.name = measured.name
        neighbours = WITHIN_EPISODE if measured.scope == "episode" else OVER_CORPUS
        intents = {query.id: classify_query(query.text) for query in measured.queries}
        self.intents = np.array([intents[parent] for parent in measured.parents.values()])
        routed = {
            intent: Candidate(
                DEFAULT_FUSION, _dense_share(intent), neighbours, tier_weights_for(intent)
            )
            for intent in INTENTS
        }
        self.routed = measured.values(
            lambda query: routed[intents[query]].fuse(measured.lists[query])
        )
        self.by_share = {
            share: measured.of(Candidate(DEFAULT_FUSION, share, neighbours, TIER_WEIGHTS))
            for share in SHARES
        }

    def of(self, intent: Intent, values: np.ndarray) -> np.ndarray:
        return values[self.intents == intent]


def _dense_share(intent: Intent) -> float:
    weights = {**SIGNAL_WEIGHTS, **signal_weights_for(intent)}
    return weights["vector"] / (weights["vector"] + weights["bm25"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("queries", type=Path)
    parser.add_argument("sets", nargs="*")
    parser.add_argument("--cache-dir", type=Path)
    options = parser.parse_args()
    _accuracy(options.queries)
    sets = [RoutedSet(MeasuredSet(argument, options.cache_dir)) for argument in options.sets]
    if sets:
        print(f"\n{_gains(sets)}\n\n{_shares(sets)}")


def _accuracy(file: Path) -> None:
    lines = file.read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines if line.strip()]
    pairs = [(row["intent"], classify_query(row["text"])) for row in rows]
    right = estimate([float(truth == found) for truth, found in pairs])
    print(f"{len(rows)} queries, accuracy {right.mean:.2f} [{right.low:.2f}, {right.high:.2f}]\n")
    counts = Counter(pairs)
    names = [intent for intent in INTENTS if any(truth == intent for truth, _ in pairs)]
    body = [[truth, *(str(counts[truth, found]) for found in INTENTS)] for truth in names]
    print(table(["true intent \\ named", *INTENTS], body))
    for row, (truth, found) in zip(rows, pairs, strict=True):
        if truth != found:
            print(f"- {row['text']!r}: {truth}, named {found}")


def _gains(sets: list[RoutedSet]) -> str:
    rows = []
    for intent in INTENTS:
        for one in sets:
            plain = one.of(intent, one.by_share[EQUAL])
            if not plain.size:
                continue
            routed = one.of(intent, one.routed)
            share = _best_share(intent, [other for other in sets if other is not one])
            learnt = one.of(intent, one.by_share[share])
            rows.append(
                [
                    intent,
                    one.name,
                    str(plain.size),
                    mean_of(plain),
                    difference_of(routed, plain),
                    f"{share:g}",
                    difference_of(learnt, plain),
                ]
            )
    head = ["intent named", "set", "queries", "without", "gain of the router"]
    return table([*head, "dense share best elsewhere", "its gain"], rows)


def _best_share(intent: Intent, sets: list[RoutedSet]) -> float:
    """The share with the best mean over sets that have such queries; equal where none has."""
    asked = [one for one in sets if (one.intents == intent).any()]
    means = {
        share: np.mean([one.of(intent, one.by_share[share]).mean() for one in asked])
        for share in SHARES
        if asked
    }
    return max(means, key=lambda share: (means[share], -abs(share - EQUAL)), default=EQUAL)


def _shares(sets: list[RoutedSet]) -> str:
    rows = []
    for intent in INTENTS:
        for one in sets:
            count = int((one.intents == intent).sum())
            if count:
                means = [f"{one.of(intent, one.by_share[s]).mean():.3f}" for s in SHARES]
                rows.append([intent, one.name, str(count), *means])
    shares = [f"dense {share:g}" for share in SHARES]
    return "Mean nDCG@10 by dense share:\n\n" + table(["intent", "set", "queries", *shares], rows)


if __name__ == "__main__":
    main()
