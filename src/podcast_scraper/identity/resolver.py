"""From what a person types to a canonical id, or to None: a wrong id misleads all that follows.

The ladder (RFC-072): exact id, exact slug, exact name or alias, fuzzy, None. The fuzzy step looks
up trigram neighbours and same-sounding surnames and asks :mod:`.agreement` for evidence; two
entities that both fit give None with both as candidates.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from rapidfuzz import fuzz
from rapidfuzz.distance import DamerauLevenshtein

from podcast_scraper.artifacts.reading import open_reading
from podcast_scraper.identity.agreement import person_score
from podcast_scraper.identity.canonical import ENTITY_TYPES, strip_layer_prefix
from podcast_scraper.identity.mentions import SURNAME_LETTERS, Candidate, Mention, MentionScanner
from podcast_scraper.identity.names import PersonName, normalise, sound
from podcast_scraper.identity.registry import Registry
from podcast_scraper.identity.slugify import bounded, slugify
from podcast_scraper.identity.trigrams import TrigramIndex

if TYPE_CHECKING:
    from collections.abc import Iterable

    from podcast_scraper.identity.identity_map import IdentityMap
    from podcast_scraper.identity.registry import RegistryEntry

Method = Literal["id", "slug", "name", "surname", "fuzzy", "none"]

MAX_NAME: Final = 200
CANDIDATES: Final = 5
FUZZY_TERM: Final = 90.0
SUGGESTED: Final = 60.0


@dataclass(frozen=True, slots=True)
class Resolution:
    """The outcome: ``id`` is None where nothing fits or several do; ``score`` in 0..1.

    ``candidates`` are what was considered, the best first; where ``id`` is set, it is the first.
    """

    id: str | None
    score: float
    method: Method
    candidates: tuple[Candidate, ...] = ()


@dataclass(frozen=True, slots=True)
class _Spelling:
    entry: RegistryEntry
    text: str
    person: PersonName | None


class EntityResolver:
    """Resolves names over a :class:`Registry`. Thread-safe: nothing changes after construction."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry
        self._by_name: dict[str, set[str]] = defaultdict(set)
        self._by_alias: dict[str, set[str]] = defaultdict(set)
        self._by_last: dict[str, set[str]] = defaultdict(set)
        for entry in registry:
            self._add(self._by_name, entry, entry.name)
            for alias in entry.aliases:
                self._add(self._by_alias, entry, alias)

    def _add(self, table: dict[str, set[str]], entry: RegistryEntry, name: str) -> None:
        table[normalise(name)].add(entry.id)
        person = PersonName.of(name) if entry.type == "person" else None
        if person is not None and person.family:
            table[person.full].add(entry.id)
            self._by_last[person.last].add(entry.id)

    @classmethod
    def from_corpus(
        cls, corpus_dir: str | Path, *, identity_map: IdentityMap | None = None
    ) -> EntityResolver:
        """Build a resolver from the loose artifact files of a corpus, without an index."""
        records = open_reading(Path(corpus_dir)).episodes()
        return cls(Registry.from_records(records, identity_map))

    def resolve(
        self, text: str, *, show_id: str | None = None, episode_id: str | None = None
    ) -> str | None:
        """Return the canonical id that a text names, or None. See :meth:`resolve_detail`."""
        return self.resolve_detail(text, show_id=show_id, episode_id=episode_id).id

    def resolve_detail(
        self, text: str, *, show_id: str | None = None, episode_id: str | None = None
    ) -> Resolution:
        """Walk the ladder. ``show_id`` and ``episode_id`` say where the name was said, if known.

        A given name alone, or a garbled name that is only loosely alike, counts only with such a
        place, and only for people who occur there. Of more than :data:`MAX_NAME` characters the
        name must be exact.
        """
        text = text.strip()
        exact = self._exact(text) if text else None
        if exact is not None:
            return exact
        if not text or len(text) > MAX_NAME:
            return Resolution(None, 0.0, "none")
        place = _Place(show_id, episode_id)
        person = PersonName.of(text)
        if person is not None and not person.family:
            return self._one_word(person.given, place)
        return self._fuzzy(text, person, place)

    def mentions(self, text: str) -> list[Mention]:
        """Return the known entities that a longer text names, in order, longest names first."""
        return self._scanner.scan(text)

    def _exact(self, text: str) -> Resolution | None:
        entry = self.registry.get(bounded(strip_layer_prefix(text)))
        if entry is not None:
            return _settled([entry], 1.0, "id")
        slug = slugify(text)
        ids = [f"{kind}:{slug}" for kind in ENTITY_TYPES] + [f"concept:topic-{slug}"]
        found = [entry for entry in map(self.registry.get, ids) if entry is not None]
        if found:
            first = found[0]
            return Resolution(first.id, 1.0, "slug", _candidates((e, 1.0) for e in found))
        key = normalise(text)
        for table in (self._by_name, self._by_alias):
            named = [self.registry.get(i) for i in sorted(table.get(key, ()))]
            entries = [entry for entry in named if entry is not None]
            if key and entries:
                return _settled(entries, 1.0, "name")
        return None

    def _one_word(self, word: str, place: _Place) -> Resolution:
        bearers = [e for e in map(self.registry.get, sorted(self._by_last.get(word, ()))) if e]
        if len(word) < SURNAME_LETTERS:
            bearers = []
        if bearers:
            here = [entry for entry in bearers if place.holds(entry)]
            return _settled(here if len(here) == 1 else bearers, 0.85, "surname")
        called = self._called(word)
        here = [entry for entry in called if place.holds(entry)]
        if len(here) == 1:
            return _settled(here, 0.75, "fuzzy")
        term = self._term(word)
        if term.id is not None or not called:
            return term
        return Resolution(None, 0.0, "none", _candidates((e, 0.5) for e in called))

    def _called(self, given: str) -> list[RegistryEntry]:
        ids = sorted(self._by_given.get(given, ()))
        return [entry for entry in map(self.registry.get, ids) if entry is not None]

    def _fuzzy(self, text: str, person: PersonName | None, place: _Place) -> Resolution:
        if person is None:
            return self._term(normalise(text))
        scored: dict[str, tuple[RegistryEntry, float]] = {}
        for spelling in self._near(person):
            known = spelling.person
            if known is None:
                continue
            score = person_score(person, known, near=place.holds(spelling.entry))
            if score > scored.get(spelling.entry.id, (None, 0.0))[1]:
                scored[spelling.entry.id] = (spelling.entry, score)
        if not scored:
            return self._term(normalise(text))
        ranked = sorted(scored.values(), key=lambda item: (-item[1], item[0].id))
        here = [item for item in ranked if place.holds(item[0])]
        best, score = (here if len(here) == 1 else ranked)[0]
        if len(ranked) > 1 and len(here) != 1:
            return Resolution(None, 0.0, "none", _candidates(ranked))
        return Resolution(best.id, score, "fuzzy", _candidates([(best, score), *ranked]))

    def _near(self, person: PersonName) -> list[_Spelling]:
        positions = dict.fromkeys(self._trigrams.nearest(person.full))
        positions.update(dict.fromkeys(self._by_sound.get(sound(person.last), ())))
        for given in {person.given} & self._by_given.keys():
            positions.update(dict.fromkeys(self._given_positions[given]))
        return [self._spellings[position] for position in positions]

    def _term(self, text: str) -> Resolution:
        """Match an organisation or topic by spelling; subsets and single letters never settle."""
        scored: dict[str, tuple[RegistryEntry, float]] = {}
        for position in self._trigrams.nearest(text):
            spelling = self._spellings[position]
            score = fuzz.token_sort_ratio(text, spelling.text)
            if score >= SUGGESTED and score > scored.get(spelling.entry.id, (None, 0.0))[1]:
                scored[spelling.entry.id] = (spelling.entry, score)
        ranked = sorted(scored.values(), key=lambda item: (-item[1], item[0].id))
        close = [
            (entry, score / 100)
            for entry, score in ranked
            if score >= FUZZY_TERM and entry.type != "person" and self._same_term(text, entry)
        ]
        if len(close) == 1:
            entry, score = close[0]
            return Resolution(entry.id, score, "fuzzy", _candidates(close))
        return Resolution(None, 0.0, "none", _candidates((e, s / 100) for e, s in ranked))

    @staticmethod
    def _same_term(text: str, entry: RegistryEntry) -> bool:
        # A missing or added word, or another number, makes another thing: OpenAI / OpenAI Five.
        for name in (entry.name, *entry.aliases):
            known = normalise(name).split()
            given = text.split()
            if len(known) == len(given) and all(
                left == right
                or (
                    left.isalpha()
                    and right.isalpha()
                    and min(len(left), len(right)) >= 5
                    and DamerauLevenshtein.distance(left, right) <= 2
                )
                for left, right in zip(sorted(known), sorted(given), strict=True)
            ):
                return True
        return False

    @cached_property
    def _scanner(self) -> MentionScanner:
        return MentionScanner(self.registry)

    @cached_property
    def _spellings(self) -> list[_Spelling]:
        made = []
        for entry in self.registry:
            for name in (entry.name, *entry.aliases):
                person = PersonName.of(name) if entry.type == "person" else None
                text = person.full if person is not None else normalise(name)
                if text:
                    made.append(_Spelling(entry, text, person))
        return made

    @cached_property
    def _trigrams(self) -> TrigramIndex:
        return TrigramIndex([spelling.text for spelling in self._spellings])

    @cached_property
    def _by_sound(self) -> dict[str, list[int]]:
        table: dict[str, list[int]] = defaultdict(list)
        for position, spelling in enumerate(self._spellings):
            if spelling.person is not None and spelling.person.family:
                table[sound(spelling.person.last)].append(position)
        table.pop("", None)
        return dict(table)

    @cached_property
    def _given_positions(self) -> dict[str, list[int]]:
        table: dict[str, list[int]] = defaultdict(list)
        for position, spelling in enumerate(self._spellings):
            if spelling.person is not None:
                table[spelling.person.given].append(position)
        return dict(table)

    @cached_property
    def _by_given(self) -> dict[str, set[str]]:
        return {
            given: {self._spellings[position].entry.id for position in positions}
            for given, positions in self._given_positions.items()
        }


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a name was said."""

    show_id: str | None
    episode_id: str | None

    def holds(self, entry: RegistryEntry) -> bool:
        return self.show_id in entry.shows or self.episode_id in entry.episodes


def _settled(entries: list[RegistryEntry], score: float, method: Method) -> Resolution:
    if len(entries) == 1:
        return Resolution(entries[0].id, score, method, _candidates([(entries[0], score)]))
    return Resolution(None, 0.0, "none", _candidates((entry, score) for entry in entries))


def _candidates(scored: Iterable[tuple[RegistryEntry, float]]) -> tuple[Candidate, ...]:
    listed = {entry.id: Candidate(entry.id, entry.name, round(score, 3)) for entry, score in scored}
    return tuple(listed.values())[:CANDIDATES]


def resolution_to_json(resolver: EntityResolver, text: str) -> dict[str, Any]:
    """Return what a text names and contains, in the shape of ``resolve --json``."""
    found = resolver.resolve_detail(text)
    return {
        "id": found.id,
        "score": found.score,
        "method": found.method,
        "candidates": [asdict(candidate) for candidate in found.candidates],
        "mentions": [
            {
                "text": mention.text,
                "start": mention.start,
                "end": mention.end,
                "candidates": [asdict(candidate) for candidate in mention.candidates],
            }
            for mention in resolver.mentions(text)
        ],
    }
