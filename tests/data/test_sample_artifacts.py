"""The built sample corpus obeys the ontology, and its offsets and times are exact."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from podcast_scraper.identity.canonical import type_of
from podcast_scraper.identity.slugify import slugify

if TYPE_CHECKING:
    from tests.data.conftest import RawEpisode

ALLOWED = {
    "SUPPORTED_BY": ("insight", "quote"),
    "SPOKEN_BY": ("quote", "person"),
    "SPOKE_IN": ("person", "episode"),
    "HAS_INSIGHT": ("episode", "insight"),
    "HAS_EPISODE": ("podcast", "episode"),
    "HOSTS": ("person", "podcast"),
    "GUESTS_ON": ("person", "podcast"),
    "ABOUT": ("insight", "topic"),
    "MENTIONS_PERSON": ("insight", "person"),
    "MENTIONS_ORG": ("insight", "org"),
    "MENTIONS": ("episode", "topic|person|org"),
    "RELATED_TO": ("topic", "topic"),
}
TYPE_OF_ARTIFACT = {"Organization": "org"}


@pytest.mark.parametrize("layer", ["gi", "kg"])
def test_edges_join_existing_nodes_of_the_right_types(corpus: list[RawEpisode], layer: str) -> None:
    for episode in corpus:
        content = getattr(episode, layer)
        ids = [node["id"] for node in content["nodes"]]
        assert len(ids) == len(set(ids)), episode.stem
        for edge in content["edges"]:
            assert {edge["from"], edge["to"]} <= set(ids), (episode.stem, edge)
            source, target = ALLOWED[edge["type"]]
            assert type_of(edge["from"]) == source, edge
            assert type_of(edge["to"]) in target.split("|"), edge
            assert 0 < edge.get("properties", {}).get("confidence", 1) <= 1


def test_node_types_agree_with_their_ids(corpus: list[RawEpisode]) -> None:
    for episode in corpus:
        for node in (*episode.gi["nodes"], *episode.kg["nodes"]):
            stated = TYPE_OF_ARTIFACT.get(node["type"], node["type"].lower())
            assert type_of(node["id"]) == stated, node
            if stated in ("person", "org"):
                assert node["id"].partition(":")[2] == slugify(node["properties"]["name"])


def test_quotes_are_verbatim_at_their_offsets(corpus: list[RawEpisode]) -> None:
    for episode in corpus:
        speaker_of = dict(episode.edges("gi", "SPOKEN_BY"))
        for quote in episode.nodes("gi", "Quote"):
            p = quote["properties"]
            start, end = p["char_start"], p["char_end"]
            assert episode.text[start:end] == p["text"], (episode.stem, p["text"])
            line = episode.text[episode.text.rfind("\n", 0, start) + 1 : end]
            assert speaker_of[quote["id"]] == f"person:{slugify(line.partition(': ')[0])}"


def test_quote_times_lie_in_a_segment_of_the_same_words(corpus: list[RawEpisode]) -> None:
    for episode in corpus:
        for quote in episode.nodes("gi", "Quote"):
            p = quote["properties"]
            start, end = p["timestamp_start_ms"] / 1000, p["timestamp_end_ms"] / 1000
            assert 0 <= start < end <= episode.metadata["episode"]["duration_seconds"]
            spoken = " ".join(
                s["text"] for s in episode.segments if s["start"] < end and s["end"] > start
            )
            assert p["text"] in spoken, (episode.stem, p["text"])


def test_segments_follow_the_text_in_order(corpus: list[RawEpisode]) -> None:
    for episode in corpus:
        at, clock = 0, 0.0
        for segment in episode.segments:
            at = episode.text.index(segment["text"], at) + len(segment["text"])
            assert clock <= segment["start"] < segment["end"]
            clock = segment["end"]
        spoken = " ".join(line.partition(": ")[2] for line in episode.text.splitlines())
        assert " ".join(s["text"] for s in episode.segments) == spoken


def test_pace_is_that_of_speech(corpus: list[RawEpisode]) -> None:
    for episode in corpus:
        words = sum(len(segment["text"].split()) for segment in episode.segments)
        assert 2.0 < words / episode.metadata["episode"]["duration_seconds"] < 3.1, episode.stem


def test_grounded_flags_are_what_the_edges_say(corpus: list[RawEpisode]) -> None:
    seen = set()
    for episode in corpus:
        supported = {source for source, _ in episode.edges("gi", "SUPPORTED_BY")}
        for insight in episode.nodes("gi", "Insight"):
            grounded = insight["properties"]["grounded"]
            seen.add(grounded)
            assert grounded == (insight["id"] in supported)
            assert grounded == ("position_hint" in insight["properties"])
    assert seen == {True, False}


def test_layers_name_the_same_episode_and_bridge_only_shared_ids(
    corpus: list[RawEpisode],
) -> None:
    for episode in corpus:
        ids = {episode.kg["episode_id"], episode.bridge["episode_id"], episode.id}
        assert ids == {episode.metadata["episode"]["episode_id"]}
        shared = {n["id"] for n in episode.gi["nodes"]} & {n["id"] for n in episode.kg["nodes"]}
        assert {i["id"] for i in episode.bridge["identities"]} == {
            nid for nid in shared if not nid.startswith("episode:")
        }
        assert re.fullmatch(r"202[2-5]-\d\d-\d\d.*", episode.stem)
