"""Real published files: one episode in several forms says the same."""

from __future__ import annotations

import html
import re

import pytest

from podcast_scraper.ingest.transcripts import ParsedTranscript, parse_transcript
from tests.shared_data import shared


def load(path: str) -> ParsedTranscript:
    file = shared(f"transcript-formats/{path}")
    return parse_transcript(file.read_bytes(), file.name)


def spoken(parsed: ParsedTranscript) -> list[tuple[str, str | None]]:
    """Return (word, speaker) in order."""
    return [(word, cue.speaker) for cue in parsed.cues for word in cue.text.split()]


def turns(parsed: ParsedTranscript) -> list[tuple[str | None, float, str]]:
    """Return (speaker, start, first words) at each change of speaker."""
    found: list[tuple[str | None, float, str]] = []
    for cue in parsed.cues:
        if not found or found[-1][0] != cue.speaker:
            assert cue.start is not None
            found.append((cue.speaker, cue.start, cue.text[:8]))
    return found


@pytest.mark.parametrize(
    "paths",
    [
        ("published/buzzcast.json", "published/buzzcast.srt", "published/buzzcast.html"),
        ("namespace/example.srt", "namespace/example.html"),
    ],
)
def test_one_episode_in_several_forms(paths: tuple[str, ...]) -> None:
    parsed = [load(path) for path in paths]
    shortest = min(len(spoken(one)) for one in parsed)
    first = spoken(parsed[0])[:shortest]
    assert shortest > 2000
    for other in parsed[1:]:
        assert spoken(other)[:shortest] == first
        for (speaker, start, words), (name, time, text) in zip(
            turns(parsed[0]), turns(other), strict=True
        ):
            assert speaker == name
            assert abs(start - time) <= 1
            assert words[:6] == text[:6]


def test_published_files_need_no_repair_but_for_their_unit() -> None:
    reports = {
        path: [str(repair) for repair in load(path).repairs]
        for path in (
            "published/buzzcast.json",
            "published/buzzcast.srt",
            "published/podnews_daily_2024-01-25.vtt",
            "published/podnews_weekly_review_2023-05-05.json",
            "published/one_word_segments.json",
            "published/LaLaLand.json",
        )
    }
    assert {path: report for path, report in reports.items() if report} == {
        "published/LaLaLand.json": ["guessed: times in milliseconds ×1"]
    }


def test_jingles_are_music() -> None:
    parsed = load("published/podnews_weekly_review_2023-05-05.json")
    assert "Jingles" not in parsed.speakers
    assert {cue.kind for cue in parsed.cues} == {"speech", "music"}


@pytest.mark.slow
def test_every_word_and_name_of_the_markdown_episodes() -> None:
    """Counted from the raw files by other means: bold openings, and text without stamps."""
    folder = shared("podcasts/changelog")
    files = sorted(folder.glob("*/*.md"))
    assert len(files) == 257
    played = {"Break", "Outro", "Intro", "Jingle", "Remix", "Song extract", "Sample", "Song"}
    played |= {"Movie extract", "Clip", "Ad"}
    for file in files:
        raw = file.read_text("utf-8")
        parsed = parse_transcript(file.read_bytes(), file.name)
        names = {name.strip(" :") for name in re.findall(r"^\*\*(.+?)\*\*", raw, re.M)}
        assert set(parsed.speakers) == names - played, file.name
        opening = r"^(?:[*]*(?:Break|Jingle|Outro)[*:]*.* to\b|Outro:|\*\*[^*\n]+\*\*:?)"
        body = re.sub(opening, " ", raw, flags=re.M)
        body = re.sub(r"\\?\[[\d:.]+\\?\]", " ", body)
        body = html.unescape(re.sub(r"\]\([^()\s]+\)", "]", body))
        letters = re.sub(r"\W|_", "", body)
        assert re.sub(r"\W|_", "", "".join(cue.text for cue in parsed.cues)) == letters, file.name
        assert not parsed.repairs
