"""What the weight of exact word forms beside stems does to BM25, on judged sets.

    PYTHONPATH=src python benchmarks/exact_weight.py SET_DIRECTORY... [--limit 400]

Prints nDCG@10 a weight and its ratio to stems alone (weight 0).
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from podcast_scraper.evaluate.measures import MeasureInput, measure
from podcast_scraper.evaluate.sets import load_set
from podcast_scraper.search.backend import Filters
from podcast_scraper.search.backends import lexical_queries
from podcast_scraper.search.backends.lexical import LexicalIndex
from podcast_scraper.search.documents import Document

if TYPE_CHECKING:
    from podcast_scraper.evaluate.sets import QuerySet

WEIGHTS = (0.0, 0.1, 0.25, 0.5, 1.0)


def ndcg(index: LexicalIndex, ids: list[str], queries: QuerySet) -> float:
    rankings = {
        query.id: [ids[key] for key, _ in index.search(query.text, Filters(), "all", 10)][:10]
        for query in queries.queries
    }
    kept = {query.id: queries.qrels.get(query.id, {}) for query in queries.queries}
    values = measure(["nDCG@10"], MeasureInput(rankings, kept, {}))["nDCG@10"]
    return sum(values.values()) / len(values)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", type=Path, nargs="+")
    parser.add_argument("--limit", type=int, default=400, help="queries of each set")
    options = parser.parse_args()
    print(f"{'nDCG@10 by weight':24}" + "".join(f"{weight:>16}" for weight in WEIGHTS))
    for path in options.sets:
        queries = load_set(path, limit=options.limit)
        ids = [item.id for item in queries.documents]
        with tempfile.TemporaryDirectory() as directory:
            index = LexicalIndex.create(Path(directory) / "lexical")
            index.add(
                (key, Document(item.id, "segment", item.text, "e", "s"))
                for key, item in enumerate(queries.documents)
            )
            index.commit()
            found = []
            for weight in WEIGHTS:
                lexical_queries.EXACT_WEIGHT = weight  # type: ignore[misc]
                found.append(ndcg(index, ids, queries))
        print(f"{queries.name:24}" + "".join(f"{v:9.4f} {v / found[0]:5.3f}x" for v in found))


if __name__ == "__main__":
    main()
