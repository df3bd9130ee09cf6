"""The traversal lane as an engine of its own: over an export, or over a graph in memory."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from podcast_scraper.errors import ConfigurationError
from podcast_scraper.search.rescue.activation import EDGE_WEIGHTS, SpreadOptions
from podcast_scraper.search.rescue.kg_columns import read_columns
from podcast_scraper.search.rescue.traversal import Traversal

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from podcast_scraper.search.rescue.activation import TypedEdge
    from podcast_scraper.search.rescue.lanes import LaneRanking
    from podcast_scraper.search.rescue.records import Candidate
    from podcast_scraper.search.rescue.seeds import Seeds

_OPTIONS: Final = tuple(field.name for field in fields(SpreadOptions))
_KEYS: Final = ("graph", "documents", "edge_weights", *_OPTIONS)


class GraphRetriever:
    """Spreading activation over the files that ``podcast-scraper export graph`` writes.

    ::

        GraphRetriever({
            "graph": {"source": "duckdb", "edges_uri": "graph-edges.parquet"},
            "documents": {"source": "duckdb", "chunks_uri": "chunks.parquet"},
        })

    Further keys are ``edge_weights`` (by edge type) and the bounds of
    :class:`~podcast_scraper.search.rescue.activation.SpreadOptions`. :meth:`over` takes the same
    content from memory and gives the same ids in the same order.
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        """Read the export. Unknown keys raise ConfigurationError, bad values ColumnError."""
        from podcast_scraper.search.rescue import duckdb_source

        unknown = sorted(set(config) - set(_KEYS))
        if unknown:
            raise ConfigurationError(
                f"Unknown keys of a graph retriever: {', '.join(map(repr, unknown))}.",
                mend=f"The keys are: {', '.join(_KEYS)}.",
                subject=unknown,
            )
        edges = duckdb_source.read_edges(_uri(config, "graph", "edges_uri"))
        documents = duckdb_source.read_chunks(_uri(config, "documents", "chunks_uri"))
        options = SpreadOptions(**{key: config[key] for key in _OPTIONS if key in config})
        self._fill(edges, documents, config.get("edge_weights", EDGE_WEIGHTS), options)

    @classmethod
    def over(
        cls,
        edges: Iterable[TypedEdge],
        documents: Iterable[Candidate],
        *,
        edge_weights: Mapping[str, float] = EDGE_WEIGHTS,
        options: SpreadOptions | None = None,
    ) -> GraphRetriever:
        """Take typed edges and documents, whose nodes are in their KG columns, from memory."""
        retriever = cls.__new__(cls)
        retriever._fill(edges, documents, edge_weights, options)
        return retriever

    def _fill(
        self,
        edges: Iterable[TypedEdge],
        documents: Iterable[Candidate],
        edge_weights: Mapping[str, float],
        options: SpreadOptions | None,
    ) -> None:
        self._documents = {one.id: one for one in documents}
        nodes_of = {
            one.id: read_columns(one.id, one.metadata).node_ids for one in self._documents.values()
        }
        self._traversal = Traversal.over(
            edges, nodes_of, edge_weights=edge_weights, options=options
        )

    def search(
        self, seeds: Seeds, k: int, *, allowed: Collection[str] | None = None
    ) -> LaneRanking:
        """Return the ``k`` best documents from ``seeds`` (activation by node id)."""
        return self._traversal.search(seeds, k, allowed=allowed)

    def documents(self, doc_ids: Sequence[str]) -> Mapping[str, Candidate]:
        """Return documents by id; the unknown are left out."""
        return {one: self._documents[one] for one in doc_ids if one in self._documents}


def _uri(config: Mapping[str, Any], part: str, key: str) -> Path:
    block = config.get(part)
    known = {"source", key}
    if not isinstance(block, dict) or set(block) != known or block["source"] != "duckdb":
        raise ConfigurationError(
            f"The {part} of a graph retriever is {block!r}.",
            mend=f'Give {{"source": "duckdb", "{key}": PATH}}.',
            subject=part,
        )
    return Path(block[key])
