"""Write ``data/sample_bad``: a corpus of good and deliberately bad files, for tests.

``python -m data.sample_source.bad_files``. Each case is one small episode in which one thing is
wrong. ``README.md`` and ``expected.json`` there are written from the same table.
"""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path

from data.sample_source.bad_cases import CASES, Case
from data.sample_source.bad_parts import TEXT, episode, text
from data.sample_source.build import DATA

README = """# Deliberately bad files

A corpus for tests of reading, all of it made up. Each episode is good but for one thing; what a
reader has to do with it stands in the table and, for machines, in `expected.json`. Written by
`python -m data.sample_source.bad_files`.

Outcomes, each the strongest that the report holds for the episode: **quarantined** the whole file
is left out and the rest of its episode kept · **dropped** one item is left out · **repaired** a
value is mended and nothing is lost · **warned** read as it is, with a remark · **read** nothing to
report. *Kept* is whether the episode is in the index.

| file | what is wrong | outcome | kept |
|---|---|---|---|
"""


def main() -> None:
    """Write the folder anew, into ``data/sample_bad`` or the folder given."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--target", type=Path, default=DATA / "sample_bad")
    target: Path = parser.parse_args().target
    if (target / "feeds").exists():
        shutil.rmtree(target / "feeds")
    write(target)
    print(f"{len(CASES)} episodes in {target}")


def write(target: Path) -> None:
    """Write all cases, the table of them and the expectations."""
    for case in CASES:
        write_case(target, case)
    rows = (
        f"| `{c.file}` | {c.wrong} | {c.outcome} | {'yes' if c.kept else 'no'} |\n" for c in CASES
    )
    (target / "README.md").write_text(README + "".join(rows), encoding="utf-8")
    expected = [
        {"file": c.file, "episode_id": c.stem, "outcome": c.outcome, "kept": c.kept} for c in CASES
    ]
    (target / "expected.json").write_text(json.dumps(expected, indent=1) + "\n", encoding="utf-8")


def write_case(target: Path, case: Case) -> None:
    """Write the files of one episode with its one fault."""
    layers = episode(case.stem)
    layers[case.layer] = case.spoil(layers[case.layer])
    for layer, content in layers.items():
        if layer not in case.only:
            continue
        path = target / case.path(layer)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else text(content).encode())
    if "gi" in case.only:
        transcript = target / case.path("text")
        transcript.parent.mkdir(parents=True, exist_ok=True)
        transcript.write_text(TEXT, encoding="utf-8")


if __name__ == "__main__":
    main()
