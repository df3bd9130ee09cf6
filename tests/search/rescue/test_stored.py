"""Graph rescue over an index: what a build keeps, what search and filters make of it."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import numpy as np
import pytest

from podcast_scraper.errors import IndexDamagedError, IndexMismatchError
from podcast_scraper.graph_export import export_graph
from podcast_scraper.search.default_layer import default_layer
from podcast_scraper.search.request import SearchRequest
from podcast_scraper.search.rescue import GraphRescueRetrieval, GraphRetriever, QueryBundle
from podcast_scraper.search.rescue.hyperedge_store import read_hyperedges
from podcast_scraper.search.rescue.hypergraph import Hypergraph
from podcast_scraper.search.rescue.kg_columns import COLUMNS, KgColumns, read_columns
from podcast_scraper.search.rescue.stored import StoredRescue

if TYPE_CHECKING:
    from pathlib import Path

    from podcast_scraper.corpus import Corpus
    from podcast_scraper.search.backend import ScoredResult
    from podcast_scraper.search.rescue.stored import StoredRescue as Stored

WHY = "why did the bus change the town"


@pytest.fixture(scope="module")
def stored(sample: Corpus) -> Stored:
    return sample.index.rescue.stored


def test_every_document_has_well_formed_columns(sample: Corpus, stored: Stored) -> None:
    assert len(stored.columns) == sum(sample.index.backend.health().documents.values())
    graph = sample.graph
    for doc_id in stored.columns:
        columns = read_columns(doc_id, {**stored.columns[doc_id]})
        # Checked once more by the public contract, from plain lists.
        plain = {name: list(stored.columns[doc_id][name]) for name in COLUMNS}
        assert read_columns(doc_id, plain) == columns
        assert len(columns.centralities) == len(columns.communities) == len(columns.node_ids)
        assert all(node in graph for node in (*columns.node_ids, *columns.neighbors))
        assert not set(columns.node_ids) & set(columns.neighbors)
        assert "SPEAKER" not in " ".join(columns.node_ids).upper()
    with pytest.raises(KeyError):
        stored.columns["nothing"]


def test_an_insight_is_on_what_its_record_says(sample: Corpus, stored: Stored) -> None:
    insight = next(doc for doc in stored.doc_ids if doc.startswith("insight:"))
    document = sample.index.backend.fetch([insight])[insight]
    named = {*document.speakers, *document.topics, *document.mentions}
    nodes = set(stored.columns[insight]["kg_node_ids"])
    assert insight in nodes
    assert nodes <= {insight, *named}
    # A segment is on the insights that rest on it, and on all that these are on.
    segment = document.linked[0]
    assert nodes <= set(stored.columns[segment]["kg_node_ids"])


def test_centralities_and_communities_are_those_of_the_graph(
    sample: Corpus, stored: Stored
) -> None:
    columns = KgColumns(*(tuple(stored.columns[stored.doc_ids[0]][name]) for name in COLUMNS))
    expected = [sample.graph.centrality(node) for node in columns.node_ids]
    assert columns.centralities == pytest.approx(expected)


def test_search_appends_below_an_untouched_set(sample: Corpus) -> None:
    off = sample.run(SearchRequest(WHY, k=100, graph="off"))
    forced = sample.run(SearchRequest(WHY, k=100, graph="force"))
    assert (off.gate.fired, off.gate.vetoed_by, off.connected) == (False, "mode-off", ())
    assert off.gate.auto == forced.gate.auto
    assert forced.gate.fired
    assert "relation-cue" in forced.gate.reasons
    assert forced.hits[0].id == off.hits[0].id
    assert forced.total == off.total
    assert forced.connected
    for hit in forced.connected:
        assert hit.rescued
        assert hit.score is None
        assert hit.explain["rescue"]["lane"] in ("traversal", "hypergraph")
        path = hit.explain["rescue"]["path"]
        assert path
        assert all(step["label"] for step in path)
    assert {lane["state"] for lane in forced.lanes.values()} == {"ok"}
    assert {lane["state"] for lane in off.lanes.values()} == {"empty"}
    assert forced.to_json()["connected"][0]["score"] is None
    labels = {
        step["id"]: step["label"] for h in forced.connected for step in h.explain["rescue"]["path"]
    }
    for node, label in labels.items():
        known = sample.graph.label(node.removeprefix("bridge:"))
        assert label == known or (node.startswith("insight:") and " " in label)


def test_a_closed_gate_changes_no_byte_of_the_base(sample: Corpus) -> None:
    index = sample.index
    vector, _ = index.embed(WHY)
    with_tail = index.layer.run(WHY, vector, graph="off")
    plain = default_layer(index.backend).run(WHY, vector)
    assert with_tail.base == plain.base
    assert with_tail.cards == plain.cards


@pytest.mark.parametrize(
    "restriction",
    [
        {"shows": ("podcast:desire-lines",)},
        {"tier": "insight"},
        {"tier": "segment"},
        {"since": "2024-01-01"},
        {"insight_types": ("claim",)},
    ],
)
def test_what_restricts_the_base_restricts_the_rescued(
    sample: Corpus, restriction: dict[str, object]
) -> None:
    index = sample.index
    request = SearchRequest(WHY, graph="force", **restriction)  # type: ignore[arg-type]
    found, _ = index.service.retrieve(request)
    allowed = index.backend.allowed_keys(request.filters(), request.tier)
    assert allowed is not None
    ids = set(index.rescue.stored.with_keys(allowed))
    assert found.rescued or len(ids) == len(found.base)
    assert {one.doc_id for one in found.rescued} <= ids
    assert {one.source_tier for one in found.rescued} <= {"insight", "segment"}


def test_rescued_documents_are_not_in_the_base(sample: Corpus) -> None:
    found, _ = sample.index.service.retrieve(SearchRequest(WHY, graph="force"))
    base = {one.doc_id for one in found.base}
    rescued: list[ScoredResult] = list(found.rescued)
    assert rescued
    assert not base & {one.doc_id for one in rescued}
    assert len(rescued) <= 50


def test_the_export_gives_what_the_live_graph_gives(sample: Corpus, tmp_path: Path) -> None:
    written = export_graph(sample.index, tmp_path)
    stored = sample.index.rescue.stored
    assert written["chunks.parquet"] == len(stored.doc_ids)
    exported = GraphRetriever(
        {
            "graph": {"source": "duckdb", "edges_uri": str(tmp_path / "graph-edges.parquet")},
            "documents": {"source": "duckdb", "chunks_uri": str(tmp_path / "chunks.parquet")},
        }
    )
    hypergraph = Hypergraph.over(read_hyperedges(tmp_path / "graph-hyperedges.kv"))
    people = list(sample.graph.nodes_by_type("person"))[:6]
    for person in people:
        seeds = {person: 1.0, "topic:nothing": 0.5}
        for live, read in (
            (stored.traversal.search(seeds, 60), exported.search(seeds, 60)),
            (stored.hypergraph.search(seeds, 60), hypergraph.search(seeds, 60)),
        ):
            assert [hit for hit, _ in read.hits] == [hit for hit, _ in live.hits]
            assert [score for _, score in read.hits] == pytest.approx(
                [score for _, score in live.hits], abs=1e-9
            )
    found = exported.documents([stored.doc_ids[0]])[stored.doc_ids[0]]
    assert found.text == sample.index.backend.fetch([found.id])[found.id].text
    assert found.metadata["kg_node_ids"] == list(stored.columns[found.id]["kg_node_ids"])


def test_the_library_form_runs_over_an_export(sample: Corpus, tmp_path: Path) -> None:
    export_graph(sample.index, tmp_path)
    retriever = GraphRetriever(
        {
            "graph": {"source": "duckdb", "edges_uri": str(tmp_path / "graph-edges.parquet")},
            "documents": {"source": "duckdb", "chunks_uri": str(tmp_path / "chunks.parquet")},
        }
    )

    class Nothing:
        def search(self, query: QueryBundle, k: int) -> list[object]:
            return []

    person = sample.graph.nodes_by_type("person")[0]
    result = GraphRescueRetrieval(
        {
            "graph_mode": "force",
            "selector": "coe",
            "hyperedge_kv_path": str(tmp_path / "graph-hyperedges.kv"),
        },
        bm25=Nothing(),  # type: ignore[arg-type]
        graph=retriever,
        hyperedge_documents=retriever.documents,
    ).run(QueryBundle("anything", None, (person,)))
    assert result.rescued == len(result.candidates) > 0


@pytest.fixture
def generation(sample: Corpus, tmp_path: Path) -> Path:
    source = sample.index.derived
    for name in ("rescue", "graph"):
        shutil.copytree(source / name, tmp_path / name)
    return tmp_path


def test_a_copy_opens(generation: Path) -> None:
    opened = StoredRescue(generation)
    assert opened.traversal.search({opened.graph.compiled.ids[-1]: 1.0}, 1) is not None


def test_another_version_is_refused(generation: Path) -> None:
    (generation / "rescue" / "rescue.json").write_text(json.dumps({"version": 99}))
    with pytest.raises(IndexMismatchError, match="version 99"):
        StoredRescue(generation)


@pytest.mark.parametrize("name", ["rescue.json", "doc_ids.npy", "node_items.npy"])
def test_a_missing_file_is_damage(generation: Path, name: str) -> None:
    (generation / "rescue" / name).unlink()
    with pytest.raises(IndexDamagedError, match="index"):
        StoredRescue(generation)


def test_a_node_that_does_not_exist_is_damage(generation: Path) -> None:
    path = generation / "rescue" / "node_items.npy"
    items = np.load(path)
    items[0] = 10**6
    np.save(path, items)
    with pytest.raises(IndexDamagedError):
        StoredRescue(generation)
