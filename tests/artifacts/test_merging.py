"""Rules of the format, one by one, from files to the record."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from podcast_scraper.artifacts.reading import open_reading
from tests.artifacts.corpora import (
    edge,
    edges_of,
    gi,
    held,
    kg,
    node,
    read,
    read_one,
    write_files,
)

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("raw", "node_type", "properties", "canonical", "canonical_type"),
    [
        ("person:ada", "Person", {"name": "Ada Lovelace"}, "person:ada", "person"),
        ("person:ada", "Organization", {"name": "Ada"}, "person:ada", "person"),
        ("speaker:ada-lovelace", "Speaker", {"name": "Ada"}, "person:ada-lovelace", "person"),
        ("speaker:SPEAKER_03", "Speaker", {}, "person:speaker-03@e", "person"),
        ("person:SPEAKER_03", "Person", {}, "person:speaker-03@e", "person"),
        ("entity:person:ada", "Entity", {"kind": "person"}, "person:ada", "person"),
        ("entity:organization:acme", "Entity", {"kind": "org"}, "org:acme", "org"),
        ("entity:acme", "Entity", {"entity_kind": "organization"}, "org:acme", "org"),
        ("entity:acme", "Entity", {"category": "company"}, "entity:acme", "entity"),
        ("org:acme", "Entity", {"kind": "org"}, "org:acme", "org"),
        ("organization:acme", "Organization", {"name": "Acme"}, "org:acme", "org"),
        ("gi:insight:12ab", "Insight", {"text": "T"}, "insight:12ab", "insight"),
        ("k:topic:wolves", "Topic", {"label": "Wolves"}, "topic:wolves", "topic"),
        ("kg:entity:person:ada", "Entity", {"kind": "person"}, "person:ada", "person"),
        ("concept:topic-wolves", "Topic", {"label": "Wolves"}, "concept:topic-wolves", "topic"),
        ("topic:a-label-that-was-cut-of", "Topic", {"label": "A label that was cut off"},
         "topic:a-label-that-was-cut-of", "topic"),
        ("n1", "Person", {"name": "Ada Lovelace"}, "person:ada-lovelace", "person"),
        ("n2", "Person", {"canonical_name": "Ada L."}, "person:ada-l", "person"),
        ("n3", "Topic", {"label": "Deep  Sea"}, "topic:deep-sea", "topic"),
        ("n4", "Insight", {"text": "T"}, "insight:n4", "insight"),
        (17, "Quote", {"text": "T"}, "quote:17", "quote"),
        ("event:x", "Event", {"label": "X"}, "event:x", "event"),
        ("x1", "Event", {}, "event:x1", "event"),
    ],
)  # fmt: skip
def test_canonical_ids(
    raw: object,
    node_type: str,
    properties: dict[str, Any],
    canonical: str,
    canonical_type: str,
    tmp_path: Path,
) -> None:
    for layer, build in (("gi", gi), ("kg", kg)):
        files = {f"a.{layer}.json": build("e", [node(raw, node_type, **properties)], [])}
        record, report = read_one(tmp_path / layer, files)
        assert held(record)[canonical].type == canonical_type
        assert held(record)[canonical].layers == {layer}
        assert report.lossless


def test_names_without_ascii_keep_their_nodes(tmp_path: Path) -> None:
    nodes = [node("p1", "Person", name="王伟"), node("p2", "Person", name="李伟")]
    record, _ = read_one(tmp_path, {"a.gi.json": gi("e", nodes, [])})
    people = {
        found.id: found.properties["name"] for found in record.nodes if found.type == "person"
    }
    assert sorted(people.values()) == ["李伟", "王伟"]


def test_gi_wins_and_no_name_is_lost(tmp_path: Path) -> None:
    record, report = read_one(
        tmp_path,
        {
            "a.gi.json": gi("e", [node("person:ada", "Person", name="Ada", role="GUEST")], []),
            "a.kg.json": kg(
                "episode:e",
                [
                    node("person:ada", "Person", name="Ada Lovelace", role="host", description="D"),
                    node("person:ada", "Person", name="Countess", aliases=["Ada K."]),
                ],
                [],
            ),
        },
    )
    ada = held(record)["person:ada"]
    assert ada.layers == {"gi", "kg"}
    assert (ada.properties["name"], ada.properties["role"]) == ("Ada", "guest")
    assert ada.properties["description"] == "D"
    assert {alias.name for alias in record.aliases} == {"Ada Lovelace", "Countess", "Ada K."}
    assert [repair.kind for repair in report.repairs] == ["duplicate node"]
    assert report.read_nodes == {"Person": 3}


@pytest.mark.parametrize(
    ("layer", "version", "readable", "warned"),
    [
        ("gi", "1.0", True, False), ("gi", "2", True, False), ("gi", 2, True, False),
        ("gi", 3.1, True, False), ("gi", "3.2", True, True), ("gi", None, True, True),
        ("gi", "4.0", False, False), ("gi", "new", False, False), ("gi", True, False, False),
        ("gi", [3], False, False), ("kg", "1.2", True, False), ("kg", "2.0", True, False),
        ("kg", "2.1", True, True), ("kg", "3.0", False, False),
    ],
)  # fmt: skip
def test_versions(
    layer: str, version: object, readable: bool, warned: bool, tmp_path: Path
) -> None:
    good = {"other.gi.json": gi("other", [node("episode:other", "Episode")], [])}
    files = {f"a.{layer}.json": gi("e", [node("topic:t", "Topic", label="T")], [], version)}
    records, report = read(tmp_path, good | files)
    assert ("e" in {record.episode_id for record in records}) == readable
    assert "other" in {record.episode_id for record in records}
    assert [item.path for item in report.quarantined] == ([] if readable else [f"a.{layer}.json"])
    assert any("schema_version" in notice.message for notice in report.warnings) == warned


def test_edges_join_the_layers_and_names_of_types_ignore_case(tmp_path: Path) -> None:
    record, report = read_one(
        tmp_path,
        {
            "a.gi.json": gi(
                "e",
                [node("g:insight:1", "Insight", text="T"), node("n7", "Person", name="Ada")],
                [
                    edge("mentions_org", "g:insight:1", "entity:organization:acme"),
                    edge("Mentions", "insight:1", "p9", confidence="0.25"),
                    edge("SPOKE_IN", "n7", "episode:e"),
                    edge("WHISPERS", "insight:1", "topic:t"),
                    edge("ABOUT", "insight:1", "topic:absent"),
                ],
            ),
            "a.kg.json": kg(
                "e",
                [
                    node("org:acme", "Organization", name="Acme"),
                    node("p9", "Entity", kind="person", name="Bo"),
                    node("topic:t", "Topic", label="T"),
                ],
                [edge("MENTIONS", "topic:t", "episode:e"), edge("MENTIONS", "episode:e", "p9")],
            ),
        },
    )
    assert edges_of(record) == {
        ("MENTIONS_ORG", "insight:1", "org:acme", "gi"),
        ("MENTIONS", "insight:1", "person:bo", "gi"),
        ("SPOKE_IN", "person:ada", "episode:e", "gi"),
        ("WHISPERS", "insight:1", "topic:t", "gi"),
        ("MENTIONS", "topic:t", "episode:e", "kg"),
        ("MENTIONS", "episode:e", "person:bo", "kg"),
        ("HAS_INSIGHT", "episode:e", "insight:1", "derived"),
        ("HAS_EPISODE", "podcast:unknown", "episode:e", "derived"),
    }
    confidences = [found.properties for found in record.edges if found.target == "person:bo"]
    assert {"confidence": 0.25} in confidences
    assert report.unknown_edges == {"WHISPERS": 1}
    assert [item.item for item in report.dropped] == ["ABOUT insight:1 → topic:absent"]
    assert report.read_edges["mentions_org"] == 1


def test_bad_items_are_dropped_one_by_one(tmp_path: Path) -> None:
    record, report = read_one(
        tmp_path,
        {
            "a.gi.json": gi(
                "e",
                [
                    {"type": "Topic"}, {"id": "", "type": "Topic"}, "text", None,
                    node("topic:t", "Topic", label="T"),
                    {"id": "topic:u", "type": "Topic", "properties": []},
                ],
                [
                    edge("RELATED_TO", "topic:t", "topic:t"),
                    {"type": "ABOUT", "from": "topic:t"},
                    5,
                    edge("RELATED_TO", "topic:t", "topic:u"),
                    edge("RELATED_TO", "topic:t", "topic:u", confidence=0.5),
                ],
            ),
            "a.kg.json": kg("e", "none", {"a": 1}),  # type: ignore[arg-type]
        },
    )  # fmt: skip
    assert {"topic:t", "topic:u"} <= held(record).keys()
    assert held(record)["topic:u"].properties["label"] == "u"
    (related,) = (found for found in record.edges if found.type == "RELATED_TO")
    assert related.properties == {"confidence": 0.5}
    assert [(item.path, item.item) for item in report.dropped] == [
        ("a.kg.json", "nodes"), ("a.kg.json", "edges"),
        ("a.gi.json", "nodes[0]"), ("a.gi.json", "nodes[1]"), ("a.gi.json", "nodes[2]"),
        ("a.gi.json", "nodes[3]"), ("a.gi.json", "RELATED_TO topic:t → topic:t"),
        ("a.gi.json", "edges[1]"), ("a.gi.json", "edges[2]"),
    ]  # fmt: skip


def test_an_edge_to_an_identity_of_the_bridge_is_kept(tmp_path: Path) -> None:
    record, report = read_one(
        tmp_path,
        {
            "a.gi.json": gi(
                "e",
                [node("insight:1", "Insight", text="T")],
                [edge("ABOUT", "insight:1", "topic:t")],
            ),
            "a.bridge.json": {
                "identities": {"topic:t": {"display_name": "The T", "aliases": "Tee"}}
            },
        },
    )
    assert held(record)["topic:t"].properties == {"label": "The T"}
    assert held(record)["topic:t"].layers == {"derived"}
    assert [alias.name for alias in record.aliases] == ["Tee"]
    assert report.lossless


def statement(episode: str, speaker: str) -> dict[str, Any]:
    return gi(
        episode,
        [
            node("insight:1", "Insight", text="Stay curious.", grounded=True),
            node("quote:1", "Quote", text="Stay curious."),
            node(f"insight:{episode}", "Insight", text="Its own."),
            node(speaker, "Person", name=speaker),
        ],
        [
            edge("HAS_INSIGHT", f"episode:{episode}", "insight:1"),
            edge("SUPPORTED_BY", "insight:1", "quote:1"),
            edge("SPOKEN_BY", "quote:1", speaker),
        ],
    )


def test_recurring_statements_stay_apart(tmp_path: Path) -> None:
    records, report = read(
        tmp_path,
        {"a.gi.json": statement("a", "person:ada"), "b.gi.json": statement("b", "person:bo")},
    )
    for record, speaker in zip(records, ("person:ada", "person:bo"), strict=True):
        own = record.episode_id
        assert ("SPOKEN_BY", f"quote:1@{own}", speaker, "gi") in edges_of(record)
        assert ("SUPPORTED_BY", f"insight:1@{own}", f"quote:1@{own}", "gi") in edges_of(record)
        assert ("HAS_INSIGHT", f"episode:{own}", f"insight:1@{own}", "gi") in edges_of(record)
        assert f"insight:{own}" in held(record)
        assert "insight:1" not in held(record)
    assert report.derived_edges["HAS_INSIGHT"] == 2


def test_voices_are_local(tmp_path: Path) -> None:
    files = {f"{name}.gi.json": statement(name, "person:speaker-03") for name in ("a", "b")}
    records, _ = read(tmp_path, files)
    voices = [{found.id for found in record.nodes if found.type == "person"} for record in records]
    assert voices == [{"person:speaker-03@a"}, {"person:speaker-03@b"}]
    for record in records:
        spoken = [found.target for found in record.edges if found.type == "SPOKEN_BY"]
        assert spoken == [f"person:speaker-03@{record.episode_id}"]


def test_spoken_by_decides_and_speaker_id_stands_in(tmp_path: Path) -> None:
    quotes = {
        "quote:edge": "person:bo",
        "quote:person": "speaker:ada",
        "quote:voice": "person:speaker-01",
        "quote:label": "SPEAKER_02",
        "quote:listed": "speaker_1",
        "quote:none": None,
    }
    record, report = read_one(
        tmp_path,
        {
            "a.gi.json": gi(
                "e",
                [
                    node("person:ada", "Person", name="Ada"),
                    node("person:cy", "Person", name="Cy Young"),
                    *(
                        node(name, "Quote", text=name, speaker_id=who)
                        for name, who in quotes.items()
                    ),
                ],
                [edge("SPOKEN_BY", "quote:edge", "person:ada")],
            ),
            "a.metadata.json": {"content": {"speakers": [{"id": "speaker_1", "name": "Cy Young"}]}},
        },
    )
    assert {found[1:] for found in edges_of(record) if found[0] == "SPOKEN_BY"} == {
        ("quote:edge", "person:ada", "gi"),
        ("quote:person", "person:ada", "derived"),
        ("quote:listed", "person:cy", "derived"),
    }
    assert report.derived_edges["SPOKEN_BY"] == 2


def test_grounded_is_what_the_edges_say(tmp_path: Path) -> None:
    record, report = read_one(
        tmp_path,
        {
            "a.gi.json": gi(
                "e",
                [
                    node("insight:yes", "Insight", text="T", grounded=True),
                    node("insight:boast", "Insight", text="T", grounded=True, insight_type="Hunch"),
                    node("insight:shy", "Insight", text="T", grounded=False, insight_type="Claim"),
                    node("quote:1", "Quote", text="Q"),
                ],
                [
                    edge("supported_by", "insight:yes", "quote:1"),
                    edge("SUPPORTED_BY", "insight:shy", "quote:1"),
                ],
                "2.0",
            )
        },
    )
    grounded = {key: held(record)[f"insight:{key}"].properties for key in ("yes", "boast", "shy")}
    assert {key: found["grounded"] for key, found in grounded.items()} == {
        "yes": True, "boast": False, "shy": True,
    }  # fmt: skip
    assert [grounded[key]["insight_type"] for key in ("boast", "shy")] == ["unknown", "claim"]
    assert [repair.kind for repair in report.repairs] == ["grounded", "grounded"]


def test_old_files_with_has_quote(tmp_path: Path) -> None:
    record, report = read_one(
        tmp_path,
        {
            "a.gi.json": gi(
                "e",
                [node("insight:1", "Insight", text="T"), node("quote:1", "Quote", text="Q"),
                 node("topic:t", "Topic", label="T")],
                [edge("HAS_QUOTE", "episode:e", "quote:1"),
                 edge("RELATES_TO", "episode:e", "topic:t")],
                "2.0",
            )
        },
    )  # fmt: skip
    assert {("HAS_QUOTE", "episode:e", "quote:1", "gi"),
            ("RELATES_TO", "episode:e", "topic:t", "gi")} <= edges_of(record)  # fmt: skip
    assert held(record)["insight:1"].properties["grounded"] is False
    assert report.unknown_edges == {}


def test_position_hint_is_stated_clamped_or_derived(tmp_path: Path) -> None:
    def quote(name: str, start: int) -> dict[str, Any]:
        return node(
            name, "Quote", text=name, timestamp_start_ms=start, timestamp_end_ms=start + 1000
        )

    record, _ = read_one(
        tmp_path,
        {
            "a.gi.json": gi(
                "e",
                [
                    node("episode:e", "Episode", duration_ms=100_000),
                    node("insight:stated", "Insight", text="T", position_hint=0.9),
                    node("insight:beyond", "Insight", text="T", position_hint=7),
                    node("insight:derived", "Insight", text="T"),
                    node("insight:bare", "Insight", text="T"),
                    quote("quote:1", 20_000),
                    quote("quote:2", 40_000),
                ],
                [edge("SUPPORTED_BY", "insight:derived", f"quote:{n}") for n in (1, 2)],
            )
        },
    )
    hints = {
        found.id.partition(":")[2]: found.properties.get("position_hint")
        for found in record.nodes
        if found.type == "insight"
    }
    assert hints == {"stated": 0.9, "beyond": 1.0, "derived": 0.3, "bare": None}


NOW = datetime(2025, 6, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("metadata", "gi_date", "kg_date", "published", "kinds"),
    [
        ("2024-03-01T10:00:00+02:00", None, None, "2024-03-01T08:00:00+00:00", []),
        (None, "2024-03-01T10:00:00", None, "2024-03-01T10:00:00+00:00", ["date"]),
        (None, None, "Fri, 2 May 2014 10:10 GMT", "2014-05-02T10:10:00+00:00", []),
        ("not a date", "2024-03-01Z", None, None, ["date", "date"]),
        ("2024-03-01", "2024-03-01T23:00:00Z", "2024-03-02T01:00:00Z", "2024-03-01T00:00:00+00:00",
         ["date", "differ"]),
        ("2030-01-01T00:00:00Z", None, None, "2030-01-01T00:00:00+00:00", ["future"]),
        (5, [], {}, None, ["date", "date", "date"]),
        (None, None, None, None, ["not known"]),
    ],
)  # fmt: skip
def test_dates(
    metadata: object,
    gi_date: object,
    kg_date: object,
    published: str | None,
    kinds: list[str],
    tmp_path: Path,
) -> None:
    write_files(
        tmp_path,
        {
            "a.metadata.json": {"episode": {"published_date": metadata}},
            "a.gi.json": gi("e", [node("episode:e", "Episode", publish_date=gi_date)], []),
            "a.kg.json": kg("e", [node("episode:e", "Episode", publish_date=kg_date)], []),
        },
    )
    reading = open_reading(tmp_path, now=NOW)
    (record,) = reading.episodes()
    assert record.published == (datetime.fromisoformat(published) if published else None)
    told = [repair.kind for repair in reading.report.repairs]
    told += [notice.message for notice in reading.report.warnings]
    assert all(any(kind in line for line in told) for kind in kinds)
    if not kinds:
        assert told == []


@pytest.mark.parametrize(
    ("stated", "segment_end", "duration_ms", "duration"),
    [
        (60, 50, 90_000, 60), (60, 70, 90_000, 70), (None, 50, 90_000, 50),
        (None, None, 90_000, 90), (None, None, None, 5), ("61.5", None, None, 61.5),
        (-3, None, None, 5), ("NaN", None, "90000", 90),
    ],
)  # fmt: skip
def test_durations(
    stated: object, segment_end: object, duration_ms: object, duration: float, tmp_path: Path
) -> None:
    record, _ = read_one(
        tmp_path,
        {
            "a.metadata.json": {"episode": {"duration_seconds": stated}},
            "a.segments.json": [{"start": 0, "end": segment_end, "text": "words"}],
            "a.gi.json": gi(
                "e",
                [
                    node("episode:e", "Episode", duration_ms=duration_ms),
                    node("quote:1", "Quote", text="Q", timestamp_start_ms=1, timestamp_end_ms=5000),
                ],
                [],
            ),
        },
    )
    assert record.duration == duration


def test_media_is_a_url_or_a_file_of_the_corpus(tmp_path: Path) -> None:
    (tmp_path / "outside.mp3").write_bytes(b"")
    root = tmp_path / "corpus"
    cases = {
        "https://cdn.example/a.mp3": "https://cdn.example/a.mp3",
        "/audio/my%20talk.mp3": "audio/my talk.mp3",
        "audio/absent.mp3": None,
        "../outside.mp3": None,
        "file:///etc/passwd": None,
        "javascript:alert(1)": None,
        "https://": None,
        "http://[": None,
    }
    write_files(root, {"audio/my talk.mp3": b"sound"})
    files = {
        f"{n}.metadata.json": {"episode": {"episode_id": f"{n}"}, "content": {"media_url": url}}
        for n, url in enumerate(cases)
    }
    records, _ = read(root, files)
    assert [record.media for record in records] == list(cases.values())


def test_the_catalog_may_have_any_shape(tmp_path: Path) -> None:
    records, report = read(
        tmp_path,
        {
            "a.metadata.json": {"feed": None, "episode": [], "content": "x", "summary": "S."},
            "b.metadata.json": {
                "feed": {"feed_id": "f", "title": "F", "description": " D ", "url": "ftp://x",
                         "image_url": "https://i.example/x.png", "publisher": "Pub"},
                "episode": {"episode_id": "b", "title": "B", "language": "en"},
                "summary": {"title": None, "bullets": ["one", None, 2, {"x": 1}], "raw_text": "R"},
            },
            "c.metadata.json": {},
            "d.metadata.json": [],
        },
    )  # fmt: skip
    first, second, third = records
    assert first.summary_text == "S."
    assert second.show.title == "F"
    assert (second.show.url, second.show.publisher) == (None, "Pub")
    assert second.show.image == "https://i.example/x.png"
    assert (second.language, second.summary_bullets) == ("en", ("one", "2"))
    assert third.title == "c"
    assert [item.path for item in report.quarantined] == ["d.metadata.json"]
