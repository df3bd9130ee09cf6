"""How many of the exact nearest documents a large index finds: measured on the index itself.

Nobody's queries are kept, so documents stand for them: the first words of sampled documents,
encoded as queries are.
"""

from __future__ import annotations

import json
import random
import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import sqlalchemy as sa

from podcast_scraper.storage.listed import among, listed
from podcast_scraper.storage.schema import IndexedDocument

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

    from podcast_scraper.search.backends.dense import DenseIndex

WORDS: Final = 10
QUERIES: Final = 200
K: Final = 100
MEASURED: Final = "recall.json"


@dataclass(frozen=True, slots=True)
class Recall:
    """Mean and fifth percentile of recall@100 against the exact search, and p50 milliseconds.

    ``way`` says how the index searches without filters: ``exact``, ``mirror`` or ``codes``.
    """

    recall: float
    recall_p5: float
    queries: int
    way: str
    ms: float
    ms_exact: float
    revision: int


def pseudo_queries(engine: sa.Engine, count: int = QUERIES, *, seed: int) -> list[str]:
    """Return the first words of ``count`` documents, or of all where there are fewer."""
    with engine.connect() as connection:
        last = connection.execute(sa.select(sa.func.max(IndexedDocument.key))).scalar() or 0
        # Some keys are free; twice as many leave enough.
        keys = random.Random(seed).sample(range(1, last + 1), min(last, 2 * count))
        statement = sa.select(IndexedDocument.text).where(among(IndexedDocument.key))
        texts = connection.execute(statement.limit(count), listed(keys))
        return [" ".join(row.text.split()[:WORDS]) for row in texts]


def encoded(
    texts: list[str], embed: Callable[[str], NDArray[np.float32]], dimension: int
) -> NDArray[np.float32]:
    """Return the vectors of queries, shape ``(len(texts), dimension)``."""
    if not texts:
        return np.empty((0, dimension), dtype=np.float32)
    return np.stack([embed(text) for text in texts])


def measure_recall(dense: DenseIndex, queries: NDArray[np.float32], revision: int) -> Recall:
    """Search for query vectors, shape ``(m, dimension)``, m ≥ 1, as it is done and exactly."""
    shares, ours, exacts = [], [], []
    for query in queries:
        start = time.perf_counter()
        found = dense.search(query, K)
        middle = time.perf_counter()
        exact = dense.exact(query, K)
        ours.append(middle - start)
        exacts.append(time.perf_counter() - middle)
        # Scores, not ids: of documents with one text it does not matter which are found.
        last = min(cosine for _, cosine in exact)
        shares.append(sum(cosine >= last for _, cosine in found) / max(1, len(exact)))
    scan = dense.scan
    way = "exact" if scan is None else "codes" if scan.choice.candidates else "mirror"
    return Recall(
        float(np.mean(shares)),
        float(np.percentile(shares, 5)),
        len(queries),
        way,
        float(np.median(ours)) * 1000,
        float(np.median(exacts)) * 1000,
        revision,
    )


def store_recall(directory: Path, measured: Recall) -> bool:
    """Keep a measurement beside the index; false where it cannot be written."""
    try:
        text = json.dumps(asdict(measured), indent=2)
        (directory / MEASURED).write_text(text + "\n", encoding="utf-8")
    except OSError:
        return False
    return True
