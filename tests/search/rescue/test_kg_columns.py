"""The columns contract: absent is nothing, malformed is loud."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from podcast_scraper.errors import ColumnError
from podcast_scraper.search.rescue.kg_columns import KgColumns, read_columns


@pytest.mark.parametrize("metadata", [{}, {"kg_node_ids": None, "kg_node_centrality": None}])
def test_absent_contributes_nothing(metadata: dict[str, Any]) -> None:
    columns = read_columns("d", metadata)
    assert columns == KgColumns()
    assert columns.peak_centrality == 0.0


def test_lists_tuples_and_arrays_are_read() -> None:
    columns = read_columns(
        "d",
        {
            "kg_node_ids": ["person:a", "topic:b"],
            "neighbor_node_ids": ("org:c",),
            "kg_node_community": np.array([1, 2]),
            "kg_node_centrality": np.array([0.25, 1.0]),
        },
    )
    assert columns == KgColumns(("person:a", "topic:b"), ("org:c",), (1, 2), (0.25, 1.0))
    assert columns.peak_centrality == 1.0


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("kg_node_ids", "person:a"),
        ("kg_node_ids", ["person:a", 3]),
        ("kg_node_ids", ["person:a", ""]),
        ("kg_node_ids", {"person:a"}),
        ("neighbor_node_ids", b"org:c"),
        ("neighbor_node_ids", [None]),
        ("kg_node_community", 4),
        ("kg_node_community", [1.5]),
        ("kg_node_community", [True]),
        ("kg_node_centrality", 0.5),
        ("kg_node_centrality", [float("nan")]),
        ("kg_node_centrality", [float("inf")]),
        ("kg_node_centrality", [-0.1]),
        ("kg_node_centrality", ["0.5"]),
        ("kg_node_centrality", [None]),
    ],
)
def test_malformed_names_candidate_column_and_value(column: str, value: object) -> None:
    with pytest.raises(ColumnError) as caught:
        read_columns("doc-7", {column: value})
    assert caught.value.subject == {"candidate": "doc-7", "column": column, "value": value}
    assert "doc-7" in str(caught.value)
    assert column in str(caught.value)


@pytest.mark.parametrize(
    ("column", "value"), [("kg_node_community", [1]), ("kg_node_centrality", [0.1, 0.2, 0.3])]
)
def test_unequal_lengths_are_malformed(column: str, value: list[Any]) -> None:
    with pytest.raises(ColumnError, match="values for 2 nodes"):
        read_columns("d", {"kg_node_ids": ["a", "b"], column: value})
