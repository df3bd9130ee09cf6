"""What it is worth to rank a name that the index knows by its words, against what else could be.

    python -m benchmarks.known_names data/eval/sample SETS/bitcoin-relational-dev …

Sets are named as in ``benchmarks/measured_sets.py``; of each only the queries count that name
somebody whom its index knows. Every row is the product's layer with parts left out, compared with
words first, query by query. Sets with a ``:FIELD`` show why one episode is left as it is.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.measured_sets import MeasuredSet, difference_of, mean_of

from podcast_scraper.evaluate.markdown import table
from podcast_scraper.search.default_layer import default_layer
from podcast_scraper.search.fusion import words_first
from podcast_scraper.search.known_names import KnownNames

if TYPE_CHECKING:
    import numpy as np

WAYS: dict[str, dict[str, Any]] = {
    "as spelled": {},
    "as spelled, no neighbours": {"neighbours": None},
    "as spelled, no rerank": {"reranker": None},
    "as spelled, neither": {"neighbours": None, "reranker": None},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="+")
    parser.add_argument("--cache-dir", type=Path)
    options = parser.parse_args()
    rows = []
    for argument in options.sets:
        one = MeasuredSet(argument, options.cache_dir)
        names = KnownNames(one.bench.backend)
        one.queries = tuple(query for query in one.queries if names(query.text))
        known = {query.id for query in one.queries}
        one.parents = {key: parent for key, parent in one.parents.items() if parent in known}
        if not known:
            rows.append([one.name, "0", "", "", ""])
            continue
        bases = {query: words_first(lists).results for query, lists in one.lists.items()}
        first = one.values(bases.__getitem__)
        rows.append([one.name, str(len(known)), "words first", mean_of(first), ""])
        ways = {way: _values(one, parts) for way, parts in WAYS.items()}
        rows += [[one.name, "", w, mean_of(v), difference_of(v, first)] for w, v in ways.items()]
    print(table(["set", "names", "ranked", "nDCG@10", "− words first"], rows))


def _values(one: MeasuredSet, parts: dict[str, Any]) -> np.ndarray:
    bench = one.bench
    layer = default_layer(bench.backend, known_name=None, pool_k=bench.pool_k, **parts)
    bases = {
        query.id: layer.run(
            query.text, bench.embed(query)[0], filters=bench.filters_for(query)
        ).base
        for query in one.queries
    }
    return one.values(bases.__getitem__)


if __name__ == "__main__":
    main()
