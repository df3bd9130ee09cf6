"""What an import did, in the shape that ``--json`` prints."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from podcast_scraper.ingest.state import ImportState

_WORDS: Final = ("words", "words_with_time", "words_with_speaker", "ad_sentences")
_NODES: Final = ("insight", "topic", "person", "org")


@dataclass(slots=True)
class ImportReport:
    """Counts and lists of one run. ``episodes`` are those whose artifacts were written.

    ``abstractive`` counts what came of a language model's statements; None without an endpoint.
    """

    episodes: int = 0
    unchanged: int = 0
    files: list[dict[str, Any]] = field(default_factory=list)
    failed: list[dict[str, str]] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    vanished: list[str] = field(default_factory=list)
    without_transcript: int = 0
    notes: list[str] = field(default_factory=list)
    abstractive: dict[str, int] | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    shows: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def exit_code(self) -> int:
        """0 all well, 1 nothing could be imported, 3 something failed or was dropped."""
        if self.failed and not (self.episodes or self.unchanged):
            return 1
        return 3 if self.failed or any(file["dropped"] for file in self.files) else 0

    @property
    def is_quiet(self) -> bool:
        """Whether nothing changed and nothing went wrong."""
        return not (self.episodes or self.failed or self.removed)

    def as_json(self) -> dict[str, Any]:
        """Return JSON values; the keys are stable."""
        return {
            "episodes": self.episodes,
            "unchanged": self.unchanged,
            "files": self.files,
            "failed": self.failed,
            "removed": self.removed,
            "vanished": self.vanished,
            "without_transcript": self.without_transcript,
            "notes": self.notes,
            "abstractive": self.abstractive,
            "shows": self.shows,
            "seconds": self.seconds,
        }


def show_reports(
    state: ImportState, seconds_per_episode: float | None
) -> dict[str, dict[str, Any]]:
    """Return, for each show of the corpus, what its episodes hold."""
    shows: dict[str, dict[str, Any]] = {}
    people: dict[str, set[str]] = {}
    for episode in state.episodes():
        report = state.report(episode.id)
        show = shows.setdefault(episode.show, {"episodes": 0, **dict.fromkeys(_WORDS + _NODES, 0)})
        show["episodes"] += 1
        for key in _WORDS:
            show[key] += report.get(key, 0)
        for key in _NODES:
            show[key] += report.get("nodes", {}).get(key, 0)
        people.setdefault(episode.show, set()).update(report.get("speakers", ()))
    for slug, show in shows.items():
        words = max(1, show["words"])
        show["speakers"] = len(people[slug])
        show["share_with_time"] = round(show["words_with_time"] / words, 4)
        show["share_with_speaker"] = round(show["words_with_speaker"] / words, 4)
        show["insights_per_episode"] = round(show["insight"] / show["episodes"], 2)
        if seconds_per_episode is not None:
            show["seconds_per_episode"] = round(seconds_per_episode, 3)
    return shows
