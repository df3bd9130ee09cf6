"""Words of names: folding, titles, the parts of a person's name, nicknames, sound."""

from __future__ import annotations

import functools
import re
import unicodedata
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import jellyfish

TITLES: Final = frozenset(
    {
        "dr",
        "doctor",
        "mr",
        "mrs",
        "ms",
        "miss",
        "mx",
        "prof",
        "professor",
        "sir",
        "dame",
        "lord",
        "lady",
        "rev",
        "reverend",
        "hon",
        "senator",
        "sen",
        "rep",
        "congressman",
        "congresswoman",
        "president",
        "gov",
        "governor",
        "judge",
        "justice",
        "captain",
        "capt",
        "colonel",
        "col",
        "general",
        "gen",
    }
)
SUFFIXES: Final = frozenset({"jr", "sr", "ii", "iii", "iv", "phd", "md", "esq", "cpa", "mba"})

# Scripts without spaces between words: each character counts as a word of its own.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_WORD = re.compile(
    rf"[{_UNSPACED}]|(?:(?![{_UNSPACED}_])[\w\u0300-\u036f]|(?<=[\w\u0300-\u036f])['’](?=\w))+"
)


class Word(NamedTuple):
    """A folded word and the code points ``[start, end)`` that it stands at in its text."""

    text: str
    start: int
    end: int


def words(text: str) -> list[Word]:
    """Split a text into folded words: no case, no accents, no apostrophes (``O’Brien`` obrien)."""
    found = []
    for match in _WORD.finditer(text):
        folded = fold(match.group())
        if folded:
            found.append(Word(folded, match.start(), match.end()))
    return found


def fold(word: str) -> str:
    """Return a word without case, accents and apostrophes."""
    if word.isascii():
        return word.lower().replace("'", "")
    decomposed = unicodedata.normalize("NFKD", word.casefold())
    return "".join(c for c in decomposed if c.isalnum())


def normalise(text: str) -> str:
    """Return the folded words of a text joined by single spaces: the key of exact name matches."""
    return " ".join(word.text for word in words(text))


@dataclass(frozen=True, slots=True)
class PersonName:
    """The folded parts of a person's name without titles. One word alone is ``given``.

    ``family`` keeps a hyphenated or spaced compound joined (``crebo rediker``): middle names and
    compound surnames look alike, so everything after the first word counts as family name.
    """

    given: str
    family: str

    @classmethod
    def of(cls, text: str) -> PersonName | None:
        """Return the parts of a name, or None where nothing but titles is left."""
        parts = [word.text for word in words(text)]
        while len(parts) > 1 and parts[0] in TITLES:
            parts = parts[1:]
        while len(parts) > 1 and parts[-1] in SUFFIXES:
            parts = parts[:-1]
        if not parts or parts[0] in TITLES:
            return None
        return cls(parts[0], " ".join(parts[1:]))

    @property
    def full(self) -> str:
        return f"{self.given} {self.family}".strip()

    @property
    def last(self) -> str:
        """The last word, by which people are called: ``altman`` of Sam Altman."""
        return self.full.rpartition(" ")[2]


@functools.lru_cache(maxsize=65_536)
def sound(word: str) -> str:
    """Return the Metaphone code of a folded word, empty where it has no Latin letters.

    A written ``sch`` is read as ``sh`` first, so that Fischer and Fisher sound alike.
    """
    letters = word.replace(" ", "").replace("sch", "sh")
    return jellyfish.metaphone(letters) if letters.isascii() else ""


@functools.lru_cache(maxsize=1)
def _nicknames() -> Any:
    from nicknames import NickNamer

    return NickNamer()


@functools.lru_cache(maxsize=8_192)
def same_given_names(given: str) -> frozenset[str]:
    """Return a given name, what it may be short for, and its short forms: rich ↔ richard."""
    namer = _nicknames()
    return frozenset({given, *namer.canonicals_of(given), *namer.nicknames_of(given)})
