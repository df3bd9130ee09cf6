"""The review queue: pairs of entities that may be one, with the reasons, for a person to decide.

Nothing is merged here. Each pair is judged on its own; scores are never chained (A like B and B
like C says nothing about A and C).
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rapidfuzz import fuzz

from podcast_scraper.identity.agreement import Agreement, family_agreement, given_agreement
from podcast_scraper.identity.canonical import ENTITY_TYPES
from podcast_scraper.identity.names import PersonName, normalise, sound
from podcast_scraper.identity.trigrams import TrigramIndex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from podcast_scraper.identity.ledger import Standing
    from podcast_scraper.identity.registry import Registry, RegistryEntry

NEIGHBOURS: Final = 20
TERM_LIKENESS: Final = 88.0
FLOOR: Final = 0.5


@dataclass(frozen=True, slots=True)
class Suggestion:
    """``subject`` may be ``into`` (the more frequent one). ``score`` in 0..1 only orders."""

    subject: str
    into: str
    score: float
    reasons: tuple[str, ...]


def suggestions(registry: Registry, standing: Standing) -> list[Suggestion]:
    """Return what waits for a decision, the most likely first.

    Pairs that were decided to be different are not suggested again.
    """
    found = []
    for left, right in _pairs(registry):
        if frozenset((left.id, right.id)) in standing.apart:
            continue
        judged = _person(left, right) if left.type == "person" else _term(left, right)
        if judged is not None and judged[0] >= FLOOR:
            subject, into = sorted((left, right), key=lambda e: (e.frequency, e.id))
            found.append(Suggestion(subject.id, into.id, *judged))
    return sorted(found, key=lambda s: (-s.score, s.subject, s.into))


def _pairs(registry: Registry) -> Iterator[tuple[RegistryEntry, RegistryEntry]]:
    """Yield each pair of one type that shares spelling, sound or a first name, once."""
    for kind in ENTITY_TYPES:
        entries = [entry for entry in registry if entry.type == kind]
        names = [normalise(entry.name) for entry in entries]
        index = TrigramIndex(names)
        alike: dict[str, list[int]] = defaultdict(list)
        pairs: set[tuple[int, int]] = set()
        for position, name in enumerate(names):
            near = index.nearest(name, NEIGHBOURS)
            for key in _person_keys(name) if kind == "person" else ():
                near.extend(alike[key][:NEIGHBOURS])
                alike[key].append(position)
            pairs.update((min(position, n), max(position, n)) for n in near if n != position)
        for left, right in sorted(pairs):
            yield entries[left], entries[right]


def _person_keys(name: str) -> set[str]:
    person = PersonName.of(name)
    return set() if person is None else {person.given, f"{sound(person.last)} (sound)"}


def _person(left: RegistryEntry, right: RegistryEntry) -> tuple[float, tuple[str, ...]] | None:
    names = PersonName.of(left.name), PersonName.of(right.name)
    if names[0] is None or names[1] is None:
        return None
    score, reasons = _spelled(names[0], names[1])
    if score == 0.0:
        return None
    shows = left.shows & right.shows
    if shows:
        score += 0.15
        reasons.append(f"both occur in {len(shows)} show{'s' * (len(shows) > 1)}")
    together = left.episodes & right.episodes
    if together:
        score -= 0.3
        reasons.append(f"both occur in {len(together)} of the same episodes: may be two people")
    return round(min(max(score, 0.0), 1.0), 2), tuple(reasons)


def _spelled(left: PersonName, right: PersonName) -> tuple[float, list[str]]:
    given = given_agreement(left.given, right.given)
    if not left.family or not right.family:
        # A first name alone says little: only a shared show lifts it over the floor.
        if given == Agreement.SAME:
            return 0.4, [f"the first name {left.given} alone"]
        return 0.0, []
    family = family_agreement(left.family, right.family)
    if family == Agreement.SAME and given == Agreement.SAME:
        return 0.85, ["the same name but for titles or spelling"]
    if family == Agreement.SAME and given == Agreement.CLOSE:
        return 0.7, ["the same surname, first names that go together"]
    if family == Agreement.SAME and given == Agreement.INITIAL:
        return 0.6, ["the same surname and initial"]
    if given >= Agreement.CLOSE and family == Agreement.CLOSE:
        return 0.65, ["surnames that are spelled or sound alike"]
    if given == Agreement.SAME and family == Agreement.LOOSE:
        return 0.4, ["the same first name, surnames somewhat alike"]
    return 0.0, []


def _term(left: RegistryEntry, right: RegistryEntry) -> tuple[float, tuple[str, ...]] | None:
    names = normalise(left.name), normalise(right.name)
    if names[0].replace(" ", "") == names[1].replace(" ", ""):
        return 0.9, ("the same but for spaces and punctuation",)
    likeness = fuzz.token_sort_ratio(*names)
    numbers = [sorted(w for w in name.split() if not w.isalpha()) for name in names]
    if likeness < TERM_LIKENESS or numbers[0] != numbers[1]:
        return None
    score = likeness / 100 - 0.2 + (0.1 if left.shows & right.shows else 0.0)
    return round(score, 2), (f"spelled {likeness:.0f} % alike",)
