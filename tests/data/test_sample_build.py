"""Building again gives the committed bytes; broken scripts are refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from data.sample_source import build
from data.sample_source.cast import Cast
from data.sample_source.script import ScriptError, read_script

from tests.data.conftest import SAMPLE

if TYPE_CHECKING:
    from pathlib import Path

HEAD = "---\nid: x-01\nspeakers: {Ana: Ana Other}\n---\n"
TABLE = (
    "\n## Insights\n\n| mark | type | about | mentions | insight |\n|---|---|---|---|---|\n"
    "| a | claim | kelp-farming 0.5 | | Kelp grows. |\n"
)


def test_building_again_gives_the_same_bytes(tmp_path: Path) -> None:
    build.write_corpus(tmp_path, build.episodes(), Cast.load(build.SOURCE))
    built = {p.relative_to(tmp_path): p.read_bytes() for p in tmp_path.glob("feeds/*/*/*.*")}
    kept = {
        p.relative_to(SAMPLE): p.read_bytes()
        for folder in ("metadata", "transcripts")
        for p in SAMPLE.glob(f"feeds/*/{folder}/*")
    }
    assert built == kept


def test_a_mark_is_not_spoken(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text(HEAD + "\nAna: Well, {a: kelp grows}, I think.\n" + TABLE)
    (turn,) = read_script(path).turns
    assert turn.text == "Well, kelp grows, I think."
    assert turn.text[turn.quotes[0].start : turn.quotes[0].end] == "kelp grows"


@pytest.mark.parametrize(
    ("dialogue", "complaint"),
    [
        ("Ana: No mark here.", "marks"),
        ("Ana: {a: One} and {b: two}.", "marks"),
        ("Ana: {a: One and {two}.", "broken mark"),
        ("Bob: {a: One}.", "not among the speakers"),
        ("Just words.", "not a turn"),
    ],
)
def test_a_broken_script_is_refused(tmp_path: Path, dialogue: str, complaint: str) -> None:
    path = tmp_path / "a.md"
    path.write_text(HEAD + f"\n{dialogue}\n" + TABLE)
    with pytest.raises(ScriptError, match=complaint):
        read_script(path)
