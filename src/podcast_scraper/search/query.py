"""The lenient query language: what a person types becomes words, restrictions and leftovers.

::

    battery ferries "harbour master" -ice -"thin ice"
    speaker:"Ida Holm" show:north after:2023 before:2024-05 mentions:omar topic:energy type:claim

Nothing is an error here. What cannot be understood is searched as plain words where it has words,
and is listed as ignored otherwise, with the reason. ``after:`` and ``since:`` begin with the first
day of what they name, ``before:`` ends the day before it, ``until:`` with its last day.
"""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Protocol

from podcast_scraper.search.analysis import exact_terms
from podcast_scraper.search.backend import Filters, Tier

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_TERMS: Final = 256
INSIGHT_TYPES: Final = (
    "claim",
    "recommendation",
    "observation",
    "question",
    "fact",
    "opinion",
    "unknown",
)

_ENTITY_FIELDS: Final = {
    "show": "shows",
    "podcast": "shows",
    "episode": "episodes",
    "speaker": "persons",
    "person": "persons",
    "mentions": "mentions",
    "topic": "topics",
}
_DATE_FIELDS: Final = ("after", "since", "before", "until")
_FIELDS: Final = (*_ENTITY_FIELDS, *_DATE_FIELDS, "type")
_NAME_WORDS: Final = 4

_QUOTES: Final = '"“”„‟«»〝〞〟＂「」『』'
# Direction marks, byte order marks and control characters separate words and mean nothing else.
_MARKS: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]"
)
_SURROGATES: Final = re.compile("[\ud800-\udfff]")
_DATE: Final = re.compile(r"(\d{4})(?:[-/](\d{1,2})(?:[-/](\d{1,2}))?)?", re.ASCII)
_PIECE: Final = re.compile(
    rf"""
    (?P<minus>[-−](?=\S))?
    (?:(?P<field>{"|".join(_FIELDS)}):(?=\S))?
    (?:
        [{_QUOTES}](?P<phrase>[^{_QUOTES}]*)[{_QUOTES}]
      | ['‘](?P<single>[^\s'’][^'’]*(?<!\s))['’](?!\S)
      | (?P<word>[^\s{_QUOTES}]+)
      | (?P<stray>[{_QUOTES}])
    )
    """,
    re.VERBOSE | re.IGNORECASE,
)


class FieldResolver(Protocol):
    """Finds what a field's value means."""

    def resolve_field(self, field: str, value: str) -> Sequence[str]:
        """Return the ids that ``value`` names; empty where it names none.

        ``field`` is show, episode, speaker, mentions or topic; a value may be an id itself.
        """


@dataclass(frozen=True, slots=True)
class Ignored:
    """A part of what was typed that changes nothing, and why."""

    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class FieldTerm:
    """A field that was understood: as typed, and the ids, day or type that it stands for."""

    field: str
    typed: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """What was typed, taken apart.

    ``text`` holds the words to rank by, those of phrases included. ``phrases`` and ``excluded`` are
    in ``filters`` too, with all that the fields say.
    """

    typed: str
    text: str
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    fields: tuple[FieldTerm, ...] = ()
    ignored: tuple[Ignored, ...] = ()
    filters: Filters = field(default_factory=Filters)
    tier: Tier = "all"

    def restricting(self, base: Filters) -> Filters:
        """Return ``base`` with the typed restrictions added.

        Values of one field are alternatives, wherever they come from; of dates the narrower counts.
        """
        return _joined(base, self.filters)


def parse_query(typed: str, resolver: FieldResolver | None = None) -> ParsedQuery:
    """Take a typed query apart. Never raises; without a resolver, entity values count as ids."""
    reader = _Reader(resolver)
    clean = _SURROGATES.sub("\N{REPLACEMENT CHARACTER}", _MARKS.sub(" ", typed))
    pieces = list(_PIECE.finditer(clean))
    while pieces and reader.has_room_for(pieces[0]):
        reader.read(pieces)
    if pieces:
        rest = clean[pieces[0].start() :]
        reader.ignore(rest, f"a query has at most {MAX_TERMS} words")
    return reader.result(typed)


class _Reader:
    """Collects the parts of one query."""

    def __init__(self, resolver: FieldResolver | None) -> None:
        self._resolver = resolver
        self._words: list[str] = []
        self._phrases: list[str] = []
        self._excluded: list[str] = []
        self._fields: list[FieldTerm] = []
        self._ignored: list[Ignored] = []
        self._filters = Filters()
        self._tier: Tier = "all"
        self._count = 0

    def has_room_for(self, piece: re.Match[str]) -> bool:
        """Count the words of the next piece and tell whether they still fit."""
        self._count += len(exact_terms(piece.group()))
        return self._count <= MAX_TERMS

    def ignore(self, text: str, reason: str) -> None:
        self._ignored.append(Ignored(text, reason))

    def read(self, pieces: list[re.Match[str]]) -> None:
        """Take the first piece off the list, and with it what else belongs to it."""
        piece = pieces.pop(0)
        value = piece["phrase"] or piece["single"] or piece["word"]
        if value is None or not exact_terms(value):
            reason = (
                "a quote without its pair" if piece["stray"] else "nothing in it can be searched"
            )
            self.ignore(piece.group(), reason)
        elif piece["field"] and piece["minus"]:
            self.ignore(piece.group(), "only words and phrases can be excluded")
        elif piece["field"]:
            self._read_field(piece["field"].lower(), value, piece, pieces)
        elif piece["minus"]:
            self._excluded.append(value)
        else:
            self._words.append(value)
            if _is_phrase(piece):
                self._phrases.append(value)

    def _read_field(
        self, name: str, value: str, piece: re.Match[str], rest: list[re.Match[str]]
    ) -> None:
        if name in _DATE_FIELDS:
            self._read_date(name, value, piece.group())
        elif name == "type":
            self._read_type(value.lower(), piece.group())
        else:
            self._read_entity(name, value, piece, rest)

    def _read_entity(
        self, name: str, value: str, piece: re.Match[str], rest: list[re.Match[str]]
    ) -> None:
        following = _plain_words(rest) if piece["word"] else []
        role = {"podcast": "show", "person": "speaker"}.get(name, name)
        for extra in range(len(following) + 1):
            # `speaker:Ida Holm` without quotes: take words in until the name is known.
            ids = self._resolve(role, " ".join([value, *following[:extra]]))
            if ids:
                typed = " ".join([piece.group(), *following[:extra]])
                del rest[:extra]
                self._add(FieldTerm(role, typed, ids), **{_ENTITY_FIELDS[name]: ids})
                return
        self.ignore(piece.group(), f"no {role} of that name is known")

    def _resolve(self, role: str, value: str) -> tuple[str, ...]:
        if self._resolver is None:
            return (value,)
        return tuple(self._resolver.resolve_field(role, value))

    def _read_date(self, name: str, value: str, typed: str) -> None:
        try:
            first, last = _period(value)
            if name in ("after", "since"):
                day = first.isoformat()
                self._add(FieldTerm(name, typed, (day,)), since=day)
            else:
                day = (first - datetime.timedelta(1) if name == "before" else last).isoformat()
                self._add(FieldTerm(name, typed, (day,)), until=day)
        except (ValueError, OverflowError):
            self.ignore(typed, "not a date: write 2023, 2023-05 or 2023-05-01")

    def _read_type(self, value: str, typed: str) -> None:
        if value in INSIGHT_TYPES:
            self._add(FieldTerm("type", typed, (value,)), insight_types=(value,))
        elif value in ("insight", "segment"):
            self._tier = "insight" if value == "insight" else "segment"
            self._fields.append(FieldTerm("type", typed, (value,)))
        else:
            known = ", ".join(("insight", "segment", *INSIGHT_TYPES))
            self.ignore(typed, f"no such type; there are {known}")

    def _add(self, term: FieldTerm, **changes: object) -> None:
        self._fields.append(term)
        self._filters = _joined(self._filters, replace(Filters(), **changes))  # type: ignore[arg-type]

    def result(self, typed: str) -> ParsedQuery:
        words = Filters(phrases=tuple(self._phrases), excluded=tuple(self._excluded))
        return ParsedQuery(
            typed,
            " ".join(self._words),
            words.phrases,
            words.excluded,
            tuple(self._fields),
            tuple(self._ignored),
            _joined(self._filters, words),
            self._tier,
        )


def _is_phrase(piece: re.Match[str]) -> bool:
    # Single quotes are apostrophes more often than not: only around several words do they quote.
    return bool(piece["phrase"] or (piece["single"] and len(piece["single"].split()) > 1))


def _plain_words(pieces: Sequence[re.Match[str]]) -> list[str]:
    """Return the unmarked words at the head of the pieces, as many as a name may have."""
    words: list[str] = []
    for piece in pieces[: _NAME_WORDS - 1]:
        if piece["word"] is None or piece["minus"] or piece["field"]:
            break
        words.append(piece["word"])
    return words


def _period(value: str) -> tuple[datetime.date, datetime.date]:
    """Return the first and last day of a year, month or day. ValueError where it is none."""
    match = _DATE.fullmatch(value)
    if match is None:
        raise ValueError(value)
    year, month, day = (int(part) if part else None for part in match.groups())
    first = datetime.date(year or 0, month or 1, day or 1)
    if day is not None:
        return first, first
    if month is None:
        return first, datetime.date(first.year, 12, 31)
    following = (first + datetime.timedelta(31)).replace(day=1)
    return first, following - datetime.timedelta(1)


def _joined(one: Filters, other: Filters) -> Filters:
    sets = {
        name: tuple(dict.fromkeys((*getattr(one, name), *getattr(other, name))))
        for name in (
            *dict.fromkeys(_ENTITY_FIELDS.values()),
            "insight_types",
            "phrases",
            "excluded",
        )
    }
    return replace(
        one,
        **sets,
        since=max((day for day in (one.since, other.since) if day is not None), default=None),
        until=min((day for day in (one.until, other.until) if day is not None), default=None),
        ads="exclude" if "exclude" in (one.ads, other.ads) else "include",
    )
