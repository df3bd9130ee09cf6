"""Embed real sentences into a cache of vectors that the other benchmarks read.

    python -m benchmarks.real_vectors CACHE_DIR FILES... [--sentences 150000]

FILES are Markdown transcripts and ``corpus.jsonl.gz`` files with a ``text`` a line. Sentences of
six words or more are drawn at random over all files (seeded) and embedded by the default model,
as insights are. An interrupted run goes on where it stood. CACHE_DIR may be the evaluation's own
(``~/.cache/podcast-scraper/eval``), whose passages the sentences then join.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import time
from pathlib import Path

from podcast_scraper.embed.resolve import open_encoder
from podcast_scraper.evaluate.vector_cache import CachedEncoder
from podcast_scraper.search.sentences import sentence_spans

MIN_WORDS = 6
BATCH = 6400


def texts_of(path: Path) -> list[str]:
    if path.suffix == ".gz":
        lines = gzip.decompress(path.read_bytes()).splitlines()
        return [json.loads(line)["text"] for line in lines]
    return [path.read_text(encoding="utf-8")]


def sentences_of(text: str) -> list[str]:
    sentences = (text[start:end] for start, end in sentence_spans(text))
    return [one for one in sentences if len(one.split()) >= MIN_WORDS]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cache", type=Path)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--sentences", type=int, default=150_000)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    found = {s for path in options.files for text in texts_of(path) for s in sentences_of(text)}
    chosen = random.Random(8).sample(sorted(found), min(options.sentences, len(found)))
    print(f"{len(found)} sentences, {len(chosen)} of them drawn", flush=True)
    encoder = open_encoder(threads=options.threads)
    chosen = [encoder.fit_query(text)[0] for text in chosen]
    cached = CachedEncoder(encoder, options.cache)
    for start in range(0, len(chosen), BATCH):
        began = time.perf_counter()
        part = chosen[start : start + BATCH]
        cached.encode_documents(part)
        rate = len(part) / (time.perf_counter() - began)
        print(f"{start + len(part)} embedded, {rate:.0f} a second", flush=True)


if __name__ == "__main__":
    main()
