"""Word lists that the extractors share, kept as text files beside this module."""

from __future__ import annotations

import csv
import functools
from importlib import resources
from typing import Final


def _words(name: str) -> frozenset[str]:
    text = (resources.files(__package__) / "words" / name).read_text("utf-8")
    return frozenset(text.split())


def _lines(name: str) -> frozenset[str]:
    """Lines are entries; the first line of a file of words holds one an entry."""
    text = (resources.files(__package__) / "words" / name).read_text("utf-8")
    return frozenset(line.strip() for line in text.splitlines() if line.strip())


STOP_WORDS: Final = _words("stop_words.txt")
"""Words that no topic begins or ends with."""

ORGANISATIONS: Final = _lines("organisations.txt")
"""Lower-case names of well-known organisations: what a small model confuses with products."""

NOT_ORGANISATIONS: Final = _words("not_organisations.txt")
"""Acronyms, languages and products that a small model takes for organisations."""

NO_PERSON_WORDS: Final = _words("not_person_words.txt")
"""Words of names that are no people's names: products, places, events."""


@functools.cache
def generic_phrases() -> frozenset[str]:
    """Return nouns and phrases of all talk, which say nothing about what it is about."""
    single, *phrases = sorted(_lines("generic.txt"), key=len, reverse=True)
    return frozenset(single.split()) | frozenset(phrases)


@functools.cache
def first_names() -> frozenset[str]:
    """Return lower-case first names and nicknames (the list of the ``nicknames`` package)."""
    text = (resources.files("nicknames") / "names.csv").read_text("utf-8")
    rows = list(csv.reader(text.splitlines()))[1:]
    return frozenset(name for row in rows for name in (row[0], row[-1]) if name)
