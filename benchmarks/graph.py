"""The graph against networkx, relational queries, and names, at a size to plan for.

    python benchmarks/graph.py [--insights 70000] [--aliases 100000] [--queries 40]

Builds an index' records with about 15 edges an insight (1 M at the default size) and one hub topic
on 8 % of the insights, compiles and loads the graph, and prints every figure beside its ratio to
networkx in the same run. Relational queries run over the written index, texts included; half of
their subjects are drawn evenly and half by how often they occur. Times are CPU time of one thread,
so that a busy machine does not distort them.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import networkx
import numpy as np
import sqlalchemy as sa

from podcast_scraper.identity.registry import Registry, RegistryEntry
from podcast_scraper.identity.resolver import EntityResolver
from podcast_scraper.search import relational_queries as rq
from podcast_scraper.search.corpus_graph import CorpusGraph
from podcast_scraper.search.graph import walk
from podcast_scraper.search.graph.files import write_graph
from podcast_scraper.storage import schema
from podcast_scraper.storage.driver import open_engine

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

HUB = "topic:hub"
WORDS = ("rent", "water", "kelp", "bridge", "archive", "soil", "engine", "school", "market", "tide")


def write_records(path: Path, insights: int) -> sa.Engine:
    """Write shows, episodes, entities, insights, quotes and edges."""
    rng = random.Random(11)
    engine = open_engine(path / "corpus.sqlite", vectors=False)
    schema.Base.metadata.create_all(engine)
    episodes, people, topics = insights // 5, insights // 10, insights // 20
    with engine.begin() as connection:
        insert(connection, schema.Show, [show_row(n) for n in range(100)])
        insert(connection, schema.Episode, [episode_row(n) for n in range(episodes)])
        occurrences: dict[tuple[str, str], dict[str, Any]] = {}
        edges: list[dict[str, Any]] = []
        statements: dict[Any, list[dict[str, Any]]] = {schema.Insight: [], schema.Quote: []}
        for number in range(insights):
            episode = f"e{number // 5}"
            text = " ".join(rng.choices(WORDS, k=12))
            statements[schema.Insight].append(insight_row(number, episode, text))
            spoken = [skewed(rng, people) for _ in range(2)]
            about = {f"topic:t{skewed(rng, topics)}" for _ in range(2)}
            if rng.random() < 0.08:
                about.add(HUB)
            named = {f"person:p{rng.randrange(people)}", f"person:p{skewed(rng, people)}"}
            links = [("HAS_INSIGHT", f"episode:{episode}", f"insight:i{number}")]
            links += [("ABOUT", f"insight:i{number}", topic) for topic in about]
            links += [("MENTIONS_PERSON", f"insight:i{number}", person) for person in named]
            for side, speaker in enumerate(spoken):
                quote = f"quote:i{number}-{side}"
                statements[schema.Quote].append(quote_row(quote, episode, text))
                links.append(("SUPPORTED_BY", f"insight:i{number}", quote))
                links.append(("SPOKEN_BY", quote, f"person:p{speaker}"))
            for entity in {*about, *named, *(f"person:p{s}" for s in spoken)}:
                if (episode, entity) not in occurrences:
                    occurrences[episode, entity] = occurrence_row(episode, entity)
                    links.append(("MENTIONS", f"episode:{episode}", entity))
            edges += [edge_row(episode, *link) for link in links]
        edges += [
            edge_row(f"e{n}", "HAS_EPISODE", f"podcast:s{n % 100}", f"episode:e{n}")
            for n in range(episodes)
        ]
        for table, rows in statements.items():
            insert(connection, table, rows)
        insert(connection, schema.EntityOccurrence, list(occurrences.values()))
        insert(connection, schema.GraphEdge, edges)
    return engine


def insert(connection: sa.Connection, table: Any, rows: Sequence[dict[str, Any]]) -> None:
    for start in range(0, len(rows), 50_000):
        connection.execute(sa.insert(table), rows[start : start + 50_000])


def skewed(rng: random.Random, size: int) -> int:
    return int(size * rng.random() ** 3)


def show_row(number: int) -> dict[str, Any]:
    return {"id": f"podcast:s{number}", "title": f"Show {number}", "other_ids": []}


def episode_row(number: int) -> dict[str, Any]:
    day = np.datetime64("2015-01-01") + number % 3650
    return {
        "id": f"e{number}",
        "show_id": f"podcast:s{number % 100}",
        "title": f"Episode {number}",
        "published": f"{day}T00:00:00+00:00",
        "media": f"https://example.org/{number}.mp3",
        "summary_bullets": [],
        "stem_path": f"e{number}",
        "fingerprint": "",
        "times_may_drift": False,
        "transcript": "",
    }


def insight_row(number: int, episode: str, text: str) -> dict[str, Any]:
    properties = {"text": text, "grounded": True, "insight_type": "claim", "position_hint": 0.5}
    return {
        "id": f"insight:i{number}",
        "base_id": f"insight:i{number}",
        "episode_id": episode,
        "text": text,
        "insight_type": "claim",
        "grounded": True,
        "properties": properties,
    }


def quote_row(quote: str, episode: str, text: str) -> dict[str, Any]:
    return {
        "id": quote,
        "base_id": quote,
        "episode_id": episode,
        "text": text,
        "located": "offsets",
        "properties": {"text": text, "start_ms": 1000, "end_ms": 9000},
    }


def occurrence_row(episode: str, entity: str) -> dict[str, Any]:
    kind, _, name = entity.partition(":")
    key = "label" if kind == "topic" else "name"
    return {
        "episode_id": episode,
        "entity_id": entity,
        "type": kind,
        "name": name,
        "layers": "kg",
        "properties": {key: name},
    }


def edge_row(episode: str, kind: str, source: str, target: str) -> dict[str, Any]:
    return {
        "episode_id": episode,
        "type": kind,
        "source": source,
        "target": target,
        "layer": "gi",
        "properties": {},
    }


def timed(work: Callable[[], Any], repeat: int = 5) -> float:
    """Return the median time of a call in milliseconds."""
    times = []
    for _ in range(repeat):
        started = time.thread_time()
        work()
        times.append((time.thread_time() - started) * 1000)
    return median(times)


def compare(name: str, ours: float, theirs: float) -> None:
    print(f"{name:34} {ours:10.2f} ms   networkx {theirs:10.2f} ms   {theirs / ours:8.1f}x")


def walks(graph: CorpusGraph, path: Path, engine: sa.Engine) -> None:
    """Compare loading and walking with networkx over the same edges."""
    started = time.thread_time()
    CorpusGraph.open(path, engine)
    ours = (time.thread_time() - started) * 1000
    edges = [(edge.source, edge.target, edge.type) for edge in graph.edges()]
    started = time.thread_time()
    oracle: networkx.MultiGraph[str] = networkx.MultiGraph()
    oracle.add_edges_from(edges)
    print(f"{len(graph)} nodes, {len(edges)} edges")
    compare("load", ours, (time.thread_time() - started) * 1000)
    rng = random.Random(3)
    insights = rng.sample(graph.nodes_by_type("insight"), 5)
    for label, starts in (("insight", insights), ("hub", [HUB])):
        for hops in (2, 3):
            numbers = [graph.number(start) or 0 for start in starts]
            theirs = timed(
                lambda s=starts, h=hops: [
                    networkx.single_source_shortest_path_length(oracle, start, cutoff=h)
                    for start in s
                ],
                repeat=1,
            )
            reach = timed(
                lambda n=numbers, h=hops: [walk.hops_from(graph.adjacency, start, h) for start in n]
            )
            named = timed(lambda s=starts, h=hops: [graph.bfs(start, h) for start in s])
            compare(f"{hops}-hop from {label}, numbers", reach / len(starts), theirs / len(starts))
            compare(f"{hops}-hop from {label}, ids", named / len(starts), theirs / len(starts))


def relational(graph: CorpusGraph, queries: int) -> None:
    """Print p50 and p99 of every query; the hub topic is among the subjects."""
    rng = random.Random(5)
    degrees = np.diff(graph.adjacency.indptr)

    def draw(kind: str, count: int) -> list[str]:
        numbers = graph.numbers_by_type(kind)
        weights = degrees[numbers] / degrees[numbers].sum()
        often = np.random.default_rng(5).choice(numbers, count // 2, p=weights)
        evenly = rng.choices(numbers.tolist(), k=count - count // 2)
        return [graph.ids[int(n)] for n in (*often, *evenly)]

    for query in rq.QUERIES.values():
        kind = query.subject.partition(",")[0].partition(" ")[0]
        subjects = draw(kind, queries) + ([HUB] if kind == "topic" else [])
        others = draw(query.other, len(subjects)) if query.other else [None] * len(subjects)
        rq.run(graph, query.name, subjects[0], other=others[0])
        times = []
        for subject, other in zip(subjects, others, strict=True):
            started = time.thread_time()
            rq.run(graph, query.name, subject, other=other)
            times.append((time.thread_time() - started) * 1000)
        p50, p99 = np.percentile(times, [50, 99])
        print(f"{query.name:34} p50 {p50:8.2f} ms   p99 {p99:8.2f} ms")


def names(aliases: int, queries: int) -> None:
    """Time resolving and mentions over made-up people."""
    rng = random.Random(13)

    def word() -> str:
        return "".join(rng.choice("bcdfgklmnprstv") + rng.choice("aeiou") for _ in range(3))

    people = [f"{word()} {word()}n".title() for _ in range(aliases)]
    registry = Registry(
        RegistryEntry(f"person:{number}", "person", name) for number, name in enumerate(people)
    )
    started = time.thread_time()
    resolver = EntityResolver(registry)
    resolver.resolve("Nobody Known")
    resolver.mentions("nobody")
    print(f"{aliases} aliases, made ready in {time.thread_time() - started:.1f} s")
    chosen = rng.sample(people, queries)
    garbled = [name[:-3] + name[-2:] for name in chosen]
    spoken = [f"what did {name} say about the bridge and the harbour" for name in chosen]
    for label, work, texts in (
        ("resolve, exact", resolver.resolve, chosen),
        ("resolve, garbled", resolver.resolve, garbled),
        ("mentions in a query", resolver.mentions, spoken),
    ):
        times = [timed(lambda t=text, w=work: w(t), repeat=1) for text in texts]
        p50, p99 = np.percentile(times, [50, 99])
        print(f"{label:34} p50 {p50:8.3f} ms   p99 {p99:8.3f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--insights", type=int, default=70_000)
    parser.add_argument("--aliases", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=40)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        engine = write_records(path, arguments.insights)
        started = time.thread_time()
        write_graph(path, engine)
        print(f"compiled with centrality and communities in {time.thread_time() - started:.1f} s")
        graph = CorpusGraph.open(path, engine, derive_speaker_links=True)
        walks(CorpusGraph.open(path, engine), path, engine)
        relational(graph, arguments.queries)
        engine.dispose()
    names(arguments.aliases, arguments.queries * 5)


if __name__ == "__main__":
    main()
