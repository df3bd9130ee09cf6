"""GI files of every version, and written ones read back."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from podcast_scraper.artifacts.records import Edge, Node
from podcast_scraper.artifacts.report import Issues
from podcast_scraper.artifacts.serialising import to_json
from podcast_scraper.gi.about_edges import about_confidence, build_about_edges
from podcast_scraper.gi.reader import read_gi
from podcast_scraper.gi.writer import gi_document

GI = frozenset({"gi"})
TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc", "Z"]), min_size=1, max_size=12)
SLUG = st.text("abc-", min_size=1, max_size=6).map(lambda text: f"x{text}x")
UNIT = st.floats(0, 1)


def nodes_of(kind: str, properties: dict[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[Node]:
    return st.builds(
        Node,
        SLUG.map(lambda slug: f"{kind}:{slug}"),
        st.just(kind),
        st.fixed_dictionaries({}, optional=properties),
        st.just(GI),
        st.none() | UNIT,
    )


def insights() -> st.SearchStrategy[Node]:
    base = nodes_of("insight", {"position_hint": UNIT, "episode_id": SLUG, "extra": TEXT})
    types = st.sampled_from(["claim", "question", "unknown"])
    return st.builds(
        lambda node, text, grounded, kind: Node(
            node.id,
            node.type,
            {**node.properties, "text": text, "grounded": grounded, "insight_type": kind},
            GI,
            node.confidence,
        ),
        base, TEXT, st.booleans(), types,
    )  # fmt: skip


def quotes() -> st.SearchStrategy[Node]:
    whole = st.integers(0, 10**9)
    keys = dict.fromkeys(["char_start", "char_end", "start_ms", "end_ms"], whole)
    base = nodes_of("quote", {**keys, "speaker_id": SLUG})
    return st.builds(
        lambda node, text: Node(
            node.id, node.type, {**node.properties, "text": text}, GI, node.confidence
        ),
        base, TEXT,
    )  # fmt: skip


NODES = st.lists(
    insights()
    | quotes()
    | nodes_of("person", {"name": TEXT, "role": st.sampled_from(["host", "guest"])})
    | nodes_of("org", {"name": TEXT, "description": TEXT})
    | nodes_of("topic", {"label": TEXT})
    | nodes_of("event", {"anything": st.lists(st.integers(), max_size=3)}),
    unique_by=lambda node: node.id,
    max_size=8,
)


@given(NODES, st.data())
def test_a_written_layer_read_back_is_equal(nodes: list[Node], data: st.DataObject) -> None:
    ids = sorted(node.id for node in nodes)
    pairs = [(one, other) for one in ids for other in ids if one != other]
    chosen = data.draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    edges = [
        Edge("ABOUT", one, other, "gi", {"confidence": data.draw(UNIT)}) for one, other in chosen
    ]
    document = gi_document("e", nodes, edges, model_version="m")
    text = to_json(document)
    assert text == to_json(gi_document("e", nodes[::-1], edges[::-1], model_version="m"))
    issues = Issues()
    layer = read_gi(json.loads(text), path="a.gi.json", issues=issues)
    assert list(layer.nodes) == sorted(nodes, key=lambda node: node.id)
    assert sorted(layer.edges, key=lambda e: (e.source, e.target)) == sorted(
        edges, key=lambda e: (e.source, e.target)
    )
    assert (layer.version, layer.episode_id) == ("3.1", "e")
    assert (issues.dropped, issues.repairs, issues.warnings) == ([], [], [])


def test_written_names_are_those_of_the_format() -> None:
    nodes = [
        Node("org:acme", "org", {"name": "Acme"}, GI),
        Node("person:speaker-03@e", "person", {"name": "SPEAKER_03"}, GI),
        Node("quote:1", "quote", {"text": "Q", "start_ms": 5, "located": "offsets"}, GI, 0.5),
    ]
    edges = [Edge("SPOKEN_BY", "quote:1", "person:speaker-03@e", "gi")]
    document = gi_document("episode:e", nodes, edges, model_version="m", prompt_version="p")
    assert document == {
        "schema_version": "3.1",
        "episode_id": "e",
        "model_version": "m",
        "prompt_version": "p",
        "nodes": [
            {"id": "org:acme", "type": "Organization", "properties": {"name": "Acme"}},
            {"id": "person:speaker-03", "type": "Person", "properties": {"name": "SPEAKER_03"}},
            {"id": "quote:1", "type": "Quote", "confidence": 0.5,
             "properties": {"text": "Q", "timestamp_start_ms": 5}},
        ],
        "edges": [{"type": "SPOKEN_BY", "from": "quote:1", "to": "person:speaker-03"}],
    }  # fmt: skip


def test_version_1_speakers_are_people() -> None:
    document = {
        "schema_version": "1.0",
        "episode_id": "e",
        "nodes": [
            {"id": "speaker:ada-byron", "type": "Speaker", "properties": {"name": "Ada Byron"}},
            {"id": "quote:1", "type": "Quote", "properties": {"text": "Q"}},
        ],
        "edges": [{"type": "SPOKEN_BY", "from": "quote:1", "to": "speaker:ada-byron"}],
    }
    layer = read_gi(document, path="a.gi.json", issues=Issues())
    assert layer.nodes[0] == Node("person:ada-byron", "person", {"name": "Ada Byron"}, GI)
    assert layer.edges == (Edge("SPOKEN_BY", "quote:1", "person:ada-byron", "gi"),)


def test_about_edges_by_shared_words() -> None:
    insights = [
        Node("insight:1", "insight", {"text": "Wolves bring rivers back to life."}, GI),
        Node("insight:2", "insight", {"text": "Nobody reads old maps."}, GI),
    ]
    topics = [
        Node("topic:wolf", "topic", {"label": "the wolf", "aliases": ["wolves"]}, GI),
        Node("topic:river-life", "topic", {"label": "life of the river delta"}, GI),
        Node("topic:maps", "topic", {"label": "Map"}, GI),
        Node("topic:none", "topic", {}, GI),
    ]
    edges = build_about_edges(insights, topics)
    assert [(edge.source, edge.target, about_confidence(edge)) for edge in edges] == [
        ("insight:1", "topic:river-life", 0.6667),
        ("insight:1", "topic:wolf", 1.0),
        ("insight:2", "topic:maps", 1.0),
    ]
    assert edges == build_about_edges(insights[::-1], topics[::-1])
    assert len(build_about_edges(insights, topics, least=0.7)) == 2
    assert about_confidence(Edge("ABOUT", "a", "b", "gi")) is None
    assert about_confidence(Edge("ABOUT", "a", "b", "gi", {"confidence": "7"})) == 1.0
