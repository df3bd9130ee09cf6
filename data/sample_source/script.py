"""Reading one episode's script.

A script is Markdown: YAML front matter, then one paragraph a turn (``Label: words``), then the
heading ``## Insights`` and a table ``mark | type | about | mentions | insight``. In a turn,
``{a: words}`` marks the words as a verbatim quote of the insight in row ``a``; the braces and the
mark are not spoken. A row whose mark is ``-`` has no quote and is therefore not grounded.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from pathlib import Path

_TURN = re.compile(r"^([\w]+): (.+)$")
_MARK = re.compile(r"\{([a-z]): ([^{}]+)\}")
_VOICE = re.compile(r"^SPEAKER_\d\d$")
_UNSURE = re.compile(r"^(?P<slug>[a-z0-9-]+) (?P<confidence>0?\.\d+|1\.0)$")
INSIGHT_TYPES = ("claim", "recommendation", "observation", "question", "fact", "opinion")
AD_LABEL = "Ad"


class ScriptError(ValueError):
    """A script that cannot be built; the message names the file and the place."""


@dataclass(frozen=True, slots=True)
class Quote:
    """Marked words of a turn: offsets count code points of the turn's spoken text."""

    mark: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Turn:
    """What one voice says without a break. ``label`` is the name that the transcript prints."""

    label: str
    text: str
    quotes: tuple[Quote, ...]

    @property
    def is_ad(self) -> bool:
        return self.label == AD_LABEL


@dataclass(frozen=True, slots=True)
class Insight:
    """A row of the table; ``about`` pairs topic slugs with a confidence in 0..1."""

    mark: str
    type: str
    about: tuple[tuple[str, float], ...]
    mentions: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Script:
    """One authored episode. ``stem`` names its files; ``meta`` is the front matter."""

    path: Path
    meta: dict[str, Any]
    turns: tuple[Turn, ...]
    insights: tuple[Insight, ...]

    @property
    def id(self) -> str:
        return str(self.meta["id"])

    @property
    def stem(self) -> str:
        return self.path.stem

    @property
    def date(self) -> str:
        return str(self.meta["date"])


def read_script(path: Path) -> Script:
    """Read and check one script; raise :class:`ScriptError` on the first fault."""
    _, front, body = path.read_text(encoding="utf-8").split("---\n", 2)
    meta: dict[str, Any] = yaml.safe_load(front)
    dialogue, _, table = body.partition("\n## Insights\n")
    labels: dict[str, str] = meta["speakers"]
    turns = tuple(
        _turn(path, line, labels) for line in dialogue.splitlines() if line and line[0] != "#"
    )
    rows = [line for line in table.splitlines() if line.startswith("|")]
    insights = tuple(_insight(path, row) for row in rows[2:])  # below heading and rule
    _check_marks(path, turns, insights)
    return Script(path, meta, turns, insights)


def _turn(path: Path, line: str, labels: dict[str, str]) -> Turn:
    found = _TURN.match(line)
    if found is None:
        raise ScriptError(f"{path.name}: not a turn: {line[:60]!r}")
    key, marked = found.groups()
    if key not in labels and key != AD_LABEL and not _VOICE.match(key):
        raise ScriptError(f"{path.name}: {key!r} is not among the speakers")
    spoken, quotes, last = "", [], 0
    for mark in _MARK.finditer(marked):
        spoken += marked[last : mark.start()]
        quotes.append(Quote(mark[1], len(spoken), len(spoken) + len(mark[2])))
        spoken += mark[2]
        last = mark.end()
    spoken += marked[last:]
    if "{" in spoken or "}" in spoken:
        raise ScriptError(f"{path.name}: broken mark in {line[:60]!r}")
    return Turn(labels.get(key, key), spoken, tuple(quotes))


def _insight(path: Path, row: str) -> Insight:
    cells = [cell.strip() for cell in row.strip("|\n ").split("|")]
    if len(cells) != 5:
        raise ScriptError(f"{path.name}: a row of the table needs five cells: {row[:60]!r}")
    mark, kind, about, mentions, text = cells
    if kind not in INSIGHT_TYPES:
        raise ScriptError(f"{path.name}: unknown insight type {kind!r}")
    return Insight(mark, kind, tuple(_about(a) for a in _cells(about)), _cells(mentions), text)


def _cells(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(";") if part.strip())


def _about(text: str) -> tuple[str, float]:
    found = _UNSURE.match(text)
    return (found["slug"], float(found["confidence"])) if found else (text, 1.0)


def _check_marks(path: Path, turns: tuple[Turn, ...], insights: tuple[Insight, ...]) -> None:
    quoted = {quote.mark for turn in turns for quote in turn.quotes}
    listed = [insight.mark for insight in insights if insight.mark != "-"]
    if quoted != set(listed) or len(set(listed)) != len(listed):
        odd = sorted(quoted.symmetric_difference(listed)) or "a doubled mark"
        raise ScriptError(f"{path.name}: marks in the dialogue and in the table differ: {odd}")
