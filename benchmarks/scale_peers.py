"""What :mod:`benchmarks.scale` is measured against: plain SQLite engines, and LanceDB."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from benchmarks.engines import K, Plain

from podcast_scraper.storage.driver import open_engine

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from podcast_scraper.search.backends.embedded import EmbeddedBackend

BATCH = 5000
PROBES = (20, 50, 100, 200, 400, 1000)
REFINE = 10
RECALL = 0.99


def plain(path: Path, backend: EmbeddedBackend) -> Plain:
    """Fill plain FTS5 and sqlite-vec tables with the documents of an index."""
    engine = open_engine(path)
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE VIRTUAL TABLE fts USING fts5(text, content='', "
                                   "tokenize='porter')")  # fmt: skip
        connection.exec_driver_sql(
            f"CREATE VIRTUAL TABLE vec USING vec0(v float[{backend.dimension}]"
            " distance_metric=cosine)"
        )
    for keys, texts, vectors in _documents(backend):
        with engine.begin() as connection:
            connection.execute(
                sa.text("INSERT INTO fts (rowid, text) VALUES (:k, :t)"),
                [{"k": key, "t": text} for key, text in zip(keys, texts, strict=True)],
            )
            connection.execute(
                sa.text("INSERT INTO vec (rowid, v) VALUES (:k, :v)"),
                [{"k": key, "v": v.tobytes()} for key, v in zip(keys, vectors, strict=True)],
            )
    return Plain(engine)


class Lance:
    """LanceDB over the documents of an index: IVF-PQ with refinement, its own full-text index.

    ``probes`` is the smallest tried number of partitions that gives a recall@100 of 0.99 on the
    queries of :meth:`tune`; the largest where none does.
    """

    def __init__(self, path: Path, backend: EmbeddedBackend) -> None:
        import lancedb
        import pyarrow as pa

        dimension = backend.dimension
        kind = pa.schema(
            [("key", pa.int64()), ("text", pa.string()),
             ("vector", pa.list_(pa.float32(), dimension))]
        )  # fmt: skip

        def batches() -> Iterator[Any]:
            for keys, texts, vectors in _documents(backend):
                flat = pa.array(vectors.reshape(-1))
                columns = [
                    pa.array(keys),
                    pa.array(texts),
                    pa.FixedSizeListArray.from_arrays(flat, dimension),
                ]
                yield pa.RecordBatch.from_arrays(columns, schema=kind)

        self._table = lancedb.connect(path).create_table("documents", batches(), schema=kind)
        self._table.create_index(
            metric="cosine",
            vector_column_name="vector",
            index_type="IVF_PQ",
            num_partitions=int(len(backend.dense.rows) ** 0.5),
            num_sub_vectors=dimension // 4,
        )
        self._table.create_fts_index("text", use_tantivy=False)
        self.probes = PROBES[-1]
        self.recall = 0.0

    def tune(self, vectors: Sequence[NDArray[np.float32]], truth: Sequence[set[int]]) -> None:
        """Choose ``probes``."""
        for self.probes in PROBES:
            found = [{row["key"] for row in self.dense(vector)} for vector in vectors]
            shares = [len(a & b) / len(b) for a, b in zip(found, truth, strict=True)]
            self.recall = sum(shares) / len(shares)
            if self.recall >= RECALL:
                return

    def dense(self, vector: NDArray[np.float32]) -> list[Any]:
        """Return the nearest rows."""
        search = self._table.search(vector).distance_type("cosine").nprobes(self.probes)
        return list(search.refine_factor(REFINE).select(["key", "_distance"]).limit(K).to_list())

    def hybrid(self, text: str, vector: NDArray[np.float32]) -> list[Any]:
        """Return rows fused from both indexes by LanceDB's own RRF."""
        from lancedb.rerankers import RRFReranker

        search = self._table.search(query_type="hybrid").vector(vector).text(text)
        search = search.distance_type("cosine").nprobes(self.probes).refine_factor(REFINE)
        return list(search.rerank(RRFReranker()).limit(K).to_list())


def _documents(
    backend: EmbeddedBackend,
) -> Iterator[tuple[list[int], list[str], NDArray[np.float32]]]:
    """Yield keys, texts and vectors of the documents, some thousand at a time."""
    keys = backend.dense.rows.arrays["key"]
    text_of = sa.text("SELECT text FROM documents WHERE key > :a AND key <= :b ORDER BY key")
    for start in range(0, len(keys), BATCH):
        part = keys[start : start + BATCH]
        with backend.engine.connect() as source:
            texts = source.scalars(text_of, {"a": int(part[0]) - 1, "b": int(part[-1])}).all()
        yield part.tolist(), list(texts), backend.dense.vectors[start : start + BATCH]
