"""A graph from triples: nodes, edges, columns, hyperedges, names."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest

from podcast_scraper.errors import EvaluationError
from podcast_scraper.evaluate.openie import read_triples
from podcast_scraper.search.rescue.hyperedges import Hyperedge
from podcast_scraper.search.rescue.kg_columns import read_columns
from tests.shared_data import shared

if TYPE_CHECKING:
    from pathlib import Path

ROWS = [
    {
        "id": "p1",
        "entities": ["Ada Lovelace", "1843"],
        "triples": [["Ada Lovelace", "wrote", "the Notes"]],
    },
    {
        "id": "p2",
        "entities": ["the Notes", "Luigi Menabrea"],
        "triples": [["The Notes", "translate", "Luigi Menabrea"]],
    },
]


def write(path: Path, rows: list[object]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_graph_by_hand(tmp_path: Path) -> None:
    graph = read_triples(write(tmp_path / "openie.jsonl", list(ROWS)))
    assert graph.edges == (
        ("entity:ada-lovelace", "RELATES", "entity:the-notes", 1.0),
        ("entity:the-notes", "RELATES", "entity:luigi-menabrea", 1.0),
    )
    assert graph.nodes_of == {
        "p1": ("entity:1843", "entity:ada-lovelace", "entity:the-notes"),
        "p2": ("entity:luigi-menabrea", "entity:the-notes"),
    }
    assert graph.hyperedges == (
        Hyperedge(
            "bridge:entity:the-notes",
            "bridge",
            ("entity:ada-lovelace", "entity:luigi-menabrea", "entity:the-notes"),
            ("p1", "p2"),
        ),
        Hyperedge("p1#0", "insight", ("entity:ada-lovelace", "entity:the-notes"), ("p1",)),
        Hyperedge("p2#0", "insight", ("entity:luigi-menabrea", "entity:the-notes"), ("p2",)),
    )
    assert graph.aliases["Ada Lovelace"] == ("entity:ada-lovelace",)
    columns = read_columns("p1", graph.columns["p1"])
    assert columns.node_ids == graph.nodes_of["p1"]
    assert columns.neighbors == ("entity:luigi-menabrea",)
    # the-notes is the middle of the chain, and 1843 stands alone.
    assert columns.peak_centrality == columns.centralities[2] == 1.0
    assert columns.communities[1] == columns.communities[2] != columns.communities[0]


@pytest.mark.parametrize("row", [{"id": "p"}, {"id": "p", "entities": [], "triples": [["a", "b"]]}])
def test_a_wrong_line_is_named(tmp_path: Path, row: object) -> None:
    with pytest.raises(EvaluationError, match="line 2"):
        read_triples(write(tmp_path / "openie.jsonl", [ROWS[0], row]))


def test_the_triples_of_musique() -> None:
    path = shared("ir/musique-100/openie.jsonl.gz")
    with gzip.open(path, "rt") as lines:
        rows = [json.loads(line) for line in lines]
    graph = read_triples(path)
    assert len(graph.edges) == sum(len(row["triples"]) for row in rows) == 17_234
    assert len(graph.nodes_of) == len(rows)
    insights = [edge for edge in graph.hyperedges if edge.kind == "insight"]
    assert len(insights) == 17_234
