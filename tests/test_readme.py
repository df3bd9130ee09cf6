"""Every example of the README runs as it is written."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from podcast_scraper.cli.main import main
from tests.corpora import ROOT

if TYPE_CHECKING:
    from pathlib import Path

README = (ROOT / "README.md").read_text(encoding="utf-8")
# These wait for a person or for the network, and have tests of their own.
LEFT_OUT = ("serve", "import", "eval")


def commands() -> list[str]:
    lines = re.findall(r"^podcast-scraper (.*?)(?:\s{2,}#.*)?$", README, re.MULTILINE)
    return [line for line in lines if not line.startswith(LEFT_OUT) and "my-corpus" not in line]


def test_there_are_commands_to_run() -> None:
    assert len(commands()) >= 7


@pytest.mark.parametrize("line", commands())
def test_a_command_runs(line: str, sample_path: Path) -> None:
    arguments = [part.replace("data/sample", str(sample_path)) for part in shlex.split(line)]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    assert result.stdout.strip()


def test_the_python_example_runs(sample_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    exec(code.replace("data/sample", str(sample_path)), {})
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) > 5  # five hits, then what Magnus Sorley said
    assert any("kelp" in line for line in printed[5:])


def test_every_local_link_leads_somewhere() -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", README)
    missing = [t for t in targets if "://" not in t and not (ROOT / t).exists()]
    assert missing == []
