"""The Milvus collections of one index generation: one a tier, holding ids, filters and vectors.

``NAME_segment_g8`` and ``NAME_insight_g8`` belong to generation 8; the aliases ``NAME_segment`` and
``NAME_insight`` lead other clients to the live one. No text is stored: what a result shows comes
from the records.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from podcast_scraper.search.backends.lexical_queries import day_number
from podcast_scraper.search.backends.milvus_client import SEARCH_SECONDS, WRITE_SECONDS
from podcast_scraper.search.backends.milvus_expressions import NO_CODE, NO_DAY, code_of
from podcast_scraper.search.backends.sparse_bm25 import K1, MOST_TEXT, B
from podcast_scraper.search.documents import TIERS

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from podcast_scraper.search.backends.milvus_client import MilvusServer
    from podcast_scraper.search.documents import Document

# How many hits one search can give.
WINDOW: Final = 16_384
ROWS_A_CALL: Final = 1000

_MOST_ENTITIES: Final = 1024  # of one document, in one role
_ENGINES_OWN: Final = "b"  # ends the names of collections whose BM25 is the engine's
_HNSW: Final = {"M": 16, "efConstruction": 128}
_GRAPHS: Final = ("HNSW", "HNSW_SQ", "HNSW_PQ", "HNSW_PRQ")


@dataclass(frozen=True, slots=True)
class Row:
    """One document as Milvus holds it; ``lexical`` is a vector or a text of :mod:`.sparse_bm25`."""

    key: int
    document: Document
    dense: NDArray[np.float32]
    lexical: Mapping[int, float] | str

    def as_fields(self) -> dict[str, Any]:
        """Return the values of the collection's fields."""
        document = self.document
        published, kind = document.published, document.insight_type
        return {
            "key": self.key,
            "show": code_of(document.show_id),
            "episode": code_of(document.episode_id),
            "day": NO_DAY if published is None else day_number(published),
            "insight_type": NO_CODE if kind is None else code_of(kind),
            "ad": document.kind == "ad",
            "speakers": _codes(document.speakers),
            "mentions": _codes(document.mentions),
            "topics": _codes(document.topics),
            "dense": self.dense,
            ("terms" if isinstance(self.lexical, str) else "sparse"): self.lexical,
        }


def _codes(ids: Sequence[str]) -> list[int]:
    return [code_of(one) for one in dict.fromkeys(ids)][:_MOST_ENTITIES]


class Collections:
    """The collections of one generation on one server."""

    def __init__(self, server: MilvusServer, generation: int) -> None:
        self._server = server
        self._target = server.target
        self.generation = generation

    def name(self, tier: str) -> str:
        """Return the name of a tier's collection."""
        return f"{self._alias(tier)}_g{self.generation}{_ENGINES_OWN if self.scores_itself else ''}"

    @property
    def scores_itself(self) -> bool:
        """Whether Milvus computes BM25 from terms; else it multiplies vectors of ours."""
        return self._target.bm25 == "engine"

    @property
    def is_exact(self) -> bool:
        """Whether dense search compares every vector."""
        return self._dense_index == "FLAT"

    def create(self, dimension: int) -> None:
        """Make empty collections, in the place of those of the same generation."""
        for tier in TIERS:
            name = self.name(tier)
            aliases = self._without(name) if self._call("has_collection", name) else []
            options: dict[str, Any] = {"num_shards": self._target.shards}
            if self._server.is_complete:
                options["num_partitions"] = self._target.partitions
            self._call("create_collection", name, schema=self._schema(dimension), **options)
            self._call("create_index", name, index_params=self._indexes(), sync=False)
            loading = (
                {} if self._target.replicas == 1 else {"replica_number": self._target.replicas}
            )
            self._call("load_collection", name, **loading)
            for alias in aliases:
                self._call("create_alias", name, alias)

    def exist(self) -> bool:
        """Tell whether the server holds this generation."""
        return all(self._call("has_collection", self.name(tier)) for tier in TIERS)

    def upsert(self, tier: str, rows: Sequence[Row]) -> None:
        """Write rows over those of the same keys."""
        for start in range(0, len(rows), ROWS_A_CALL):
            batch = [row.as_fields() for row in rows[start : start + ROWS_A_CALL]]
            self._call("upsert", self.name(tier), batch)

    def delete(self, tier: str, keys: Sequence[int]) -> None:
        """Remove the rows with these keys."""
        for start in range(0, len(keys), ROWS_A_CALL):
            self._call("delete", self.name(tier), ids=list(keys[start : start + ROWS_A_CALL]))

    def search(
        self,
        tier: str,
        field: str,
        vector: object,
        limit: int,
        condition: str,
        *,
        consistency: str,
    ) -> list[tuple[int, float]]:
        """Return ``(key, inner product)`` of at most ``limit`` best rows, best first."""
        params = {"ef": max(limit, 200)} if field == "dense" and self._is_graph else {}
        metric = "BM25" if field == "sparse" and self.scores_itself else "IP"
        (hits,) = self._server.call(
            "search",
            self.name(tier),
            data=[vector],
            anns_field=field,
            limit=min(limit, WINDOW),
            filter=condition,
            search_params={"metric_type": metric, "params": params},
            consistency_level=consistency,
            seconds=SEARCH_SECONDS,
            loading=self.name(tier),
        )
        # Lite 3.2 gives BM25 as a distance, below 0; a score of BM25 never is.
        sign = -1 if metric == "BM25" and any(hit.distance < 0 for hit in hits) else 1
        return [(int(hit.id), sign * float(hit.distance)) for hit in hits]

    def count(self, tier: str, *, consistency: str) -> int:
        """Return how many rows the server finds, whatever it once was given."""
        return int(self._query(tier, "", ["count(*)"], consistency)[0]["count(*)"])

    def present(self, tier: str, keys: Sequence[int], *, consistency: str) -> set[int]:
        """Return which of some keys the server finds."""
        if not keys:
            return set()
        condition = f"key in {[int(key) for key in keys]}"
        return {row["key"] for row in self._query(tier, condition, ["key"], consistency)}

    def publish(self, generations: Collection[int]) -> None:
        """Lead the aliases here, and drop collections of other than these generations."""
        for tier in TIERS:
            if self._server.is_complete:
                self._lead_alias(tier)
            pattern = re.compile(rf"{re.escape(self._alias(tier))}_g(\d+){_ENGINES_OWN}?")
            for name in self._call("list_collections"):
                found = pattern.fullmatch(name)
                if found and int(found[1]) not in generations:
                    self._call("drop_collection", name)

    def drop(self) -> None:
        """Remove the collections of this generation."""
        for tier in TIERS:
            self._without(self.name(tier))

    def _lead_alias(self, tier: str) -> None:
        known = self._alias(tier) in self._aliases("")
        change = "alter_alias" if known else "create_alias"
        self._call(change, self.name(tier), self._alias(tier))

    def _aliases(self, name: str) -> list[str]:
        """Return the aliases of a collection, or of all of them where the name is empty."""
        return list(self._call("list_aliases", name)["aliases"]) if self._server.is_complete else []

    def _without(self, name: str) -> list[str]:
        """Remove a collection, which no alias may lead to, and return what it was called."""
        aliases = self._aliases(name)
        for alias in aliases:
            self._call("drop_alias", alias)
        self._call("drop_collection", name)
        return aliases

    def _alias(self, tier: str) -> str:
        return f"{self._target.name}_{tier}"

    def _call(self, method: str, *arguments: Any, **options: Any) -> Any:
        return self._server.call(method, *arguments, seconds=WRITE_SECONDS, **options)

    def _query(
        self, tier: str, condition: str, fields: list[str], consistency: str
    ) -> list[dict[str, Any]]:
        return list(
            self._server.call(
                "query",
                self.name(tier),
                filter=condition,
                output_fields=fields,
                consistency_level=consistency,
                seconds=SEARCH_SECONDS,
                loading=self.name(tier),
            )
        )

    @property
    def _dense_index(self) -> str:
        return self._target.index or ("FLAT" if self._server.is_lite else "HNSW")

    @property
    def _is_graph(self) -> bool:
        return self._dense_index in _GRAPHS

    def _schema(self, dimension: int) -> Any:
        from pymilvus import DataType, Function, FunctionType, MilvusClient

        schema = MilvusClient.create_schema(auto_id=False, enable_dynamic_field=False)
        schema.add_field("key", DataType.INT64, is_primary=True)
        partitioned = {"is_partition_key": True} if self._server.is_complete else {}
        schema.add_field("show", DataType.INT64, **partitioned)
        schema.add_field("episode", DataType.INT64)
        schema.add_field("day", DataType.INT32)
        schema.add_field("insight_type", DataType.INT64)
        schema.add_field("ad", DataType.BOOL)
        for name in ("speakers", "mentions", "topics"):
            schema.add_field(
                name, DataType.ARRAY, element_type=DataType.INT64, max_capacity=_MOST_ENTITIES
            )
        schema.add_field("dense", DataType.FLOAT_VECTOR, dim=dimension)
        schema.add_field("sparse", DataType.SPARSE_FLOAT_VECTOR)
        if self.scores_itself:
            # Terms are codes between spaces: whatever tokenizer splits them, they stay whole.
            schema.add_field("terms", DataType.VARCHAR, max_length=MOST_TEXT, enable_analyzer=True)
            schema.add_function(Function("bm25", FunctionType.BM25, ["terms"], ["sparse"]))
        return schema

    def _indexes(self) -> Any:
        from pymilvus import MilvusClient

        indexes = MilvusClient.prepare_index_params()
        # Vectors are of unit length: their inner product is the cosine.
        indexes.add_index(
            "dense",
            index_type=self._dense_index,
            metric_type="IP",
            params=_HNSW if self._is_graph else {},
        )
        indexes.add_index(
            "sparse",
            index_type="SPARSE_INVERTED_INDEX",
            metric_type="BM25" if self.scores_itself else "IP",
            params={"bm25_k1": K1, "bm25_b": B} if self.scores_itself else {},
        )
        if not self._server.is_lite:
            for name in ("show", "episode", "day", "speakers", "mentions", "topics"):
                indexes.add_index(name, index_type="INVERTED")
        return indexes
