"""Known names in running text: one Aho-Corasick scan over whole folded words."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ahocorasick_rs import AhoCorasick, MatchKind

from podcast_scraper.identity.names import TITLES, PersonName, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from podcast_scraper.identity.names import Word
    from podcast_scraper.identity.registry import RegistryEntry

SURNAME_LETTERS = 4


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entity that a name may mean; ``score`` in 0..1."""

    id: str
    label: str
    score: float


@dataclass(frozen=True, slots=True)
class Mention:
    """A known name at ``[start, end)`` code points of a text; several candidates = ambiguous."""

    text: str
    start: int
    end: int
    candidates: tuple[Candidate, ...]

    @property
    def id(self) -> str | None:
        """The one entity that is meant, or None where the name is ambiguous."""
        return self.candidates[0].id if len(self.candidates) == 1 else None


class MentionScanner:
    """Finds the longest known names, leftmost first, without overlaps.

    Names and aliases score 1. Surnames of people are known too, at 0.6, where they have at least
    four letters and are not also a word of a topic; a surname that several people bear is one
    ambiguous mention.
    """

    def __init__(self, entries: Iterable[RegistryEntry]) -> None:
        labels: dict[str, str] = {}
        exact: dict[str, set[str]] = defaultdict(set)
        surnames: dict[str, set[str]] = defaultdict(set)
        topic_words: set[str] = set()
        for entry in entries:
            labels[entry.id] = entry.name
            for name in (entry.name, *entry.aliases):
                spelled = words(name)
                exact[_pattern(spelled)].add(entry.id)
                if entry.type == "topic":
                    topic_words.update(word.text for word in spelled)
                elif entry.type == "person":
                    _add_person(name, entry.id, exact, surnames)
        exact.pop("", None)
        self._candidates = {p: _ranked(ids, labels, 1.0) for p, ids in exact.items()}
        for surname, ids in surnames.items():
            pattern = f" {surname}."
            if pattern not in exact and surname not in topic_words:
                self._candidates[pattern] = _ranked(ids, labels, 0.6)
        self._patterns = sorted(self._candidates)
        self._automaton = AhoCorasick(self._patterns, matchkind=MatchKind.LeftmostLongest)

    def scan(self, text: str) -> list[Mention]:
        """Return the mentions of a text in order."""
        spelled = words(text)
        haystack = _pattern(spelled)
        first_at: dict[int, int] = {}
        position = 0
        for number, word in enumerate(spelled):
            first_at[position] = number
            position += len(word.text) + 2
        found = []
        for pattern, start, end in self._automaton.find_matches_as_indexes(haystack):
            first = first_at[start]
            last = first_at.get(end, len(spelled)) - 1
            begin, stop = spelled[first].start, spelled[last].end
            candidates = self._candidates[self._patterns[pattern]]
            found.append(Mention(text[begin:stop], begin, stop, candidates))
        return found


def _pattern(spelled: Sequence[Word]) -> str:
    # Every word is bracketed, so that a match can neither begin nor end inside one.
    return "".join(f" {word.text}." for word in spelled)


def _add_person(
    name: str, entity_id: str, exact: dict[str, set[str]], surnames: dict[str, set[str]]
) -> None:
    parts = PersonName.of(name)
    if parts is None:
        return
    if words(name)[0].text in TITLES and parts.family:
        exact[_pattern(words(parts.full))].add(entity_id)
    if parts.family and len(parts.last) >= SURNAME_LETTERS:
        surnames[parts.last].add(entity_id)


def _ranked(ids: Iterable[str], labels: dict[str, str], score: float) -> tuple[Candidate, ...]:
    return tuple(Candidate(i, labels[i], score) for i in sorted(ids))
