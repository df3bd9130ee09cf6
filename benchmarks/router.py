"""How often the router names the right intent.

    python benchmarks/router.py query-intents-dev.jsonl

Each line of the file is ``{id, text, intent}``. No resolver is asked: spelling alone decides what
looks like a name, as for a query typed before any corpus is known.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

from podcast_scraper.evaluate.markdown import table
from podcast_scraper.evaluate.statistics import estimate
from podcast_scraper.search.router import INTENTS, classify_query


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("queries", type=Path)
    lines = parser.parse_args().queries.read_text(encoding="utf-8").splitlines()
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


if __name__ == "__main__":
    main()
