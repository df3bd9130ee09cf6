"""What graph rescue adds to a query: gate closed, gate open, packing.

    python benchmarks/rescue.py [--documents 100000] [--edges 1000000] [--queries 200]

A made-up graph with popular and rare entities, one insight a document. Of a corpus' edges four in
ten bear meaning and are walked (data/sample: 925 of 2 266); the others hold quotes, episodes and
shows, and no lane looks at them. ``--walked`` sets their share. Figures are milliseconds of
CPU time of one thread; the last column is the ratio to a baseline of the same run: for the gate the
traversal lane's walk over a networkx graph, for the packer one that makes sets of words anew for
every pair.
"""

from __future__ import annotations

import argparse
import math
import random
import time
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from podcast_scraper.search.backend import Filters, ScoredResult
from podcast_scraper.search.rescue.config import RescueConfig
from podcast_scraper.search.rescue.decoration import KgColumnDecorator
from podcast_scraper.search.rescue.hyperedges import Statement, hyperedges_of
from podcast_scraper.search.rescue.hypergraph import Hypergraph
from podcast_scraper.search.rescue.kg_columns import KgColumns
from podcast_scraper.search.rescue.lane_run import Lanes
from podcast_scraper.search.rescue.packer import Packer
from podcast_scraper.search.rescue.records import Candidate
from podcast_scraper.search.rescue.seeds import AliasQuerySeeder
from podcast_scraper.search.rescue.stage import RescueStage
from podcast_scraper.search.rescue.tail import GraphTail, IndexedTraversal
from podcast_scraper.search.rescue.traversal import Traversal
from podcast_scraper.search.rescue.words import vocabulary_of, words
from podcast_scraper.search.tail import TailQuery

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

BASE = 200
KINDS = ("STATES", "ABOUT", "MENTIONS_PERSON", "MENTIONS_ORG")


class Corpus:
    """Insights that draw their entities by a Zipf-like popularity."""

    def __init__(self, documents: int, edges: int, walked: float, seed: int) -> None:
        numbers = np.random.default_rng(seed)
        a_document = max(1, round(walked * edges / documents))
        entities = max(10, documents // 10)
        drawn = (entities * numbers.random((documents, a_document)) ** 3).astype(int)
        self.nodes_of: dict[str, list[str]] = {}
        self.edges: list[tuple[str, str, str, float]] = []
        for number, row in enumerate(drawn.tolist()):
            insight = f"insight:{number:07}"
            named = [f"{KINDS[k % 4].lower()}:{entity}" for k, entity in enumerate(row)]
            self.nodes_of[f"d{number:07}"] = [insight, *dict.fromkeys(named)]
            self.edges += [(insight, KINDS[k % 4], name, 1.0) for k, name in enumerate(named)]
        self.names = sorted({edge[2] for edge in self.edges})

    def columns(self) -> dict[str, dict[str, Any]]:
        return {
            doc: KgColumns(
                tuple(nodes),
                tuple(nodes[1:3]),
                tuple(len(node) for node in nodes),
                tuple(1.0 / (1 + len(node)) for node in nodes),
            ).as_metadata()
            for doc, nodes in self.nodes_of.items()
        }


def milliseconds(run: Callable[[], object]) -> float:
    started = time.thread_time()
    run()
    return (time.thread_time() - started) * 1000


def report(name: str, times: Sequence[float], baseline: float | None = None) -> None:
    p50, p95 = np.percentile(times, (50, 95))
    ratio = f"{p50 / baseline:10.4f}" if baseline else " " * 10
    print(f"{name:44} {p50:10.3f} {p95:10.3f} {ratio}")


def tail_over(corpus: Corpus) -> GraphTail:
    texts = {
        doc: Candidate(doc, None, " ".join(nodes), {}) for doc, nodes in corpus.nodes_of.items()
    }

    def resolve(doc_ids: Sequence[str]) -> dict[str, Candidate]:
        return {doc: texts[doc] for doc in doc_ids}

    statements = (
        Statement(nodes[0], f"e{number // 5}", tuple(nodes[1:]), (doc,))
        for number, (doc, nodes) in enumerate(corpus.nodes_of.items())
    )
    lanes = Lanes(
        IndexedTraversal(Traversal.over(corpus.edges, corpus.nodes_of), resolve),
        Hypergraph.over(hyperedges_of(statements)),
        resolve,
    )
    stage = RescueStage(RescueConfig(), lanes, decorate=KgColumnDecorator(corpus.columns()))
    seeder = AliasQuerySeeder({name.replace(":", " "): [name] for name in corpus.names})
    return GraphTail(stage, seeder, lambda filters, tier: None)


def queries(corpus: Corpus, count: int, seed: int, mode: str | None) -> list[TailQuery]:
    chance = random.Random(seed)
    documents = list(corpus.nodes_of)
    found = []
    for _ in range(count):
        named = [node.replace(":", " ") for node in chance.sample(corpus.names, 2)]
        base = [
            ScoredResult(
                doc, 61 / (60 + rank), rank, {"text": doc, "tier": "insight"}, "rrf", "insight"
            )
            for rank, doc in enumerate(chance.sample(documents, BASE), start=1)
        ]
        text = f"what links {named[0]} and {named[1]}" if mode == "force" else "the daily show"
        found.append(TailQuery(text, None, base, 0.6, 0.9, Filters(), mode))
    return found


def walk_networkx(graph: nx.Graph, corpus: Corpus, seeds: dict[str, float]) -> None:
    """The traversal lane node by node, without caps."""
    best = dict(seeds)
    frontier = dict(seeds)
    for _ in range(2):
        reached: dict[str, float] = {}
        for node, value in frontier.items():
            given = value * 0.5 / math.log2(2 + graph.degree(node))
            for other in graph[node]:
                if given > best.get(other, 0.0):
                    reached[other] = max(reached.get(other, 0.0), given)
        best.update(reached)
        frontier = reached
    scores = {
        doc: sum(best.get(node, 0.0) for node in nodes) for doc, nodes in corpus.nodes_of.items()
    }
    sorted(scores.items(), key=lambda pair: -pair[1])[:50]


def walk_times(corpus: Corpus, seed: int) -> list[float]:
    graph = nx.Graph()
    graph.add_edges_from((source, target) for source, _, target, _ in corpus.edges)
    chance = random.Random(seed)
    pairs = [dict.fromkeys(chance.sample(corpus.names, 2), 1.0) for _ in range(5)]
    return [milliseconds(lambda s=seeds: walk_networkx(graph, corpus, s)) for seeds in pairs]


def pack_pairwise(pool: Sequence[Candidate], budget: int) -> None:
    """The packer with a set comparison for every pair, anew at every step."""
    chosen: list[Candidate] = []
    left = list(pool)
    while left:

        def worth(one: Candidate) -> float:
            own = set(words(one.text))
            alike = sum(
                len(own & other) / len(own | other)
                for other in (set(words(two.text)) for two in chosen[-1:])
            )
            return ((one.score or 0.0) - 0.5 * alike) / len(words(one.text))

        pick = max(left, key=worth)
        left.remove(pick)
        size = len(words(pick.text))
        if size > budget:
            break
        budget -= size
        chosen.append(pick)


def passages(count: int, seed: int, *, precomputed: bool) -> list[Candidate]:
    chance = random.Random(seed)
    vocabulary = [f"word{number}" for number in range(4000)]
    pool = [
        Candidate(
            f"d{number:03}",
            61 / (61 + number),
            " ".join(vocabulary[int(4000 * chance.random() ** 3)] for _ in range(250)),
        )
        for number in range(count)
    ]
    decorate = KgColumnDecorator({}, redundancy_key="redundancy" if precomputed else None)
    return list(decorate(pool))


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--documents", type=int, default=100_000)
    arguments.add_argument("--edges", type=int, default=1_000_000)
    arguments.add_argument("--walked", type=float, default=0.41)
    arguments.add_argument("--queries", type=int, default=200)
    arguments.add_argument("--seed", type=int, default=7)
    options = arguments.parse_args()
    corpus = Corpus(options.documents, options.edges, options.walked, options.seed)
    started = time.perf_counter()
    tail = tail_over(corpus)
    print(
        f"{len(corpus.nodes_of)} documents, {options.edges} edges of which"
        f" {len(corpus.edges)} are walked,"
        f" opened in {time.perf_counter() - started:.1f} s; milliseconds\n"
    )
    print(f"{'':44} {'p50':>10} {'p95':>10} {'ratio':>10}")
    walked = walk_times(corpus, options.seed)
    baseline = float(np.median(walked))
    report("traversal over networkx (baseline)", walked, baseline)
    for mode, name in ((None, "gate closed, all it adds"), ("force", "gate open, all it adds")):
        asked = queries(corpus, options.queries, options.seed, mode)
        tail.extend(asked[0])
        report(name, [milliseconds(lambda q=query: tail.extend(q)) for query in asked], baseline)

    pool = passages(150, 1, precomputed=False)
    pairwise = [milliseconds(lambda: pack_pairwise(pool, 10_000))]
    print()
    report("packing 150 of 250 words, set by set (baseline)", pairwise, pairwise[0])
    for precomputed in (True, False):
        pools = [passages(150, seed, precomputed=precomputed) for seed in range(10)]
        cold, warm = [], []
        for pool in pools:
            vocabulary_of.cache_clear()
            cold.append(milliseconds(lambda p=pool: Packer().pack(p, 10_000)))
            warm.append(milliseconds(lambda p=pool: Packer().pack(p, 10_000)))
        kind = "precomputed redundancy" if precomputed else "words compared"
        report(f"packed, {kind}, texts unseen", cold, pairwise[0])
        report(f"packed, {kind}, texts seen before", warm, pairwise[0])


if __name__ == "__main__":
    main()
