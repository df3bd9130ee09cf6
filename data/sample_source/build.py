"""Build the sample corpus and its evaluation set: ``python -m data.sample_source.build``.

The same sources give the same bytes; a test builds again into an empty folder and compares.
"""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path
from typing import Any

from data.sample_source import artifacts
from data.sample_source.cast import Cast
from data.sample_source.script import read_script

SOURCE = Path(__file__).parent
DATA = SOURCE.parent


def episodes(source: Path = SOURCE) -> list[artifacts.Episode]:
    """Return all authored episodes, laid out, in the order of their paths."""
    cast = Cast.load(source)
    laid_out = []
    for path in sorted((source / "episodes").glob("*/*.md")):
        script = read_script(path)
        measured = path.with_suffix(".durations.json")
        durations = json.loads(measured.read_text()) if measured.exists() else None
        laid_out.append(artifacts.lay_out(script, cast, durations))
    return laid_out


def write_corpus(target: Path, laid_out: list[artifacts.Episode], cast: Cast) -> None:
    """Write every artifact under ``target/feeds``; transcripts and metadata are made anew."""
    for episode in laid_out:
        feed = target / "feeds" / episode.show.slug
        stem = episode.script.stem
        layers = {
            f"metadata/{stem}.gi.json": artifacts.gi(episode, cast),
            f"metadata/{stem}.kg.json": artifacts.kg(episode, cast),
            f"metadata/{stem}.bridge.json": artifacts.bridge(episode, cast),
            f"metadata/{stem}.metadata.json": artifacts.metadata(episode),
            f"transcripts/{stem}.segments.json": artifacts.segments(episode),
        }
        for name, content in layers.items():
            _write(feed / name, json_text(content))
        _write(feed / episode.transcript_ref, episode.text)


def json_text(content: Any) -> str:
    """Return the JSON text that the corpus holds: readable, UTF-8, one final newline."""
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def main() -> None:
    """Build into ``data/`` or the folder given, replacing what an earlier build wrote."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--target", type=Path, default=DATA, help="default: data/")
    target: Path = parser.parse_args().target
    for folder in (target / "sample" / "feeds").glob("*/[mt][er]*a*"):
        if folder.name in ("metadata", "transcripts"):
            shutil.rmtree(folder)
    laid_out = episodes()
    write_corpus(target / "sample", laid_out, Cast.load(SOURCE))
    words = sum(len(turn.text.split()) for e in laid_out for turn in e.script.turns)
    insights = sum(len(e.script.insights) for e in laid_out)
    print(f"{len(laid_out)} episodes, {words} words, {insights} insights")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
