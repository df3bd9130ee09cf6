"""Importing files: artifacts, increments, kills, removals, reports."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from podcast_scraper.artifacts.reading import open_reading
from podcast_scraper.cli.main import main
from podcast_scraper.errors import ConfigurationError, IngestError, NotFoundError
from podcast_scraper.ingest import compose, work
from podcast_scraper.ingest.importing import ImportOptions, import_sources, update
from podcast_scraper.ingest.removing import remove
from podcast_scraper.ingest.state import import_state
from podcast_scraper.ingest.workers import Workers
from tests.ingest.corpora import BEES, PLAIN, digests, show

if TYPE_CHECKING:
    from podcast_scraper.ingest.report import ImportReport

OPTIONS = ImportOptions(method=PLAIN)


def run(folder: Path, corpus: Path, options: ImportOptions = OPTIONS) -> ImportReport:
    return import_sources([str(folder)], corpus, options)


def load(corpus: Path, layer: str, stem: str = "bees-1") -> dict[str, list[dict[str, str]]]:
    found: dict[str, list[dict[str, str]]] = json.loads(
        (corpus / f"feeds/bees/metadata/{stem}.{layer}.json").read_text()
    )
    return found


def test_artifacts_say_what_was_said(tmp_path: Path) -> None:
    report = run(show(tmp_path / "bees"), tmp_path / "corpus")
    assert (report.episodes, report.failed, report.exit_code) == (3, [], 0)
    text = (tmp_path / "corpus/feeds/bees/transcripts/bees-1.txt").read_text()
    assert text.startswith("Ada Byron: Welcome to the bee hour")
    gi = load(tmp_path / "corpus", "gi")
    quotes = [n["properties"] for n in gi["nodes"] if n["type"] == "Quote"]
    assert quotes
    for quote in quotes:
        assert text[quote["char_start"] : quote["char_end"]] == quote["text"]
    spoken = {e["from"]: e["to"] for e in gi["edges"] if e["type"] == "SPOKEN_BY"}
    by = {n["properties"]["text"]: spoken[n["id"]] for n in gi["nodes"] if n["type"] == "Quote"}
    advice = next(said for said in by if said.startswith("You should"))
    assert by[advice] == "person:bob-lee"
    assert not any("Hivebox" in said for said in by), "a sponsor read"
    assert not any("Honey" in said for said in by), "boilerplate: every episode says it"
    kg = load(tmp_path / "corpus", "kg")
    ids = {node["id"] for node in kg["nodes"]}
    assert {"person:ada-byron", "person:margaret-hamilton", "org:microsoft", "podcast:bees"} <= ids
    assert {e["type"] for e in kg["edges"]} >= {"HAS_EPISODE", "HOSTS", "SPOKE_IN", "MENTIONS"}


def test_the_reader_reads_it_without_complaint(tmp_path: Path) -> None:
    run(show(tmp_path / "bees"), tmp_path / "corpus")
    reading = open_reading(tmp_path / "corpus")
    episodes = list(reading.episodes())
    assert len(episodes) == 3
    assert not reading.report.quarantined
    assert not reading.report.dropped
    segments = episodes[0].transcript.segments
    assert [segment.kind for segment in segments][-1] == "ad"
    assert segments[1].speaker_id == "person:bob-lee"
    assert episodes[0].times_may_drift is False


def test_a_second_import_touches_nothing_and_a_change_touches_its_own(tmp_path: Path) -> None:
    folder, corpus = show(tmp_path / "bees"), tmp_path / "corpus"
    run(folder, corpus)
    times = {file: file.stat().st_mtime_ns for file in corpus.rglob("*.json")}
    again = run(folder, corpus)
    assert (again.episodes, again.unchanged, again.is_quiet) == (0, 3, True)
    assert {file: file.stat().st_mtime_ns for file in corpus.rglob("*.json")} == times
    (folder / "bees-2.md").write_text(BEES.replace("mites", "beetles"))
    assert run(folder, corpus).episodes == 1
    changed = {f for f in corpus.rglob("*.json") if f.stat().st_mtime_ns != times.get(f)}
    assert changed
    assert {f.name.split(".")[0] for f in changed} == {"bees-2"}


def test_a_lost_artifact_is_made_again(tmp_path: Path) -> None:
    folder, corpus = show(tmp_path / "bees"), tmp_path / "corpus"
    run(folder, corpus)
    before = digests(corpus)
    (corpus / "feeds/bees/metadata/bees-1.metadata.json").unlink()
    assert run(folder, corpus).episodes == 1
    assert digests(corpus) == before


def test_a_vanished_file_takes_its_artifacts_with_it(tmp_path: Path) -> None:
    folder, corpus = show(tmp_path / "bees"), tmp_path / "corpus"
    run(folder, corpus)
    (folder / "bees-3.md").unlink()
    assert run(folder, corpus).removed == ["bees-bees-3"]
    assert not list(corpus.rglob("bees-3.*"))
    for file in folder.iterdir():
        file.unlink()
    assert len(update(corpus, OPTIONS).removed) == 2
    assert not (corpus / "feeds" / "bees").exists()


class Killed(BaseException):
    """Stands for the end of the process."""


@pytest.mark.parametrize("stage", ["reading", "topics", "writing"])
@pytest.mark.parametrize("after", [1, 2])
def test_a_killed_import_resumes_to_the_same_bytes(tmp_path: Path, stage: str, after: int) -> None:
    folder = show(tmp_path / "bees")
    run(folder, tmp_path / "whole")
    done = []

    def kill(name: str) -> None:
        done.append(name)
        if done.count(stage) == after:
            raise Killed

    with pytest.raises(Killed):
        import_sources([str(folder)], tmp_path / "killed", OPTIONS, progress=kill)
    run(folder, tmp_path / "killed")
    assert digests(tmp_path / "killed") == digests(tmp_path / "whole")


def test_a_kill_between_file_and_mark_is_mended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = show(tmp_path / "bees")
    run(folder, tmp_path / "whole")

    def broken(corpus: Path, record: object, **options: str) -> None:
        (corpus / "feeds/bees/metadata").mkdir(parents=True)
        (corpus / "feeds/bees/metadata/bees-1.gi.json").write_text("{")
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(compose, "write_episode", broken)
        with pytest.raises(Killed):
            run(folder, tmp_path / "killed")
    run(folder, tmp_path / "killed")
    assert digests(tmp_path / "killed") == digests(tmp_path / "whole")


def test_two_processes_give_the_same_bytes(tmp_path: Path) -> None:
    folder = show(tmp_path / "bees", 4)
    run(folder, tmp_path / "one")
    run(folder, tmp_path / "two", ImportOptions(method=PLAIN, jobs=2))
    assert digests(tmp_path / "two") == digests(tmp_path / "one")


def test_bad_files_fail_alone(tmp_path: Path) -> None:
    folder = show(tmp_path / "bees")
    (folder / "empty.vtt").write_bytes(b"WEBVTT\n")
    (folder / "sound.txt").write_bytes(bytes(range(256)) * 20)
    report = run(folder, tmp_path / "corpus")
    assert report.episodes == 3
    assert sorted(Path(failed["path"]).name for failed in report.failed) == [
        "empty.vtt",
        "sound.txt",
    ]
    assert report.exit_code == 3


def test_strict_refuses_what_needs_repair(tmp_path: Path) -> None:
    file = tmp_path / "a.vtt"
    file.write_text("WEBVTT\n\n00:03.0 --> 00:02.0\nHello there.\n")
    assert import_sources([str(file)], tmp_path / "lenient", OPTIONS).exit_code == 0
    strict = ImportOptions(method=PLAIN, strict=True)
    report = import_sources([str(file)], tmp_path / "strict", strict)
    assert report.exit_code == 1
    assert "end before start" in report.failed[0]["reason"]


def test_forms_of_one_episode_are_one_and_accidents_are_two(tmp_path: Path) -> None:
    words = "the mites in these hives carry viruses and kill whole colonies in winter"
    (tmp_path / "s").mkdir()
    (tmp_path / "s/a.vtt").write_text(f"WEBVTT\n\n00:01.0 --> 00:09.0\n<v Ada>{words}\n")
    (tmp_path / "s/a.txt").write_text(f"Ada Byron: {words}\n")
    (tmp_path / "s/b.txt").write_text("Ada Byron: we talk of smokers and gloves and veils\n")
    (tmp_path / "s/b.srt").write_text(f"1\n00:00:01,0 --> 00:00:09,0\n{words}\n")
    (tmp_path / "s/talk.md").write_text(f"**Ada:** {words}\n")
    (tmp_path / "s/talk.es.md").write_text("**Ada:** los acaros matan\n")
    (tmp_path / "s/README.md").write_text("About these files\n")
    report = import_sources([str(tmp_path / "s")], tmp_path / "corpus", OPTIONS)
    assert sorted(file["episode"] for file in report.files) == [
        "s-a",
        "s-b-srt",
        "s-b-txt",
        "s-talk",
    ]
    (both,) = (file for file in report.files if file["episode"] == "s-a")
    assert both["format"] == "vtt"
    assert [Path(note.split(": ")[1]).name for note in both["notes"]] == ["a.txt"]


def test_removed_episodes_stay_away(tmp_path: Path) -> None:
    folder, corpus = show(tmp_path / "bees"), tmp_path / "corpus"
    run(folder, corpus)
    with import_state(corpus) as state:
        assert remove(corpus, state, "episode:bees-bees-1") == ["bees-bees-1"]
    assert not list(corpus.rglob("bees-1.*"))
    assert run(folder, corpus).episodes == 0
    with import_state(corpus) as state:
        assert remove(corpus, state, "podcast:bees") == ["bees-bees-2", "bees-bees-3"]
        with pytest.raises(NotFoundError, match="No episode or show"):
            remove(corpus, state, "wasps")


def test_one_import_at_a_time(tmp_path: Path) -> None:
    with import_state(tmp_path, create=True), pytest.raises(IngestError, match="Another import"):
        run(show(tmp_path / "bees"), tmp_path)


def test_other_languages_keep_their_speakers_and_claim_nothing(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    words = "Die Imker sollen ihre Völker vor dem Winter prüfen, weil Milben mehr Völker töten."
    file.write_text(f"---\nlanguage: de\n---\n**Ada:** {words} {words}\n\n**Bob:** {words}\n")
    import_sources([str(file)], tmp_path / "corpus", OPTIONS)
    (kg,) = (tmp_path / "corpus").rglob("*.kg.json")
    kinds = {node["type"] for node in json.loads(kg.read_text())["nodes"]}
    assert kinds == {"Podcast", "Episode", "Person"}


def test_a_corpus_without_imports_is_told(tmp_path: Path) -> None:
    with pytest.raises(IngestError, match="Nothing was imported"):
        update(tmp_path / "typo", OPTIONS)
    assert not (tmp_path / "typo").exists()


def test_a_show_in_one_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "MOST_WORDS", 40)
    folder = show(tmp_path / "bees", episodes=1)
    (folder / "short.md").write_text("**Ada:** Bees sleep in the winter.")
    report = run(folder, tmp_path / "corpus")
    assert report.episodes == 1
    assert "words, more than" in report.failed[0]["reason"]
    assert "file of its own" in report.failed[0]["reason"]


def test_unknown_method() -> None:
    with pytest.raises(ConfigurationError, match="Unknown extraction method"):
        Workers("magic", 1, False)


def test_command_line(tmp_path: Path) -> None:
    runner = CliRunner()
    folder, corpus = str(show(tmp_path / "bees")), str(tmp_path / "corpus")
    done = runner.invoke(main, ["import", folder, corpus, "--method", PLAIN, "--json"])
    assert done.exit_code == 0
    report = json.loads(done.stdout)
    assert report["episodes"] == 3
    assert report["files"][0]["speakers"] == ["Ada Byron", "Bob Lee"]
    assert set(report["files"][0]) >= {"path", "format", "cues", "repairs", "dropped"}
    assert report["shows"]["bees"]["share_with_speaker"] == 1.0
    quiet = runner.invoke(main, ["update", corpus, "--method", PLAIN])
    assert (quiet.exit_code, quiet.output) == (0, "")
    removed = runner.invoke(main, ["remove", corpus, "bees-bees-1", "--json"])
    assert json.loads(removed.stdout) == {"removed": ["bees-bees-1"]}
    missing = runner.invoke(main, ["import", str(tmp_path / "none"), corpus, "--method", PLAIN])
    assert missing.exit_code == 1 or "neither a file" in missing.output
