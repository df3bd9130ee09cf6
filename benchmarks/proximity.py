"""RFC-091's experiment: KG proximity as a third list of RRF and as a rerank, on many corpora.

    python -m benchmarks.proximity data/eval/sample SETS/bitcoin-relational-dev CORPUS …

A directory with ``qrels.tsv`` is a judged set; its queries that name one entity are asked. Any
other directory is an artifact corpus without judgements and gets *silver* ones from its own graph:
every person, organisation or topic on whose MENTIONS or ABOUT edges 2 to 50 insights lie becomes a
query, its name the words, those insights the relevant documents. Silver judgements come from the
very edges that proximity walks, so they favour it.

Per corpus, kind of query and system: nDCG@10, distinct shows in the first ten, and the share of the
baseline's first ten that stays there.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from benchmarks.measured_sets import difference_of, mean_of

from podcast_scraper.evaluate.corpus_workbench import open_corpus_workbench
from podcast_scraper.evaluate.experiment import Plan, Result, run_experiment
from podcast_scraper.evaluate.markdown import table
from podcast_scraper.evaluate.set_workbench import open_set_workbench
from podcast_scraper.evaluate.sets import QuerySet, SetItem, load_set
from podcast_scraper.evaluate.systems import load_systems
from podcast_scraper.search.corpus_graph import CorpusGraph

if TYPE_CHECKING:
    from podcast_scraper.evaluate.workbench import Workbench

BASELINE = "hybrid:rrf"
SYSTEMS = (BASELINE, "hybrid+kg-union", "hybrid+kg-rerank")
MEASURES = ("nDCG@10", "shows@10")
SILVER_KINDS = ("person", "org", "topic")
SILVER_SIZES = range(2, 51)


def silver_set(corpus: Path) -> QuerySet:
    """The queries and judgements that a corpus' own graph gives."""
    graph = CorpusGraph.build(corpus)
    qrels: dict[str, dict[str, int]] = {}
    queries = []
    for kind in SILVER_KINDS:
        for node in graph.nodes_by_type(kind):
            near = [n for edge in ("MENTIONS", "ABOUT") for n in graph.typed_neighbors(node, edge)]
            insights = {n for n in near if graph.node_type(n) == "insight"}
            if len(insights) in SILVER_SIZES:
                queries.append(SetItem(node, graph.label(node), {"kind": kind}))
                qrels[node] = dict.fromkeys(sorted(insights), 1)
    return QuerySet(f"{corpus.name} (silver)", corpus, (), tuple(queries), qrels, corpus)


def open_bench(path: Path, cache_dir: Path | None) -> Workbench:
    """The set or corpus at ``path``, made searchable."""
    query_set = load_set(path) if (path / "qrels.tsv").is_file() else silver_set(path)
    if query_set.corpus is not None:
        return open_corpus_workbench(query_set, cache_dir=cache_dir, entity_queries=True)
    return open_set_workbench(query_set, cache_dir=cache_dir)


def rows_of(bench: Workbench, result: Result) -> list[list[str]]:
    """One row a kind of query and system."""
    kinds = {one.id: str(one.meta.get("kind") or "named") for one in bench.query_set.queries}
    fired = result.rankings["hybrid+kg-union"]
    asked = [query for query in result.queries if (gate := fired[query].gate) and gate.fired]
    rows = []
    for kind in sorted({kinds[query] for query in asked}):
        queries = [query for query in asked if kinds[query] == kind]
        base = result.rankings[BASELINE]
        for system in SYSTEMS:
            row = [result.set_name, kind, str(len(queries)), system]
            for name in MEASURES:
                values, other = (
                    np.array([result.per_query[one][query][name] for query in queries])
                    for one in (system, BASELINE)
                )
                row += [mean_of(values), "" if system == BASELINE else difference_of(values, other)]
            ranked = result.rankings[system]
            kept = [_overlap(base[query].doc_ids, ranked[query].doc_ids) for query in queries]
            rows.append([*row, mean_of(np.array(kept))])
    return rows


def _overlap(first: tuple[str, ...], second: tuple[str, ...]) -> float:
    return len(set(first[:10]) & set(second[:10])) / max(1, len(first[:10]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("places", nargs="+", type=Path)
    parser.add_argument("--cache-dir", type=Path)
    options = parser.parse_args()
    load_systems()
    plan = Plan(systems=SYSTEMS, baseline=BASELINE, measures=MEASURES)
    rows = []
    for place in options.places:
        bench = open_bench(place, options.cache_dir)
        result = run_experiment(plan, bench)
        rows += rows_of(bench, result)
        bench.close()
    head = ["corpus", "queries that name", "number", "system", "nDCG@10", "− RRF", "shows@10"]
    print(table([*head, "− RRF", "of RRF's first ten kept"], rows))


if __name__ == "__main__":
    main()
