"""Which files are found, which episode they belong to, and which run wins."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from podcast_scraper.artifacts.discovery import run_order
from podcast_scraper.artifacts.loading import ReadLimits
from podcast_scraper.artifacts.reading import open_reading
from podcast_scraper.errors import CorpusError
from tests.artifacts.corpora import edge, gi, kg, node, read, read_one, write_files

if TYPE_CHECKING:
    from pathlib import Path


def layer(episode: str, title: str = "T", **properties: object) -> dict[str, object]:
    return gi(episode, [node(f"episode:{episode}", "Episode", title=title, **properties)], [])


def test_a_missing_corpus_is_an_error_and_an_empty_one_is_not(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no corpus directory") as caught:
        open_reading(tmp_path / "absent")
    assert caught.value.mend
    (tmp_path / "file").write_text("")
    with pytest.raises(CorpusError):
        open_reading(tmp_path / "file")
    records, report = read(tmp_path)
    assert (records, report.episodes, report.lossless) == ([], 0, True)


@pytest.mark.parametrize(
    "folder", ["", "a/b/c/d/e/", "feeds/x/metadata/", "feeds/x/run_20240101_000000/metadata/"]
)
def test_any_depth(folder: str, tmp_path: Path) -> None:
    text = "transcripts".join(folder.rsplit("metadata", 1)) + "s.txt"
    record, report = read_one(
        tmp_path, {f"{folder}s.gi.json": layer("e"), text: "Hello there.", "README.txt": "no"}
    )
    assert record.episode_id == "e"
    assert record.stem_path == f"{folder}s"
    assert record.transcript.text == "Hello there."
    assert report.lossless


def test_hidden_and_enrichment_folders_are_ignored(tmp_path: Path) -> None:
    good = layer("e")
    records, report = read(
        tmp_path,
        {
            ".podcast-scraper/a.gi.json": layer("hidden"),
            "enrichments/b.gi.json": layer("enriched"),
            "metadata/enrichments/c.kg.json": layer("enriched"),
            ".hidden.gi.json": layer("hidden"),
            "metadata/d.insight_density.json": "{",
            "metadata/d.gi.json": good,
        },
    )
    assert [record.episode_id for record in records] == ["e"]
    assert report.lossless


def test_links_out_of_the_corpus_are_refused(tmp_path: Path) -> None:
    outside = write_files(tmp_path / "outside", {"x.gi.json": layer("outside")})
    root = write_files(tmp_path / "corpus", {"real/a.gi.json": layer("a")})
    (root / "folder").symlink_to(outside, target_is_directory=True)
    (root / "b.gi.json").symlink_to(outside / "x.gi.json")
    (root / "again").symlink_to(root / "real", target_is_directory=True)
    (root / "cycle").symlink_to(root, target_is_directory=True)
    records, report = read(root)
    assert [record.episode_id for record in records] == ["a"]
    assert [(item.path, "out of the corpus" in item.reason) for item in report.quarantined] == [
        ("folder", True),
        ("b.gi.json", True),
    ]


def test_names_that_are_not_text(tmp_path: Path) -> None:
    (tmp_path / "a\udcff.gi.json").write_bytes(b'{"nodes": []}')
    (record,), _ = read(tmp_path)
    assert record.episode_id.encode()
    assert record.stem_path.encode()


def test_size_limit(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.gi.json": layer("a"), "b.gi.json": layer("b", "x" * 500)})
    reading = open_reading(tmp_path, limits=ReadLimits(max_bytes=400))
    assert [record.episode_id for record in reading.episodes()] == ["a"]
    assert [item.path for item in reading.report.quarantined] == ["b.gi.json"]


def test_the_newest_run_wins(tmp_path: Path) -> None:
    runs = ["run_20240101_000000", "run_20250101-120000_8eb5f9d2", "run_20241231_235959"]
    files = {
        f"feeds/f/{run}/metadata/{name}.gi.json": layer(name, run)
        for run in runs
        for name in ("one", "two")
    }
    only_old = {f"feeds/f/{runs[0]}/metadata/three.gi.json": layer("three", runs[0])}
    records, report = read(tmp_path, files | only_old)
    assert {record.episode_id: record.title for record in records} == {
        "one": runs[1],
        "two": runs[1],
        "three": runs[0],
    }
    assert {item.path for item in report.shadowed} == {
        path for path in files if runs[1] not in path
    }
    assert report.read_nodes == {"Episode": 3}
    assert report.lossless


def test_a_run_that_holds_no_graph_does_not_shadow_one_that_does(tmp_path: Path) -> None:
    old, new = "feeds/f/run_20240101_000000", "feeds/f/run_20250101_000000"
    record, report = read_one(
        tmp_path,
        {
            f"{old}/metadata/a.gi.json": layer("e", "old"),
            f"{new}/metadata/a.gi.json": '{"episode_id": "e", "nod',
            f"{new}/metadata/a.metadata.json": {"episode": {"episode_id": "e", "title": "new"}},
        },
    )
    assert record.title == "old"
    assert any("newer run" in notice.message for notice in report.warnings)
    assert len(report.quarantined) == 1


def test_old_transcripts_with_other_stems_are_shadowed_with_their_run(tmp_path: Path) -> None:
    files = {}
    for run in ("run_1", "run_2"):
        folder = f"feeds/f/{run}"
        files |= {
            f"{folder}/metadata/a.gi.json": layer("e"),
            f"{folder}/metadata/a.metadata.json": {
                "content": {"transcript_file_path": "transcripts/0001 - long.txt"}
            },
            f"{folder}/transcripts/0001 - long.txt": run,
            f"{folder}/transcripts/0001 - long.segments.json": [
                {"text": run, "start": 0, "end": 1}
            ],
        }
    record, report = read_one(tmp_path, files)
    assert record.transcript.text == "run_2"
    assert record.transcript.segments[0].text == "run_2"
    assert len(report.shadowed) == 4


def test_run_order() -> None:
    runs = [
        "run_2", "run_10", "run_20231231_235959", "run_2024-01-01", "run_20240101-000001_ffff",
        "run_2024-01-01T00:00:02", "run_20240102",
    ]  # fmt: skip
    assert all(run_order(one) < run_order(other) for one, other in pairwise(runs))


def test_layers_join_by_id_over_folders_and_stems(tmp_path: Path) -> None:
    record, _ = read_one(
        tmp_path,
        {
            "gi/0001.gi.json": layer("e:1", "GI"),
            "kg/x-y.kg.json": kg("episode:e:1", [node("person:ada", "Person", name="Ada")], []),
            "meta/m.metadata.json": {"episode": {"episode_id": "e:1", "title": "M"}},
            "bridges/b.bridge.json": {
                "episode_id": "e:1",
                "identities": [{"id": "person:ada", "display_name": "Ada L."}],
            },
            "transcripts/0001.segments.json": [{"text": "hi", "start": 0, "end": 1}],
        },
    )
    assert record.episode_id == "e:1"
    assert record.title == "M"
    assert "person:ada" in {found.id for found in record.nodes}
    assert [(alias.entity_id, alias.name) for alias in record.aliases] == [("person:ada", "Ada L.")]
    assert record.transcript.segments[0].text == "hi"


def test_one_stem_with_two_ids_is_two_episodes(tmp_path: Path) -> None:
    records, _ = read(tmp_path, {"a.gi.json": layer("one"), "a.kg.json": kg("two", [], [])})
    assert sorted(record.episode_id for record in records) == ["one", "two"]


def test_the_id_falls_back_to_node_metadata_stem(tmp_path: Path) -> None:
    records, _ = read(
        tmp_path,
        {
            "a.gi.json": gi(None, [node("gi:episode:from-node", "Episode")], []),
            "b.gi.json": gi(None, [], []),
            "b.metadata.json": {"episode": {"episode_id": "episode:from-metadata"}},
            "from-stem.kg.json": kg(None, [], []),
            "segments-alone.segments.json": [{"text": "words", "start": 0, "end": 1}],
        },
    )
    assert sorted(record.episode_id for record in records) == [
        "from-metadata", "from-node", "from-stem", "segments-alone",
    ]  # fmt: skip


def test_one_episode_id_in_two_shows_stays_two_episodes(tmp_path: Path) -> None:
    records, report = read(
        tmp_path,
        {
            "feeds/x/metadata/1.gi.json": layer("1", "X", podcast_id="x"),
            "feeds/y/metadata/1.gi.json": layer("1", "Y", podcast_id="y"),
            "copies/metadata/1.gi.json": layer("1", "X", podcast_id="x"),
        },
    )
    assert {record.episode_id: record.show.id for record in records} == {
        "1": "podcast:x",
        "1@y": "podcast:y",
    }
    assert len(report.shadowed) == 1
    for record in records:
        assert ("HAS_EPISODE", record.show.id, f"episode:{record.episode_id}") in {
            (found.type, found.source, found.target) for found in record.edges
        }


@pytest.mark.parametrize(
    ("stated", "place"),
    [
        ("transcripts/t.txt", "feeds/f/transcripts/t.txt"),
        ("t.txt", "feeds/f/transcripts/t.txt"),
        ("t.txt", "feeds/f/metadata/t.txt"),
        ("transcripts\\t.txt", "feeds/f/transcripts/t.txt"),
        ("elsewhere/t.txt", "elsewhere/t.txt"),
    ],
)
def test_transcript_paths(stated: str, place: str, tmp_path: Path) -> None:
    record, report = read_one(
        tmp_path,
        {
            "feeds/f/metadata/a.gi.json": layer("e"),
            "feeds/f/metadata/a.metadata.json": {"content": {"transcript_file_path": stated}},
            place: "the words",
        },
    )
    assert record.transcript.text == "the words"
    assert report.lossless


@pytest.mark.parametrize("stated", ["../../secret.txt", "/etc/hosts", "{tmp}/secret.txt"])
def test_transcripts_outside_are_not_read(stated: str, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    record, _ = read_one(
        tmp_path / "corpus",
        {
            "metadata/a.gi.json": layer("e"),
            "metadata/a.metadata.json": {
                "content": {"transcript_file_path": stated.format(tmp=tmp_path)}
            },
        },
    )
    assert record.transcript.text == ""


def test_fingerprints_change_with_what_the_record_rests_on(tmp_path: Path) -> None:
    def fingerprints(files: dict[str, object]) -> dict[str, str]:
        write_files(tmp_path, files)
        return {planned.episode_id: planned.fingerprint for planned in open_reading(tmp_path).plan}

    insight = [node("insight:1", "Insight", text="T")]
    first = fingerprints({"a.gi.json": gi("a", insight, []), "b.gi.json": gi("b", [], [])})
    assert fingerprints({}) == first
    second = fingerprints({"a.txt": "words"})
    assert second["a"] != first["a"]
    assert second["b"] == first["b"]
    third = fingerprints({"b.gi.json": gi("b", insight, [])})
    assert third["a"] != second["a"], "its insight recurs now and has another id"


def test_only_some_episodes(tmp_path: Path) -> None:
    write_files(tmp_path, {f"{name}.gi.json": layer(name) for name in "abc"})
    reading = open_reading(tmp_path)
    assert [record.episode_id for record in reading.episodes(only=["c", "a"])] == ["a", "c"]
    assert reading.report.read_nodes == {"Episode": 3}


def test_edges_to_a_dropped_file_do_not_lose_the_other_layer(tmp_path: Path) -> None:
    record, report = read_one(
        tmp_path,
        {
            "a.gi.json": gi(
                "e",
                [node("insight:1", "Insight", text="T")],
                [edge("MENTIONS_PERSON", "insight:1", "person:ada")],
            ),
            "a.kg.json": "{",
        },
    )
    assert "insight:1" in {found.id for found in record.nodes}
    assert [item.path for item in report.quarantined] == ["a.kg.json"]
    assert [item.item for item in report.dropped] == ["MENTIONS_PERSON insight:1 → person:ada"]
