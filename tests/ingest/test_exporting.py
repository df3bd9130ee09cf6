"""An episode that is exported and imported again says the same, at the same times."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from podcast_scraper.cli.main import main
from podcast_scraper.errors import IngestError, NotFoundError
from podcast_scraper.ingest.exporting import episode_cues, export_transcript
from podcast_scraper.ingest.importing import ImportOptions, import_sources
from podcast_scraper.ingest.transcripts import parse_transcript
from tests.ingest.corpora import PLAIN

if TYPE_CHECKING:
    from pathlib import Path

SRT = """\
1
00:00:01,000 --> 00:00:04,250
Ada Byron: Bees & hives: 3 < 5 is true.

2
00:00:04,250 --> 00:00:09,000
Bob Lee: You should inspect the hives.

3
01:02:03,456 --> 01:02:04,000
Bob Lee: They swarm.
"""
SPOKEN = [
    ("Ada Byron", 1.0, 4.25, "Bees & hives: 3 < 5 is true."),
    ("Bob Lee", 4.25, 9.0, "You should inspect the hives."),
    ("Bob Lee", 3723.456, 3724.0, "They swarm."),
]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "bees"
    folder.mkdir()
    (folder / "one.srt").write_text(SRT)
    (folder / "two.md").write_text("**Ada Byron:** No time is known.\n\n**Bob Lee:** None.\n")
    import_sources([str(folder)], tmp_path / "corpus", ImportOptions(method=PLAIN))
    return tmp_path / "corpus"


@pytest.mark.parametrize("form", ["vtt", "srt", "json"])
def test_an_export_reads_back_equal(corpus: Path, form: str) -> None:
    written = export_transcript(corpus, "episode:bees-one", form)
    parsed = parse_transcript(written.encode(), f"one.{form}")
    assert [(c.speaker, c.start, c.end, c.text) for c in parsed.cues] == SPOKEN
    assert not parsed.repairs
    assert episode_cues(corpus, "bees-one")[0].speaker == "Ada Byron"


def test_what_has_no_times_is_json_only(corpus: Path) -> None:
    with pytest.raises(IngestError, match="time") as caught:
        export_transcript(corpus, "bees-two", "vtt")
    assert "JSON" in str(caught.value.mend)
    parsed = parse_transcript(export_transcript(corpus, "bees-two", "json").encode(), "two.json")
    assert [(cue.speaker, cue.text) for cue in parsed.cues] == [
        ("Ada Byron", "No time is known."),
        ("Bob Lee", "None."),
    ]


def test_unknown_episodes(corpus: Path) -> None:
    with pytest.raises(NotFoundError, match="bees-nine"):
        export_transcript(corpus, "bees-nine", "vtt")


def test_command_line(corpus: Path, tmp_path: Path) -> None:
    file = tmp_path / "one.srt"
    arguments = ["export", "transcript", str(corpus), "bees-one", "--format", "srt"]
    assert CliRunner().invoke(main, [*arguments, "--output", str(file)]).exit_code == 0
    assert file.read_text() == CliRunner().invoke(main, arguments).stdout
    assert CliRunner().invoke(main, [*arguments[:3], "none"]).exit_code == 1
