"""No bytes make reading raise, and a bad file costs nothing but itself."""

from __future__ import annotations

import copy
import json
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from podcast_scraper.artifacts.reading import open_reading
from podcast_scraper.artifacts.writing import write_episode
from tests.artifacts.corpora import edge, gi, kg, node, read, settled, write_files

WORDS = st.sampled_from(
    ["", " ", "a", "speaker:SPEAKER_01", "person:ada", "person:speaker-01", "entity:x",
     "gi:quote:1", "insight:1", "quote:1", "podcast:p", "episode:b", "b", "topic:t", "org:o",
     "Person", "Quote",
     "Insight", "Entity", "Event", "SPOKEN_BY", "supported_by", "HAS_EPISODE", "2024-01-02", "x:y",
     "Ad", "Ada", "true", "1e400", "-1", "\ud800", "\x00", "../../etc/passwd", "/", "é" * 300]
)  # fmt: skip
SCALARS = (
    st.none() | st.booleans() | WORDS | st.text(max_size=8)
    | st.integers() | st.floats() | st.sampled_from([10**400, -(10**30), 1e308, 5e-324])
)  # fmt: skip
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=8,
)

TEXT = "Ada: Wolves came back to the valley. They keep the deer moving.\nBo: I doubt it.\n"
GOOD: dict[str, Any] = {
    "b.gi.json": gi(
        "b",
        [
            node("episode:b", "Episode", title="B", podcast_id="p", duration_ms=9000),
            node("insight:1", "Insight", text="Wolves changed the valley.", grounded=True),
            node("quote:1", "Quote", text="They keep the deer moving.", char_start=37, char_end=63,
                 timestamp_start_ms=2000, timestamp_end_ms=4000, speaker_id="person:ada"),
            node("person:ada", "Person", name="Ada"),
            node("topic:wolves", "Topic", label="wolves", aliases=["wolf"]),
        ],
        [
            edge("SUPPORTED_BY", "insight:1", "quote:1"),
            edge("SPOKEN_BY", "quote:1", "person:ada"),
            edge("ABOUT", "insight:1", "topic:wolves", confidence=0.5),
        ],
    ),
    "b.kg.json": kg(
        "episode:b",
        [
            node("episode:b", "Episode", publish_date="2024-01-02"),
            node("entity:person:bo", "Entity", name="Bo", kind="person", role="guest"),
            node("podcast:p", "Podcast", title="P"),
        ],
        [edge("MENTIONS", "entity:person:bo", "episode:b")],
        "1.2",
    ),
    "b.bridge.json": {"episode_id": "b", "identities": [
        {"id": "person:bo", "display_name": "Bo", "aliases": ["Bob"]}]},
    "b.metadata.json": {
        "feed": {"feed_id": "p", "title": "P", "url": "https://p.example/"},
        "episode": {"episode_id": "b", "title": "B", "published_date": "2024-01-02T03:04:05Z",
                    "duration_seconds": 8},
        "content": {"media_url": "a.mp3", "transcript_file_path": "b.txt",
                    "speakers": [{"id": "s1", "name": "Ada", "role": "host"}]},
        "summary": {"title": "S", "bullets": ["one"], "raw_text": "two"},
    },
    "b.segments.json": [
        {"id": 0, "start": 0.0, "end": 4.5, "speaker_label": "Ada",
         "text": "Wolves came back to the valley. They keep the deer moving."},
        {"id": 1, "start": 4.5, "end": 8.0, "speaker_label": "SPEAKER_01", "text": "I doubt it."},
    ],
    "b.txt": TEXT,
}  # fmt: skip
BYSTANDER: dict[str, Any] = {
    "other/a.gi.json": gi(
        "bystander",
        [
            node("episode:bystander", "Episode", title="A", podcast_id="bystanders"),
            node("insight:far-away", "Insight", text="Snow falls.", grounded=False),
        ],
        [],
    )
}


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the path of every value of a document."""
    found = [path]
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            found += places(inner, (*path, key))
    return found


@st.composite
def mutated(draw: st.DrawFn) -> dict[str, Any]:
    """The good episode with some values replaced, keys removed, and items doubled."""
    files = copy.deepcopy(GOOD)
    names = [name for name in files if name != "b.txt"]
    for _ in range(draw(st.integers(1, 6))):
        name = draw(st.sampled_from(names))
        path = draw(st.sampled_from(places(files[name])))
        if not path:
            files[name] = draw(VALUES)
            continue
        holder = files[name]
        for key in path[:-1]:
            holder = holder[key]
        action = draw(st.sampled_from(["replace", "remove", "double"]))
        if action == "replace":
            holder[path[-1]] = draw(VALUES)
        elif action == "remove":
            del holder[path[-1]]
        elif isinstance(holder, list):
            holder.append(copy.deepcopy(holder[path[-1]]))
    return files


def check(files: dict[str, Any]) -> None:
    """Reading gives sound records, the bystander as ever, and writing loses nothing."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "corpus")
        alone, _ = read(Path(folder, "alone"), BYSTANDER)
        write_files(root, BYSTANDER)
        records, report = read(root, files)
        assert [r for r in records if r.episode_id == "bystander"] == alone
        json.dumps(report.to_json(), allow_nan=False, ensure_ascii=False).encode()
        assert report.episodes == len(records) == len({r.episode_id for r in records})
        for record in records:
            content = [(n.id, n.type, dict(n.properties)) for n in record.nodes]
            json.dumps(content, allow_nan=False, ensure_ascii=False).encode()
            ids = {found.id for found in record.nodes}
            assert len(ids) == len(record.nodes)
            assert all({e.source, e.target} <= ids and e.source != e.target for e in record.edges)
            assert record.title
            assert record.show.id in ids
            assert {s.speaker_id for s in record.transcript.segments} <= ids | {None}
            write_episode(Path(folder, "again"), record, model_version="test")
        again = {r.episode_id: r for r in open_reading(Path(folder, "again")).episodes()}
        for record in records:
            first, second = settled(record), settled(again[record.episode_id])
            for one, other in zip(first.nodes, second.nodes, strict=True):
                assert one == other
            assert replace(first, media=second.media) == second


FAST = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def test_the_good_episode_is_read_whole(tmp_path: Path) -> None:
    check(GOOD)
    records, report = read(tmp_path, GOOD)
    assert report.lossless
    assert len(records) == 1


@FAST
@given(mutated())
def test_mutated_documents(files: dict[str, Any]) -> None:
    check(files)


@FAST
@given(st.sampled_from(sorted(GOOD)), st.binary(max_size=60))
def test_random_bytes(name: str, content: bytes) -> None:
    check({**GOOD, name: content})


@FAST
@given(st.sampled_from(sorted(GOOD)), st.data())
def test_cut_and_flipped_bytes(name: str, data: st.DataObject) -> None:
    whole = GOOD[name] if isinstance(GOOD[name], str) else json.dumps(GOOD[name])
    content = bytearray(whole.encode())
    place = data.draw(st.integers(0, len(content) - 1))
    if data.draw(st.booleans()):
        content[place] = data.draw(st.integers(0, 255))
    else:
        del content[place:]
    check({**GOOD, name: bytes(content)})


@pytest.mark.parametrize("time", [1e306, 1.7e308, 2.0**53, "1e307"])
@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("b.metadata.json", ("episode", "duration_seconds")),
        ("b.gi.json", ("nodes", 0, "properties", "duration_ms")),
        ("b.segments.json", (1, "end")),
        ("b.segments.json", (0, "start")),
    ],
)
def test_a_time_without_milliseconds_is_no_time(
    name: str, path: tuple[Any, ...], time: object
) -> None:
    files = copy.deepcopy(GOOD)
    holder = files[name]
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = time
    check(files)


def test_an_endless_duration_leaves_the_other_statements_of_it() -> None:
    files = copy.deepcopy(GOOD)
    files["b.metadata.json"]["episode"]["duration_seconds"] = 1e306
    with tempfile.TemporaryDirectory() as folder:
        (record,), _ = read(Path(folder), files)
    assert record.duration == 8.0  # the end of the last segment
