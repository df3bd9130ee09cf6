"""How well names resolve: precision and recall by kind of error, and names that must not resolve.

    python benchmarks/names.py [--shared DIR]

The labelled surface forms name a person as ``show:First name`` with the full name beside it; a
person without a full name is not in the corpus, and the right answer is None. They are asked with
and without the show in which they were said. The second table takes real speaker names: each is
asked of a registry of all the others, where every answer is wrong, and of one that holds it, with
one letter dropped, doubled or exchanged.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import defaultdict
from pathlib import Path

from scipy.stats import binomtest

from podcast_scraper.identity.registry import Registry, RegistryEntry
from podcast_scraper.identity.resolver import EntityResolver
from podcast_scraper.identity.slugify import slugify

ROOT = Path(__file__).parents[1]
_SPEAKER = re.compile(r"^\*\*([^*:]{3,40}):\*\*", re.MULTILINE)


class Tally:
    """Counts of right, wrong and missing answers; a right None counts as neither."""

    def __init__(self) -> None:
        self.right = self.wrong = self.missed = self.silent = 0

    def add(self, wanted: str | None, found: str | None) -> None:
        if wanted == found:
            self.right += wanted is not None
            self.silent += wanted is None
        else:
            self.wrong += found is not None
            self.missed += wanted is not None and found is None

    def line(self, name: str) -> str:
        answered, meant = self.right + self.wrong, self.right + self.wrong + self.missed
        precision = "   –"
        if answered:
            low = binomtest(self.right, answered).proportion_ci(method="wilson").low
            precision = f"{self.right / answered:.3f} (at least {low:.2f})"
        recall = f"{self.right / meant:.3f}" if meant else "   –"
        return f"{name:34} n {meant + self.silent:5}   precision {precision:24} recall {recall}"


def labelled(shared: Path) -> None:
    resolver = EntityResolver.from_corpus(shared / "corpora" / "nine-shows-v3")
    lines = (shared / "identity" / "person-aliases-dev.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in lines.splitlines()]
    for said, place in (("without a show", False), ("with its show", True)):
        print(said)
        tallies: dict[str, Tally] = defaultdict(Tally)
        for row in rows:
            name = row["canonical_name"]
            wanted = f"person:{slugify(name)}" if name else None
            show = f"podcast:{row['canonical_id'].partition(':')[0]}" if place else None
            found = resolver.resolve(row["surface"], show_id=show)
            for kind in (row["kind"], "all"):
                tallies[kind].add(wanted, found)
        for kind in sorted(tallies):
            print("  " + tallies[kind].line(kind))


def speakers(shared: Path) -> list[str]:
    found: set[str] = set()
    for path in (shared / "podcasts" / "changelog").rglob("*.md"):
        found.update(_SPEAKER.findall(path.read_text(encoding="utf-8", errors="replace")))
    return sorted(name.strip() for name in found if len(name.split()) >= 2)


def registry(names: list[str]) -> Registry:
    return Registry(
        RegistryEntry(f"person:{slugify(name)}", "person", name) for name in dict.fromkeys(names)
    )


def garble(name: str, rng: random.Random) -> str:
    places = [i for i in range(1, len(name) - 1) if name[i].isalpha() and name[i - 1].isalpha()]
    at = rng.choice(places)
    return rng.choice(
        [
            name[:at] + name[at + 1 :],
            name[:at] + name[at] + name[at:],
            name[:at] + rng.choice("aeioulnrst") + name[at + 1 :],
        ]
    )


def left_out(shared: Path) -> None:
    names = speakers(shared)
    whole, rng = EntityResolver(registry(names)), random.Random(17)
    absent, garbled = Tally(), Tally()
    by_slug = {slugify(name): name for name in names}
    for slug, name in by_slug.items():
        others = [other for key, other in by_slug.items() if key != slug]
        found = EntityResolver(registry(others)).resolve(name)
        absent.add(None, found)
        if found:
            print(f"  taken for another: {name} → {found}")
        garbled.add(f"person:{slug}", whole.resolve(garble(name, rng)))
    print(f"{len(by_slug)} real speakers")
    print(f"  absent ones answered             {absent.wrong} of {len(by_slug)}")
    print("  " + garbled.line("one letter wrong"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, default=ROOT.parent / "shared" / "data")
    shared = parser.parse_args().shared
    labelled(shared)
    left_out(shared)


if __name__ == "__main__":
    main()
