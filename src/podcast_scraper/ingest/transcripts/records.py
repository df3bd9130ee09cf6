"""What parsing a transcript gives: cues and an account of every repair.

Times are seconds from the start of the audio, ``None`` where the file does not say.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from podcast_scraper.artifacts.records import SegmentKind

Format = Literal["vtt", "srt", "podcast_json", "whisper_json", "html", "text"]
Action = Literal["fixed", "dropped", "guessed"]

# A report keeps the first places of each kind of repair; the count goes on.
PLACES_KEPT: Final = 5


@dataclass(frozen=True, slots=True)
class Cue:
    """One timed piece of speech.

    ``speaker`` is the label as the file has it; ``inherited`` tells that the file did not repeat
    it on this cue. ``kind`` is ``ad`` or ``music`` where the file itself marks the cue so.
    """

    text: str
    start: float | None = None
    end: float | None = None
    speaker: str | None = None
    inherited: bool = False
    kind: SegmentKind = "speech"


@dataclass(frozen=True, slots=True)
class Repair:
    """One kind of repair in one file: what was done, how often, and where first.

    ``places`` are line numbers (text formats) or ordinals (JSON), both from 1.
    """

    action: Action
    kind: str
    count: int
    places: tuple[int, ...] = ()

    def __str__(self) -> str:
        where = f" (at {', '.join(map(str, self.places))}" if self.places else ""
        more = ", …" if where and self.count > len(self.places) else ""
        return f"{self.action}: {self.kind} ×{self.count}{where}{more}{')' if where else ''}"


class RepairLog:
    """Collects repairs while a file is parsed."""

    def __init__(self) -> None:
        self._places: dict[tuple[Action, str], list[int]] = {}
        self._counts: dict[tuple[Action, str], int] = {}

    def note(self, action: Action, kind: str, place: int | None = None, count: int = 1) -> None:
        """Record ``count`` repairs of one kind at a line or ordinal."""
        key = (action, kind)
        self._counts[key] = self._counts.get(key, 0) + count
        places = self._places.setdefault(key, [])
        if place is not None and len(places) < PLACES_KEPT:
            places.append(place)

    def fixed(self, kind: str, place: int | None = None) -> None:
        """Something was wrong and is right now."""
        self.note("fixed", kind, place)

    def dropped(self, kind: str, place: int | None = None, count: int = 1) -> None:
        """Something was unusable and is left out."""
        self.note("dropped", kind, place, count)

    def guessed(self, kind: str, place: int | None = None) -> None:
        """Something was missing and was inferred."""
        self.note("guessed", kind, place)

    def repairs(self) -> tuple[Repair, ...]:
        """Return everything noted, in the order in which each kind was first seen."""
        return tuple(
            Repair(action, kind, count, tuple(self._places[action, kind]))
            for (action, kind), count in self._counts.items()
        )


@dataclass(frozen=True, slots=True)
class ParsedTranscript:
    """A parsed file: its cues in time order, and the account of what was repaired.

    ``header`` holds what the file says about itself (``title``, ``date``, ``language``…), with
    lower-case keys. ``marks`` are times without speech (breaks), seconds by the ordinal of the
    cue that follows.
    """

    format: Format
    cues: tuple[Cue, ...]
    repairs: tuple[Repair, ...] = ()
    header: Mapping[str, str] = field(default_factory=dict)
    marks: tuple[tuple[int, float], ...] = ()

    @property
    def speakers(self) -> tuple[str, ...]:
        """The speaker labels in the order of their first words."""
        return tuple(dict.fromkeys(cue.speaker for cue in self.cues if cue.speaker))

    @property
    def words(self) -> int:
        """The number of words, split at white space."""
        return sum(len(cue.text.split()) for cue in self.cues)

    def noted(self, *actions: Action) -> tuple[Repair, ...]:
        """Return the repairs of the given actions (all of them where none is given)."""
        return tuple(r for r in self.repairs if not actions or r.action in actions)
