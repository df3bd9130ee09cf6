"""The one tokeniser of graph rescue: gate, seeder, packer and decorator all see these words."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

# Scripts that write no spaces count by character; elsewhere a word may hold inner apostrophes.
_IDEOGRAPHS: Final = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD: Final = re.compile(rf"[{_IDEOGRAPHS}]|[^\W{_IDEOGRAPHS}]+(?:'[^\W{_IDEOGRAPHS}]+)*")
_ASCII_WORD: Final = re.compile(r"[a-z0-9_]+(?:'[a-z0-9_]+)*")


def words(text: str) -> list[str]:
    """Return the words of a text in order: NFKC, case-folded, without punctuation."""
    if text.isascii():  # the same words, found several times faster
        return _ASCII_WORD.findall(text.lower())
    return _WORD.findall(unicodedata.normalize("NFKC", text).replace("’", "'").casefold())


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """How many words a text has, and which."""

    count: int
    distinct: frozenset[str]


@lru_cache(maxsize=2048)
def vocabulary_of(text: str) -> Vocabulary:
    """Return the vocabulary of a text, kept for the texts seen last."""
    found = words(text)
    return Vocabulary(len(found), frozenset(found))


def distinct_words(text: str) -> frozenset[str]:
    """Return the set of a text's words."""
    return vocabulary_of(text).distinct


class TokenCounter(Protocol):
    """Counts the tokens of a text; ``name`` says by which tokeniser."""

    @property
    def name(self) -> str: ...

    def __call__(self, text: str) -> int: ...


@dataclass(frozen=True, slots=True)
class NamedCounter:
    """A counting function with the name of its tokeniser."""

    name: str
    count: Callable[[str], int]

    def __call__(self, text: str) -> int:
        return self.count(text)


def _count_words(text: str) -> int:
    return vocabulary_of(text).count


UNICODE_WORDS: Final = NamedCounter("unicode-words", _count_words)
