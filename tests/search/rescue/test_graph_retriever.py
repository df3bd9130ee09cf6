"""The export adapters give what the live graph gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from podcast_scraper.errors import ColumnError, ConfigurationError, IndexMissingError
from podcast_scraper.search.rescue import GraphRetriever
from podcast_scraper.search.rescue.duckdb_source import write_chunks, write_edges
from podcast_scraper.search.rescue.records import Candidate
from tests.search.rescue.graphs import (
    DOC_NODES,
    DOCUMENTS,
    EDGE_LISTS,
    EDGES,
    NODE_NAMES,
    retriever,
)

if TYPE_CHECKING:
    from pathlib import Path

    from podcast_scraper.search.rescue.activation import TypedEdge


def exported(
    folder: Path, edges: list[TypedEdge], documents: list[Candidate], **options: Any
) -> GraphRetriever:
    write_edges(folder / "graph-edges.parquet", edges)
    write_chunks(folder / "chunks.parquet", documents)
    return GraphRetriever(config(folder) | options)


def config(folder: Path) -> dict[str, Any]:
    return {
        "graph": {"source": "duckdb", "edges_uri": str(folder / "graph-edges.parquet")},
        "documents": {"source": "duckdb", "chunks_uri": str(folder / "chunks.parquet")},
    }


def test_columns_survive_the_export(tmp_path: Path) -> None:
    documents = [
        *DOCUMENTS,
        Candidate("d5", None, 'it\'s "quoted"\nover lines, ünï', {"tier": "segment"}),
    ]
    found = exported(tmp_path, EDGES, documents).documents(["d1", "d5", "unknown"])
    assert list(found) == ["d1", "d5"]
    assert found["d5"] == documents[-1]
    assert found["d1"].metadata["kg_node_ids"] == ["insight:1", "person:ada", "topic:chess"]
    assert found["d1"].metadata["kg_node_centrality"] == [1.0, 1 / 2, 1 / 3]
    # Communities are text in the file; only their equality counts.
    assert found["d1"].metadata["kg_node_community"] == ["9", "10", "11"]
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "chunks.parquet",
        "graph-edges.parquet",
    ]


@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    edges=EDGE_LISTS,
    documents=DOC_NODES,
    seeds=st.dictionaries(st.sampled_from(NODE_NAMES), st.just(1.0), min_size=1, max_size=3),
)
def test_same_ids_order_and_scores_as_the_live_graph(
    tmp_path: Path, edges: list[TypedEdge], documents: list[Candidate], seeds: dict[str, float]
) -> None:
    live = GraphRetriever.over(edges, documents).search(seeds, 20)
    read = exported(tmp_path, edges, documents).search(seeds, 20)
    assert [hit for hit, _ in read.hits] == [hit for hit, _ in live.hits]
    assert [score for _, score in read.hits] == pytest.approx(
        [score for _, score in live.hits], abs=1e-9
    )


def test_options_and_edge_weights_are_read(tmp_path: Path) -> None:
    one_hop = exported(tmp_path, EDGES, DOCUMENTS, max_hops=1)
    assert [hit for hit, _ in one_hop.search({"person:ada": 1.0}, 9).hits] == ["d1", "d2"]
    weighted = GraphRetriever(config(tmp_path) | {"edge_weights": {"HAS_INSIGHT": 1.0}})
    assert [hit for hit, _ in weighted.search({"episode:1": 1.0}, 9).hits] == ["d1"]


@pytest.mark.parametrize(
    ("change", "mend"),
    [
        ({"hops": 3}, "max_hops"),
        ({"graph": None}, "edges_uri"),
        ({"graph": {"source": "neo4j", "edges_uri": "x"}}, "duckdb"),
        ({"documents": {"source": "duckdb"}}, "chunks_uri"),
        ({"max_hops": 0}, "at least 1"),
    ],
)
def test_wrong_configurations_name_the_mend(
    tmp_path: Path, change: dict[str, Any], mend: str
) -> None:
    exported(tmp_path, EDGES, DOCUMENTS)
    with pytest.raises(ConfigurationError) as caught:
        GraphRetriever(config(tmp_path) | change)
    assert mend in (caught.value.mend or "")


def test_a_missing_file_and_missing_columns(tmp_path: Path) -> None:
    with pytest.raises(IndexMissingError, match="export graph"):
        GraphRetriever(config(tmp_path))
    write_edges(tmp_path / "graph-edges.parquet", EDGES)
    write_edges(tmp_path / "chunks.parquet", EDGES)
    with pytest.raises(ColumnError, match="does not hold the columns"):
        GraphRetriever(config(tmp_path))


def test_malformed_columns_are_loud() -> None:
    with pytest.raises(ColumnError, match="candidate 'd'"):
        GraphRetriever.over([], [Candidate("d", None, "", {"kg_node_ids": "x"})])


def test_the_helper_graph_is_the_live_one() -> None:
    assert set(retriever().documents(["d1"])) == {"d1"}
