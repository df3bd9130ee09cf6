"""Precision of what an import extracts, on judged samples, with 95 % Wilson intervals.

    python benchmarks/import_quality.py CORPUS [--labels data/eval/import/labels.jsonl]

``CORPUS`` is the import of the episodes that the labels name. Labels are ids and judgements; one
whose id the corpus does not hold is counted as missing and left out.
"""

from __future__ import annotations

import argparse
import json
import math
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

TARGETS = {"insight": 0.80, "spoken_by": 0.98, "about": 0.80, "entity type": 0.90}


def wilson(good: int, total: int, z: float = 1.96) -> tuple[float, float]:
    """Return the Wilson score interval of a share (E. B. Wilson, 1927)."""
    if not total:
        return 0.0, 1.0
    share = good / total
    middle = (share + z * z / (2 * total)) / (1 + z * z / total)
    half = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total**2)) / (1 + z * z / total)
    return middle - half, middle + half


def judgements(
    label: dict[str, Any], held: set[tuple[str, str, str]]
) -> Iterator[tuple[str, bool]]:
    """Yield (measure, judgement) of a label for the edges and nodes that the corpus holds."""
    if label["kind"] == "entity":
        yield "entity type", label["good"]
        return
    yield "insight", label["good"]
    if label["held_out"]:
        yield "insight, held-out episodes", label["good"]
    for measure, kind in (("spoken_by", "SPOKEN_BY"), ("about", "ABOUT")):
        for target, good in label[measure].items():
            if (label["id"], kind, target) in held:
                yield measure, good


def corpus_facts(corpus: Path) -> tuple[set[tuple[str, str]], set[tuple[str, str, str]]]:
    """Return the (episode, node) pairs, and (insight, edge type, target) of the corpus."""
    nodes: set[tuple[str, str]] = set()
    edges: set[tuple[str, str, str]] = set()
    for file in corpus.rglob("*.[gk][ig].json"):
        document = json.loads(file.read_text("utf-8"))
        episode = document["episode_id"].removeprefix("episode:")
        nodes.update((episode, node["id"]) for node in document["nodes"])
        quoted = {e["to"]: e["from"] for e in document["edges"] if e["type"] == "SUPPORTED_BY"}
        for edge in document["edges"]:
            edges.add((quoted.get(edge["from"], edge["from"]), edge["type"], edge["to"]))
    return nodes, edges


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--labels", type=Path, default=Path("data/eval/import/labels.jsonl"))
    options = parser.parse_args()
    nodes, edges = corpus_facts(options.corpus)
    tally: dict[str, list[bool]] = defaultdict(list)
    missing = 0
    for line in options.labels.read_text("utf-8").splitlines():
        label = json.loads(line)
        if (label["episode"], label["id"]) not in nodes:
            missing += 1
            continue
        for measure, good in judgements(label, edges):
            tally[measure].append(good)
    print(f"{'measure':28}{'n':>6}{'precision':>11}{'95 % interval':>18}{'target':>8}")
    for measure, goods in tally.items():
        low, high = wilson(sum(goods), len(goods))
        target = TARGETS.get(measure)
        print(
            f"{measure:28}{len(goods):6}{sum(goods) / len(goods):11.3f}"
            f"{f'[{low:.3f}, {high:.3f}]':>18}{'' if target is None else f'{target:8.2f}'}"
        )
    print(f"{missing} labels are not in the corpus.")


if __name__ == "__main__":
    main()
