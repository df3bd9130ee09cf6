"""Passages per second of the packaged encoder: one text a run, batches, and two at a time.

    python benchmarks/encode.py [--texts 24]

Prints ratios against one text a run on one thread, and the smallest cosine between a text's vector
alone and in a batch, which is why a text is always encoded alone.
"""

from __future__ import annotations

import argparse
import random
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from podcast_scraper.embed.models import DEFAULT_ENCODER, packaged_model, verified_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

WORDS = (
    "the compost needs air and water because bacteria in it work all winter when nobody turns a",
    "heap it smells so we asked three gardeners what they do about that and none agreed",
)


def passages(words: int, count: int) -> list[str]:
    rng = random.Random(7)
    return [
        " ".join(rng.choices(WORDS, k=rng.randint(words * 3 // 4, words))) for _ in range(count)
    ]


def vectors(session: Any, tokenizer: Tokenizer, texts: Sequence[str]) -> NDArray[np.float32]:
    encodings = [tokenizer.encode(text) for text in texts]
    ids = np.zeros((len(texts), max(len(e.ids) for e in encodings)), dtype=np.int64)
    mask = np.zeros_like(ids)
    for row, encoding in enumerate(encodings):
        ids[row, : len(encoding.ids)] = encoding.ids
        mask[row, : len(encoding.ids)] = 1
    feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    rows = session.run(None, feed)[0][:, 0]
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


def measure(work: Callable[[], list[NDArray[np.float32]]]) -> tuple[float, NDArray[np.float32]]:
    started = time.perf_counter()
    rows = np.concatenate(work())
    return time.perf_counter() - started, rows


def session_of(folder: Path, threads: int) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    return onnxruntime.InferenceSession(
        str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare ways to encode passages.")
    parser.add_argument("--texts", type=int, default=24, help="passages of each length")
    count = parser.parse_args().texts
    folder = verified_folder(packaged_model(DEFAULT_ENCODER, "encoder"))
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    one, two = session_of(folder, 1), session_of(folder, 2)
    print(f"{'words':>5}  {'way':<28} {'texts/s':>8} {'ratio':>6} {'min cosine':>10}")
    for words in (15, 60, 120, 250):
        texts = sorted(passages(words, count), key=len)
        parts = [texts[i : i + 8] for i in range(0, count, 8)]
        alone = partial(vectors, one, tokenizer)
        single = [[text] for text in texts]
        with ThreadPoolExecutor(2) as pool:
            ways: dict[str, Callable[[], list[NDArray[np.float32]]]] = {
                "one a run, 1 thread": lambda s=single, f=alone: [f(t) for t in s],
                "batches of 8, 1 thread": lambda p=parts, f=alone: [f(t) for t in p],
                "batches of 8, 2 intra-op": lambda p=parts: [vectors(two, tokenizer, t) for t in p],
                "one a run, 2 at a time": lambda s=single, f=alone: list(pool.map(f, s)),
            }
            base, reference = measure(ways["one a run, 1 thread"])
            for name, work in ways.items():
                seconds, rows = measure(work)
                cosine = float((rows * reference).sum(axis=1).min())
                rate, ratio = count / seconds, base / seconds
                print(f"{words:>5}  {name:<28} {rate:>8.1f} {ratio:>5.2f}x {cosine:>10.4f}")


if __name__ == "__main__":
    main()
