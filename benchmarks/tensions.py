"""How often a candidate tension or agreement is right, on the labelled pairs of the sample corpus.

    python benchmarks/tensions.py

Prints precision with its 95 % Wilson interval, recall, and the share of the label among all pairs
(what guessing gives). The first 28 pairs of each label were read while the words that take a side
were chosen; the others are held out.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from scipy.stats import binomtest

from podcast_scraper.search.corpus_graph import CorpusGraph
from podcast_scraper.search.relations.stance import Statement, agreeing, opposed

READ = 28
DATA = Path(__file__).parents[1] / "data"


def main() -> None:
    graph = CorpusGraph.build(DATA / "sample")
    lines = (DATA / "eval" / "tensions.jsonl").read_text(encoding="utf-8").splitlines()
    pairs = [json.loads(line) for line in lines]
    nodes = graph.get_nodes({pair[side] for pair in pairs for side in "ab"})
    seen: Counter[str] = Counter()
    judged = []
    for pair in pairs:
        label = graph.label(pair["topic"])
        sides = [Statement.of(nodes[pair[side]].payload["text"], label) for side in "ab"]
        judged.append((pair["label"], seen[pair["label"]] >= READ, sides[0], sides[1]))
        seen[pair["label"]] += 1
    print(f"{len(pairs)} pairs: " + ", ".join(f"{n} {label}" for label, n in seen.items()))
    for name, label, judge in (
        ("tensions", "opposed", opposed),
        ("agreements", "agreeing", agreeing),
    ):
        for part, chosen in (("all", judged), ("held out", [j for j in judged if j[1]])):
            flagged = [j[0] == label for j in chosen if judge(j[2], j[3])]
            right, base = sum(flagged), sum(j[0] == label for j in chosen)
            line = f"{name:10} {part:8} {len(flagged):3} candidates"
            if flagged:
                interval = binomtest(right, len(flagged)).proportion_ci(method="wilson")
                line += (
                    f", precision {right / len(flagged):.2f} [{interval.low:.2f}, "
                    f"{interval.high:.2f}], recall {right / base:.2f}"
                )
            print(f"{line}, guessing {base / len(chosen):.2f}")


if __name__ == "__main__":
    main()
