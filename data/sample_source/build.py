"""Build the sample corpus and its evaluation set: ``python -m data.sample_source.build``.

The same sources give the same bytes; a test builds again into an empty folder and compares.
"""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path
from typing import Any

import yaml
from data.sample_source import artifacts
from data.sample_source.cast import Cast
from data.sample_source.references import References, judgements, labelled_pairs
from data.sample_source.script import read_script

SOURCE = Path(__file__).parent
DATA = SOURCE.parent


def episodes(source: Path = SOURCE) -> list[artifacts.Episode]:
    """Return all authored episodes, laid out, in the order of their paths."""
    cast = Cast.load(source)
    laid_out = []
    for path in sorted((source / "episodes").glob("*/*.md")):
        script = read_script(path)
        times = path.with_suffix(".times.json")  # made by make_audio with the recording
        measured = json.loads(times.read_text()) if times.exists() else None
        laid_out.append(artifacts.lay_out(script, cast, measured))
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


def write_evaluation(target: Path, laid_out: list[artifacts.Episode]) -> None:
    """Write the judged queries under ``target/sample`` and ``target/tensions.jsonl``."""
    judged = yaml.safe_load((SOURCE / "judgements.yaml").read_text(encoding="utf-8"))
    references = References(laid_out, judged["codes"])
    queries, qrels = [], []
    for query in judged["queries"]:
        meta = {"intent": query["intent"]}
        queries.append({"id": query["id"], "text": query["text"], "meta": meta})
        for document, grade in judgements(references, query["judged"]):
            qrels.append(f"{query['id']}\t{document}\t{grade}\n")
    _write(target / "sample" / "queries.jsonl", _json_lines(queries))
    _write(target / "sample" / "qrels.tsv", "".join(qrels))
    labelled = yaml.safe_load((SOURCE / "tensions.yaml").read_text(encoding="utf-8"))
    pairs = labelled_pairs(References(laid_out, labelled["codes"]), labelled)
    _write(target / "tensions.jsonl", _json_lines(pairs))


def json_text(content: Any) -> str:
    """Return the JSON text that the corpus holds: readable, UTF-8, one final newline."""
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def main() -> None:
    """Build into ``data/`` or the folder given, replacing what an earlier build wrote."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--target", type=Path, default=DATA, help="default: data/")
    target: Path = parser.parse_args().target
    for made in ("metadata", "transcripts"):
        for folder in (target / "sample" / "feeds").glob(f"*/{made}"):
            shutil.rmtree(folder)
    laid_out = episodes()
    write_corpus(target / "sample", laid_out, Cast.load(SOURCE))
    write_evaluation(target / "eval", laid_out)
    words = sum(len(turn.text.split()) for e in laid_out for turn in e.script.turns)
    insights = sum(len(e.script.insights) for e in laid_out)
    print(f"{len(laid_out)} episodes, {words} words, {insights} insights")


def _json_lines(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
