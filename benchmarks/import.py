"""Episodes a minute by stage of an import, and its memory as the number of episodes doubles.

    python benchmarks/import.py FOLDER [--episodes 12] [--method NAME]

``FOLDER`` holds transcripts. One process and one thread; the ratio column compares each stage with
parsing in the same run. The memory table runs whole imports of N and 2 N episodes, each in a fresh
process.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from podcast_scraper.ingest.extract.analysis import analyse
from podcast_scraper.ingest.extract.layout import lay_out
from podcast_scraper.ingest.files import transcript_files
from podcast_scraper.ingest.importing import ImportOptions, import_sources
from podcast_scraper.ingest.transcripts import parse_transcript
from podcast_scraper.ingest.workers import METHODS, best_method


def stages(files: list[Path], method: str) -> dict[str, float]:
    """Return the CPU seconds of each stage over the files."""
    annotator = METHODS[method]()
    spent = dict.fromkeys(("parse", "lay out", "annotate", "rules"), 0.0)

    class Replay:
        name = method

        def __init__(self, notes: list[object]) -> None:
            self._notes = notes

        def annotate(self, lines: object) -> object:
            return iter(self._notes)

    for file in files:
        marks = [time.process_time()]
        parsed = parse_transcript(file.read_bytes(), file.name)
        marks.append(time.process_time())
        layout = lay_out(parsed.cues, parsed.marks)
        marks.append(time.process_time())
        text = layout.transcript.text
        notes = list(annotator.annotate([text[line.start : line.end] for line in layout.lines]))
        marks.append(time.process_time())
        analyse(layout, Replay(notes))  # type: ignore[arg-type]
        marks.append(time.process_time())
        for name, start, end in zip(spent, marks, marks[1:], strict=False):
            spent[name] += end - start
    return spent


def whole_import(files: list[Path], method: str) -> None:
    """Import the files and print seconds by stage and the peak memory of this process."""
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder)
        options = ImportOptions(method=method, show="benchmark")
        report = import_sources([str(file) for file in files], corpus, options)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    write = 60 * report.episodes / report.seconds["write"]
    print(f"{report.episodes:9}{write:16.0f}{peak:12.0f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--episodes", type=int, default=12)
    parser.add_argument("--method", default=best_method())
    parser.add_argument("--whole", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    found = [files[0] for files in transcript_files(options.folder).values()]
    if options.whole:
        whole_import(found[: options.episodes], options.method)
        return
    files = found[: options.episodes]
    spent = stages(files, options.method)
    print(f"{len(files)} episodes, {options.method}, one process")
    print(f"{'stage':12}{'episodes/min':>14}{'CPU s':>9}{'x parse':>9}")
    for name, seconds in {**spent, "all": sum(spent.values())}.items():
        rate = 60 * len(files) / max(seconds, 1e-9)
        print(f"{name:12}{rate:14.0f}{seconds:9.2f}{seconds / spent['parse']:9.1f}")
    print(f"\n{'episodes':>9}{'written/min':>16}{'peak MB':>12}")
    for number in (options.episodes, 2 * options.episodes):
        command = [sys.executable, __file__, str(options.folder), "--whole"]
        subprocess.run(
            [*command, "--episodes", str(number), "--method", options.method], check=True
        )


if __name__ == "__main__":
    main()
