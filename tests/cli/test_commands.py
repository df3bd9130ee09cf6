"""The commands as a user runs them: output, JSON, exit status."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

from podcast_scraper.cli.main import COMMANDS, main, run

if TYPE_CHECKING:
    from pathlib import Path


def call(*arguments: object) -> Result:
    """Run the command as its console script does, errors turned into exit status."""
    from podcast_scraper.errors import PodcastScraperError

    result = CliRunner().invoke(main, [str(a) for a in arguments])
    if isinstance(result.exception, PodcastScraperError):
        result.exit_code = result.exception.exit_code
    return result


def answer(*arguments: object) -> Any:
    result = call(*arguments)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_index_search_and_doctor(tiny: Path) -> None:
    report = answer("index", tiny, "--json")
    assert {"episodes", "nodes", "edges", "documents", "quarantined", "dropped", "seconds"} <= set(
        report
    )
    found = answer("search", tiny, "loom", "--json", "-k", 2)
    assert len(found["hits"]) == 2
    assert "loom" in found["hits"][0]["text"]
    shown = call("search", tiny, "loom", "--explain")
    assert shown.exit_code == 0
    assert "bm25: rank" in shown.stdout
    assert "\x1b[" not in shown.stdout
    assert answer("doctor", tiny, "--json")["ok"] is True


def test_a_report_file_is_written(tiny: Path, tmp_path: Path) -> None:
    call("index", tiny, "--report", tmp_path / "report.json")
    assert json.loads((tmp_path / "report.json").read_text())["episodes"] == 2


def test_exit_status_of_index(tiny: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert call("index", tmp_path / "empty").exit_code == 1
    assert call("index", tmp_path / "absent").exit_code == 1
    (tiny / "feeds" / "engines" / "metadata" / "bad.kg.json").write_text("[]")
    result = call("index", tiny)
    assert result.exit_code == 3
    assert "bad.kg.json" in result.stdout


@pytest.mark.parametrize(
    "arguments", [["search"], ["search", "x", "y", "-k", "z"], ["nothing"], ["index", "--magic"]]
)
def test_wrong_usage_is_2(arguments: list[str]) -> None:
    assert call(*arguments).exit_code == 2


def test_an_empty_query_is_2(tiny: Path) -> None:
    call("index", tiny)
    assert call("search", tiny, "").exit_code == 2
    assert answer("search", tiny, "", "--show", "podcast:engines", "--json")["total"] > 0


def test_a_missing_index_names_the_command(
    tiny: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["podcast-scraper", "search", str(tiny), "loom"])
    with pytest.raises(SystemExit) as stopped:
        run()
    assert stopped.value.code == 1
    assert "podcast-scraper index" in capsys.readouterr().err


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name: str) -> None:
    result = call(name, "--help")
    assert result.exit_code == 0
    assert "Usage:" in result.stdout
