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
_WORD: Final = re.compile(
    r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]|"
    r"[^\W\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+"
    r"(?:'[^\W\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+)*"
)


def words(text: str) -> list[str]:
    """Return the words of a text in order: NFKC, case-folded, without punctuation."""
    return _WORD.findall(unicodedata.normalize("NFKC", text).replace("’", "'").casefold())


@lru_cache(maxsize=2048)
def distinct_words(text: str) -> frozenset[str]:
    """Return the set of a text's words, kept for the texts seen last."""
    return frozenset(words(text))


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
    return len(words(text))


UNICODE_WORDS: Final = NamedCounter("unicode-words", _count_words)
