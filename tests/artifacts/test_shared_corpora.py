"""Real corpora: counts against the raw JSON, nothing lost, and the facts of the format."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from podcast_scraper.artifacts.reading import open_reading
from podcast_scraper.artifacts.records import EpisodeRecord
from podcast_scraper.artifacts.report import ReadReport
from tests.shared_data import shared

CORPORA = ("nine-shows-v3", "real-episodes-v1")


def raw(root: Path, layer: str) -> list[dict[str, Any]]:
    return [json.loads(path.read_text("utf-8")) for path in sorted(root.rglob(f"*.{layer}.json"))]


@pytest.fixture(scope="module", params=CORPORA)
def corpus(request: pytest.FixtureRequest) -> tuple[Path, list[EpisodeRecord], ReadReport]:
    root = shared(f"corpora/{request.param}")
    reading = open_reading(root)
    records = list(reading.episodes())
    return root, records, reading.report


Corpus = tuple[Path, list[EpisodeRecord], ReadReport]


def test_read_counts_equal_the_files(corpus: Corpus) -> None:
    root, records, report = corpus
    documents = raw(root, "gi") + raw(root, "kg")
    nodes = Counter(node["type"] for document in documents for node in document["nodes"])
    edges = Counter(edge["type"] for document in documents for edge in document["edges"])
    assert report.to_json()["read"] == {"nodes": nodes, "edges": edges}
    assert report.episodes == len(records) == len({d["episode_id"] for d in documents})
    assert report.lossless


def test_every_node_and_edge_is_found(corpus: Corpus) -> None:
    root, records, _ = corpus
    by_id = {record.episode_id: record for record in records}
    for document in raw(root, "gi") + raw(root, "kg"):
        record = by_id[document["episode_id"]]
        held = {node.id.partition("@")[0]: node for node in record.nodes}
        for node in document["nodes"]:
            found = held[node["id"]]
            for key in ("text", "title"):
                assert found.properties.get(key) == node["properties"].get(key)
            name = found.properties.get("name", found.properties.get("label"))
            names = {name, *found.properties.get("aliases", ())}
            for key in ("name", "label"):
                stated = node["properties"].get(key)
                assert stated is None or " ".join(stated.split()) in names
        edges = {
            (e.type, e.source.partition("@")[0], e.target.partition("@")[0]) for e in record.edges
        }
        for edge in document["edges"]:
            assert (edge["type"], edge["from"], edge["to"]) in edges


def test_edges_lead_to_nodes_and_order_is_fixed(corpus: Corpus) -> None:
    root, records, _ = corpus
    assert list(open_reading(root).episodes()) == records
    for record in records:
        ids = [node.id for node in record.nodes]
        assert ids == sorted(set(ids))
        for edge in record.edges:
            assert {edge.source, edge.target} <= set(ids)
        assert ("HAS_EPISODE", record.show.id) in {(e.type, e.source) for e in record.edges}


@pytest.fixture(scope="module")
def nine_shows() -> Corpus:
    root = shared("corpora/nine-shows-v3")
    reading = open_reading(root)
    return root, list(reading.episodes()), reading.report


def test_nine_shows_facts(nine_shows: Corpus) -> None:
    root, records, report = nine_shows
    assert {record.show.id for record in records} == {f"podcast:p{n:02}" for n in range(1, 10)}
    uses = Counter(
        node["id"] for d in raw(root, "gi") for node in d["nodes"] if node["type"] == "Insight"
    )
    recurring = {insight: count for insight, count in uses.items() if count > 1}
    assert max(recurring.values()) == 13
    held = Counter(
        node.id.partition("@")[0]
        for record in records
        for node in record.nodes
        if node.type == "insight" and node.id.endswith(f"@{record.episode_id}")
    )
    assert held == recurring
    assert len({n.id for r in records for n in r.nodes if n.type == "insight"}) == uses.total()
    owned = sum(len([e for e in d["edges"] if e["type"] == "HAS_INSIGHT"]) for d in raw(root, "gi"))
    assert report.derived_edges["HAS_INSIGHT"] == uses.total() - owned
    assert report.derived_nodes == {"podcast": 9}


def test_nine_shows_speakers_are_those_of_the_edges(nine_shows: Corpus) -> None:
    root, records, _ = nine_shows
    stated = {
        (d["episode_id"], e["from"]): e["to"]
        for d in raw(root, "gi")
        for e in d["edges"]
        if e["type"] == "SPOKEN_BY"
    }
    differing = 0
    for document in raw(root, "gi"):
        for node in document["nodes"]:
            if node["type"] == "Quote":
                differing += (
                    node["properties"]["speaker_id"] != stated[document["episode_id"], node["id"]]
                )
    assert differing == 216
    spoken = {
        (record.episode_id, edge.source.partition("@")[0]): edge.target
        for record in records
        for edge in record.edges
        if edge.type == "SPOKEN_BY"
    }
    assert spoken == stated


def test_nine_shows_quotes_are_where_they_say(nine_shows: Corpus) -> None:
    _, records, _ = nine_shows
    located: Counter[str] = Counter()
    for record in records:
        for node in record.nodes:
            if node.type == "quote":
                properties = node.properties
                located[properties["located"]] += 1
                start, end = properties.get("char_start"), properties.get("char_end")
                if properties["located"] in ("offsets", "verbatim"):
                    assert record.transcript.text[start:end] == properties["text"]
                    assert properties["end_ms"] > properties["start_ms"] >= 0
                else:
                    assert properties["text"] not in record.transcript.text
                    assert start is None
    assert located == {"offsets": 216, "verbatim": 7, "none": 9}


def test_nine_shows_segments_align_and_have_speakers(nine_shows: Corpus) -> None:
    _, records, _ = nine_shows
    for record in records:
        for segment in record.transcript.segments:
            held = record.transcript.text[segment.char_start : segment.char_end]
            assert held.split() == segment.text.split()
            assert (segment.kind == "ad") == (segment.speaker_label == "Ad")
            assert (segment.speaker_id is None) == (segment.kind == "ad")
    candidates = {
        (alias.entity_id, alias.name)
        for record in records
        for alias in record.aliases
        if alias.origin == "label"
    }
    assert ("person:sophie-laurent", "Sophie Lorenz") in candidates
    assert ("person:noah-brier", "Noah Bryer") in candidates
    people = {node.id for record in records for node in record.nodes if node.type == "person"}
    assert len(people) == 26


def test_real_episodes_facts() -> None:
    root = shared("corpora/real-episodes-v1")
    records = list(open_reading(root).episodes())
    stated = {
        node["id"]: node["properties"]["kind"]
        for d in raw(root, "kg")
        for node in d["nodes"]
        if node["type"] == "Entity"
    }
    held = {n.id: n.type for r in records for n in r.nodes if n.type in ("person", "org")}
    assert held == stated
    for record in records:
        assert record.transcript.text == ""
        for node in record.nodes:
            if node.type == "quote":
                assert node.properties["located"] == "time"
        assert record.show.title.startswith("Show ")
