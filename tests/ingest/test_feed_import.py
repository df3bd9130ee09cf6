"""Importing feeds from a local server: increments, alternatives, identity, failures."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from podcast_scraper.cli.main import main
from podcast_scraper.ingest.extract.abstractive import Abstractive
from podcast_scraper.ingest.feeds.http import Client, Limits
from podcast_scraper.ingest.importing import ImportOptions, ImportReport, import_sources, update
from podcast_scraper.ingest.state import import_state
from podcast_scraper.storage.generations import IndexLocation
from tests.ingest.corpora import PLAIN, digests
from tests.ingest.feeds.server import Handler, Server, serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

OPTIONS = ImportOptions(method=PLAIN, allow_private=True)
VTT = (
    "WEBVTT\n\n00:01.000 --> 00:09.000\n<v Ada>Beekeepers should always inspect the varroa mites "
    "in their hives before winter.\n\n00:10.000 --> 00:12.000\n<v Bob>The varroa mites are why.\n"
)


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


def client() -> Client:
    limits = Limits(seconds=5.0, tries=2)
    return Client(limits, allow_private=True, wait=lambda seconds: None)


def item(number: int, guid: str = "", transcripts: str | None = None, title: str = "") -> str:
    links = transcripts or f'<podcast:transcript url="/t{number}.vtt" type="text/vtt"/>'
    return (
        f"<item><title>{title or f'Episode {number}'}</title><guid>{guid or number}</guid>"
        f'<enclosure url="/audio/{number}.mp3"/>'
        f"<pubDate>0{number} May 2014 10:10:00 GMT</pubDate>{links}</item>"
    )


def publish(server: Server, *items: str, etag: str = "1") -> str:
    body = (
        '<rss xmlns:podcast="https://podcastindex.org/namespace/1.0"><channel>'
        "<title>Bee Hour</title><language>en</language>"
        '<podcast:person role="host">Ada Byron</podcast:person>'
        f"{''.join(items)}</channel></rss>"
    ).encode()

    def answer(handler: Handler) -> None:
        same = handler.headers.get("If-None-Match") == f'"{etag}"'
        handler.give(304) if same else handler.give(200, body, ETag=f'"{etag}"')

    server.answers["/feed"] = answer
    return server.url("/feed")


def run(url: str, corpus: Path) -> ImportReport:
    return import_sources([url], corpus, OPTIONS, client())


def test_feed_to_artifacts(server: Server, tmp_path: Path) -> None:
    server.page("/t1.vtt", VTT)
    url = publish(server, item(1), "<item><title>No transcript</title></item>")
    report = run(url, tmp_path)
    assert (report.episodes, report.without_transcript, report.exit_code) == (1, 1, 0)
    (kg,) = tmp_path.rglob("*.kg.json")
    assert kg.parent == tmp_path / "feeds/bee-hour/metadata"
    assert '"person:ada-byron"' in kg.read_text()
    (metadata,) = tmp_path.rglob("*.metadata.json")
    assert server.url("/audio/1.mp3") in metadata.read_text()
    assert "2014-05-01T10:10:00+00:00" in metadata.read_text()


def test_update_reads_only_what_is_new(server: Server, tmp_path: Path) -> None:
    for number in (1, 2):
        server.page(f"/t{number}.vtt", VTT.replace("winter", f"winter {number}"))
    url = publish(server, item(1))
    run(url, tmp_path)
    before = digests(tmp_path)
    server.asked.clear()
    assert update(tmp_path, OPTIONS, client()).is_quiet
    assert [path for path, _ in server.asked] == ["/feed"]
    publish(server, item(2), item(1), etag="2")
    server.asked.clear()
    assert update(tmp_path, OPTIONS, client()).episodes == 1
    assert [path for path, _ in server.asked] == ["/feed", "/t2.vtt"]
    after = digests(tmp_path)
    assert {path: after[path] for path in before} == before


def indexed_episodes(corpus: Path) -> int:
    database = IndexLocation.of(corpus).current().database
    with closing(sqlite3.connect(database)) as connection:
        count: int = connection.execute("SELECT COUNT(*) FROM episodes").fetchone()[0]
    return count


def test_an_update_of_a_feed_without_transcripts_is_quiet(server: Server, tmp_path: Path) -> None:
    url = publish(server, item(1, transcripts=" "))
    options = ["--method", PLAIN, "--allow-private"]
    assert CliRunner().invoke(main, ["import", url, str(tmp_path), *options]).exit_code == 0
    done = CliRunner().invoke(main, ["update", str(tmp_path), *options])
    assert (done.exit_code, done.output) == (0, "")


def test_the_update_command_imports_what_is_new(server: Server, tmp_path: Path) -> None:
    for number in (1, 2):
        server.page(f"/t{number}.vtt", VTT.replace("winter", f"winter {number}"))
    runner = CliRunner()
    options = ["--method", PLAIN, "--allow-private"]
    url = publish(server, item(1))
    assert runner.invoke(main, ["import", url, str(tmp_path), *options]).exit_code == 0
    odd = item(2).replace("02 May 2014 10:10:00 GMT", "2014-05-02")
    publish(server, odd, item(1), etag="2")
    done = runner.invoke(main, ["update", str(tmp_path), *options, "--no-index", "--json"])
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    assert (report["episodes"], report["unchanged"]) == (1, 1)
    assert report["notes"] == [f"{url}: guessed: date without a zone, read as UTC ×1 (at 1)"]
    assert len(list(tmp_path.rglob("*.gi.json"))) == 2
    quiet = runner.invoke(main, ["update", str(tmp_path), *options])
    assert (quiet.exit_code, quiet.output) == (0, "")
    assert indexed_episodes(tmp_path) == 2, "what an earlier run imported and did not index"
    gone = next(tmp_path.rglob("episode-2-*.metadata.json"))
    name = json.loads(gone.read_text())["episode"]["episode_id"]
    assert runner.invoke(main, ["remove", str(tmp_path), name]).exit_code == 0
    assert runner.invoke(main, ["update", str(tmp_path), *options]).output == ""
    assert indexed_episodes(tmp_path) == 1


def test_the_report_counts_a_models_statements(server: Server, tmp_path: Path) -> None:
    quote = "The varroa mites are why."
    said = [
        {"text": "Mites matter.", "type": "claim", "quote": quote},
        {"text": "Mites matter much.", "type": "claim", "quote": quote},
        {"text": "Bees sing.", "type": "claim", "quote": "Bees sing in the rain."},
    ]
    answer = {"choices": [{"message": {"content": json.dumps(said)}}]}

    def post(handler: Handler) -> None:
        handler.rfile.read(int(handler.headers["Content-Length"]))
        handler.give(200, json.dumps(answer).encode())

    server.answers["/v1/chat/completions"] = post
    server.page("/t1.vtt", VTT)
    model = Abstractive(server.url("/v1"), "m", seconds=5)
    url = publish(server, item(1))
    report = import_sources([url], tmp_path, OPTIONS, client(), abstractive=model)
    assert report.as_json()["abstractive"] == {
        "accepted": 1,
        "not_verbatim": 1,
        "left_out": 1,
        "failed_answers": 0,
    }
    assert "Mites matter." in next(tmp_path.rglob("*.gi.json")).read_text()
    assert run(url, tmp_path).as_json()["abstractive"] is None


def test_changed_and_vanished_items(server: Server, tmp_path: Path) -> None:
    for number in (1, 2):
        server.page(f"/t{number}.vtt", VTT)
    url = publish(server, item(1), item(2))
    run(url, tmp_path)
    publish(server, item(1, guid="other-guid-same-audio", title="Renamed"), etag="2")
    report = run(url, tmp_path)
    assert report.episodes == 1
    assert len(report.vanished) == 1
    assert len(list(tmp_path.rglob("*.metadata.json"))) == 2
    assert len(list(tmp_path.rglob("renamed-*.metadata.json"))) == 1
    assert not list(tmp_path.rglob("episode-1-*"))


def test_a_broken_alternative_is_passed_over(server: Server, tmp_path: Path) -> None:
    server.page("/a.json", '{"segments": []}')
    server.page("/a.vtt", VTT)
    links = (
        '<podcast:transcript url="/a.json" type="application/json"/>'
        '<podcast:transcript url="/gone.srt" type="application/srt"/>'
        '<podcast:transcript url="/a.vtt" type="text/vtt"/>'
    )
    report = run(publish(server, item(1, transcripts=links)), tmp_path)
    assert report.files[0]["format"] == "vtt"
    assert any("no words in it" in note for note in report.files[0]["notes"])


def test_failures_are_tried_again_next_time(server: Server, tmp_path: Path) -> None:
    url = publish(server, item(1))
    report = run(url, tmp_path)
    assert report.exit_code == 1
    assert "status 404" in report.failed[0]["reason"]
    server.page("/t1.vtt", VTT)
    assert run(url, tmp_path).episodes == 1


def test_private_networks_are_refused_by_default(server: Server, tmp_path: Path) -> None:
    report = import_sources([publish(server, item(1))], tmp_path, ImportOptions(method=PLAIN))
    assert "private address" in report.failed[0]["reason"]
    assert server.asked == []


def test_opml_lists(server: Server, tmp_path: Path) -> None:
    server.page("/t1.vtt", VTT)
    url = publish(server, item(1))
    listing = tmp_path / "shows.opml"
    listing.write_text(f'<opml><body><outline xmlUrl="{url}"/></body></opml>')
    report = import_sources([str(listing)], tmp_path / "corpus", OPTIONS, client())
    assert report.episodes == 1
    with import_state(tmp_path / "corpus") as state:
        assert [name for name, _, _ in state.sources()] == [url]
