"""Add, change and remove one episode of a large index, beside building it anew.

    python -m benchmarks.update [--passages 20000] [--keep DIR]

The corpus is that of :mod:`benchmarks.make_corpus`; with ``--keep`` it and its index stay, and are
taken up by the next run, which then says nothing of building. Vectors are random, so that the times
are those of the index: encoding one episode of 50 passages with the default model adds about two
seconds on one core, encoding all of them what the README says. ``searchable`` is the time until a
new search
finds the change, ``derived`` what the graph and the columns of the whole corpus take after that.
"""

from __future__ import annotations

import argparse
import contextlib
import shutil
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from benchmarks.make_corpus import EPISODES_A_SHOW, Generator, write

from podcast_scraper.artifacts.scan_memory import SETTLED_NS
from podcast_scraper.embed.resolve import open_encoder
from podcast_scraper.index.build import build_index
from podcast_scraper.storage.generations import IndexLocation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from podcast_scraper.embed.encoder import Progress


class RandomEncoder:
    """Counts tokens as the default model does, and gives random unit vectors."""

    name = "random"
    fingerprint = "random@1"

    def __init__(self) -> None:
        self._model = open_encoder()
        self.dimension, self.max_tokens = self._model.dimension, self._model.max_tokens
        self._random = np.random.default_rng(4)

    def encode_documents(
        self, texts: Sequence[str], progress: Progress | None = None
    ) -> NDArray[np.float32]:
        vectors = self._random.standard_normal((len(texts), self.dimension))
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors.astype(np.float32)

    def encode_query(self, text: str) -> NDArray[np.float32]:
        return self.encode_documents([text])[0]

    def fit_query(self, text: str) -> tuple[str, bool]:
        return self._model.fit_query(text)

    def count_tokens(self, text: str) -> int:
        return self._model.count_tokens(text)

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        return self._model.token_spans(text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--passages", type=int, default=20_000)
    parser.add_argument("--keep", type=Path, metavar="DIR")
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        folder = options.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        run(folder, options.passages)


def run(corpus: Path, passages: int) -> None:
    generator = Generator(passages, 8)
    encoder = RandomEncoder()
    whole = None
    if IndexLocation.of(corpus).current_name() is None:
        for episode in generator:
            write(episode, corpus)
        start = time.perf_counter()
        report = build_index(corpus, encoder=encoder).report
        whole = time.perf_counter() - start
        count = sum(report["documents"].values())
        print(f"{count} passages of {report['episodes']} episodes")
        print(f"built in {whole:.1f} s: {report['seconds']}")
    time.sleep(SETTLED_NS / 1e9)  # files count as known when they have not just changed
    build_index(corpus, encoder=encoder)
    extra = generator.episode(generator.episodes)
    folder = corpus / "feeds" / f"show{extra.number // EPISODES_A_SHOW:04d}" / "metadata"
    changed = generator.episode(generator.episodes + 1)
    object.__setattr__(changed, "number", extra.number)
    print(f"{'seconds':16}{'whole':>8}{'plan':>8}{'change':>8}{'searchable':>12}{'derived':>9}")
    for name, edit in (
        ("add an episode", lambda: write(extra, corpus)),
        ("change it", lambda: write(changed, corpus)),
        ("remove it", lambda: shutil.rmtree(folder) if extra.number % EPISODES_A_SHOW == 0
         else [path.unlink() for path in folder.glob(f"e{extra.number:06d}.*")]),
        ("nothing", lambda: None),
    ):  # fmt: skip
        edit()
        start = time.perf_counter()
        outcome = build_index(corpus, encoder=encoder)
        spent = time.perf_counter() - start
        stages = outcome.report["seconds"] if outcome.fresh else {}
        update, derived = stages.get("update", 0.0), stages.get("graph", 0.0)
        plan = spent - sum(stages.values())
        ratio = f"   building takes {whole / spent:.0f} times as long" if whole else ""
        print(
            f"{name:16}{spent:8.2f}{plan:8.2f}{update:8.2f}{plan + update:12.2f}{derived:9.2f}"
            f"{ratio}",
            flush=True,
        )


if __name__ == "__main__":
    main()
