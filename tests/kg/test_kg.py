"""KG files of every version, and written ones read back."""

from __future__ import annotations

import json

import pytest

from podcast_scraper.artifacts.records import Edge, Node
from podcast_scraper.artifacts.report import Issues
from podcast_scraper.artifacts.serialising import to_json
from podcast_scraper.errors import ArtifactError
from podcast_scraper.kg.reader import read_kg
from podcast_scraper.kg.writer import kg_document

KG = frozenset({"kg"})


@pytest.mark.parametrize(
    ("version", "node"),
    [
        ("1.0", {"id": "entity:ada", "type": "Entity",
                 "properties": {"name": "Ada", "entity_kind": "person"}}),
        ("1.1", {"id": "entity:person:ada", "type": "Entity",
                 "properties": {"name": "Ada", "kind": "person"}}),
        ("1.2", {"id": "person:ada", "type": "Entity",
                 "properties": {"name": "Ada", "label": "Ada", "kind": "person"}}),
        ("2.0", {"id": "person:ada", "type": "Person", "properties": {"name": "Ada"}}),
    ],
)  # fmt: skip
def test_one_person_in_every_version(version: str, node: dict[str, object]) -> None:
    document = {"schema_version": version, "episode_id": "episode:e", "nodes": [node]}
    layer = read_kg(document, path="a.kg.json", issues=Issues())
    assert layer.nodes == (Node("person:ada", "person", {"name": "Ada"}, KG),)
    assert (layer.version, layer.episode_id) == (version, "e")


def test_an_unknown_kind_stays_an_entity() -> None:
    node = {"id": "entity:acme", "type": "Entity", "properties": {"category": "company"}}
    issues = Issues()
    layer = read_kg({"schema_version": "1.1", "nodes": [node]}, path="a.kg.json", issues=issues)
    assert layer.nodes == (Node("entity:acme", "entity", {"category": "company"}, KG),)
    assert issues.unknown_nodes == {"entity": 1}


def test_an_unknown_major_version_is_an_error() -> None:
    with pytest.raises(ArtifactError, match=r"unknown schema_version '3\.0'.*1, 2"):
        read_kg({"schema_version": "3.0"}, path="a.kg.json", issues=Issues())


def test_a_written_layer_read_back_is_equal() -> None:
    nodes = (
        Node("episode:e", "episode", {"title": "E", "podcast_id": "p"}, KG),
        Node("org:acme", "org", {"name": "Acme", "aliases": ["ACME Inc."]}, KG),
        Node("person:ada", "person", {"name": "Ada", "role": "host"}, KG, 0.25),
        Node("podcast:p", "podcast", {"title": "P"}, KG),
        Node("topic:sea", "topic", {"label": "sea", "slug": "sea"}, KG),
    )
    edges = (
        Edge("HAS_EPISODE", "podcast:p", "episode:e", "kg"),
        Edge("HOSTS", "person:ada", "podcast:p", "kg", {"since": "2020"}),
        Edge("MENTIONS", "topic:sea", "episode:e", "kg", {"confidence": 0.5}),
    )
    document = kg_document("e", nodes, edges, model_version="m", transcript_ref="transcripts/e.txt")
    assert document["extraction"] == {"model_version": "m", "transcript_ref": "transcripts/e.txt"}
    text = to_json(document)
    assert text.endswith("}\n")
    layer = read_kg(json.loads(text), path="a.kg.json", issues=Issues())
    assert (layer.nodes, layer.edges, layer.version) == (nodes, edges, "2.0")
    assert layer.header == {"extraction": document["extraction"]}
