"""Several transcripts of one episode: the best whole one is taken."""

from __future__ import annotations

import pytest

from podcast_scraper.errors import IngestError
from podcast_scraper.ingest.feeds.alternatives import choose, in_order
from podcast_scraper.ingest.feeds.records import TranscriptLink

VTT = b"WEBVTT\n\n00:01.0 --> 00:05.0\n<v Ada>one two three four five six\n"
SRT = b"1\n00:00:01,000 --> 00:00:05,000\none two three four five six\n"
TEXT = b"Ada Byron: one two three four five six"


def links(*names: str) -> list[TranscriptLink]:
    types = {"vtt": "text/vtt", "srt": "application/srt", "json": "application/json"}
    return [TranscriptLink(name, types.get(name.split(".")[-1], "text/plain")) for name in names]


def take(pages: dict[str, bytes]) -> tuple[str, tuple[str, ...]]:
    def fetch(url: str) -> bytes:
        if not pages[url]:
            raise IngestError("status 404")
        return pages[url]

    chosen = choose(links(*pages), None, fetch)
    assert chosen is not None
    return chosen.url, chosen.passed_over


def test_times_and_speakers_win() -> None:
    assert take({"a.txt": TEXT, "a.srt": SRT, "a.vtt": VTT}) == ("a.vtt", ())
    assert take({"a.json": b"{}", "a.vtt": b"WEBVTT\n", "a.srt": SRT, "a.txt": TEXT})[0] == "a.srt"


def test_broken_and_missing_ones_are_passed_over() -> None:
    url, passed = take({"a.json": b"", "a.vtt": b"WEBVTT\n\n", "a.txt": TEXT})
    assert url == "a.txt"
    assert passed == ("a.json: status 404", "a.vtt: no words in it")


def test_content_counts_more_than_the_stated_type() -> None:
    assert take({"a.json": SRT, "a.vtt": VTT})[0] == "a.vtt"


def test_nothing_usable() -> None:
    assert choose([], None, lambda url: b"") is None
    with pytest.raises(IngestError, match=r"No transcript could be used: a\.vtt: no words"):
        choose(links("a.vtt"), None, lambda url: b"")


def test_language_of_the_show_first() -> None:
    german = TranscriptLink("a.json", "application/json", "de-AT")
    english = TranscriptLink("a.srt", "application/srt", "en")
    assert in_order([german, english], "en-US") == [english, german]
    assert in_order([english, german], "de") == [german, english]
