"""The seam to natural-language tools: noun phrases and named entities of lines of speech."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase: offsets in its line and its normal form (lower case, head in the singular)."""

    start: int
    end: int
    normal: str


@dataclass(frozen=True, slots=True)
class Mention:
    """A named entity: offsets in its line and the label that the model gives it."""

    start: int
    end: int
    label: str


@dataclass(frozen=True, slots=True)
class Annotation:
    """What a line holds; both lists are in order."""

    phrases: tuple[Phrase, ...]
    mentions: tuple[Mention, ...]


class Annotator(Protocol):
    """Annotates lines. ``name`` states the method and its version, for ``model_version``."""

    name: str

    def annotate(self, lines: Sequence[str]) -> Iterator[Annotation]:
        """Yield one annotation a line."""
        ...


_DETERMINER_LIST = """
    a an the this that these those my your our his her its their some any each every no all both
    another such what which whose
"""
_DETERMINERS: Final = frozenset(_DETERMINER_LIST.split())


def singular(word: str) -> str:
    """Return the likely singular of a lower-case noun.

    >>> [singular(w) for w in ("libraries", "databases", "kubernetes", "class", "bus", "boxes")]
    ['library', 'database', 'kubernetes', 'class', 'bus', 'box']
    """
    if len(word) < 4 or word.endswith(("ss", "us", "is", "ops", "netes", "ows", "news")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("xes", "ches", "shes", "sses")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("'s") else word


def normal_form(text: str) -> str:
    """Return the form under which the variants of a phrase are one.

    >>> normal_form("The Large-Language Models"), normal_form("my APIs")
    ('large language model', 'api')
    """
    words = re.sub(r"[-_/]", " ", text.replace("’", "'").lower()).split()
    words = [word.removesuffix("'s") for word in words]
    while words and words[0] in _DETERMINERS:
        words.pop(0)
    return " ".join([*words[:-1], singular(words[-1])]) if words else ""
