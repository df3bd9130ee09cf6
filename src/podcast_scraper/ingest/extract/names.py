"""What a name names: a person, an organisation, or neither, by votes over the whole corpus."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal

from podcast_scraper.ingest.extract.vocabulary import (
    NO_PERSON_WORDS,
    NOT_ORGANISATIONS,
    ORGANISATIONS,
    first_names,
)

if TYPE_CHECKING:
    from podcast_scraper.ingest.extract.analysis import NameCount

EntityType = Literal["person", "org"]

SHARE: Final = 0.6
"""Least share of the model's votes for the type."""

_BEFORE = re.compile(
    r"(?:\b(?:at|joined|join(?:ing)?|left|leaving|work(?:s|ed|ing)? (?:at|for)|hired by|founded|"
    r"co-?founded|founders? of|c[et]o (?:of|at)|acquired|bought by|acquired by|"
    r"people (?:at|from)|folks (?:at|from|over at)|engineers? at|company (?:called|named)|"
    r"startup (?:called|named)|employees? (?:of|at)) (?:the )?)$",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"^(?:'s|’s)? (?:ceo|cto|founders?|co-founders?|employees?|engineers?|engineering team|"
    r"acquired|announced|hired|raised|went public|ipo|is hiring|as a company|the company)\b",
    re.IGNORECASE,
)
_SUFFIX = re.compile(
    r"\b(?:Inc|Corp|Corporation|Labs?|Foundation|University|Institute|Ventures|Capital|Technologies|"
    r"Group|LLC|Ltd|GmbH|Media|Bank|College|Association|Systems|Academy|Networks?|Studios?|"
    r"Department|Ministry|Council|Agency|Commission|Partners)\.?$"
)
_PERSON_NAME = re.compile(
    r"[A-Z][\w.'’-]*(?: (?:[A-Z][\w.'’-]*|van|von|de|der|den|la|le|da|di|St\.)){1,3}"
)


def has_employment_cue(text: str, start: int, end: int) -> bool:
    """Tell whether the words around a name speak of it as an employer or a company."""
    return bool(
        _BEFORE.search(text, max(0, start - 40), start) or _AFTER.match(text[end : end + 40])
    )


def type_of_name(name: str, count: NameCount, speakers: frozenset[str]) -> EntityType | None:
    """Return the type of a name by what the corpus says of it, or None where it is unsure.

    ``count`` sums over the corpus; ``speakers`` holds the folded full names of known speakers.
    """
    folded = name.casefold()
    if folded in speakers:
        return "person"
    if (
        len(name) < 3
        or name.islower()
        or folded in NOT_ORGANISATIONS
        or any(c.isdigit() for c in name)
    ):
        return None
    if folded in ORGANISATIONS:
        return "org"
    if _is_person(name, count):
        return "person"
    return "org" if _is_organisation(name, count) else None


def _is_person(name: str, count: NameCount) -> bool:
    """A full name with most votes for a person, and a first name that people have or recurrence."""
    words = name.split()
    if not _PERSON_NAME.fullmatch(name) or _SUFFIX.search(name):
        return False
    if any(
        word.casefold().strip(".") in NO_PERSON_WORDS or (word.isupper() and len(word) > 2)
        for word in words
    ):
        return False
    share = count.labels.get("PERSON", 0) / max(1, count.total)
    if words[0].casefold() in first_names():
        return share >= SHARE
    return share >= 0.8 and count.total >= 3


def _is_organisation(name: str, count: NameCount) -> bool:
    """Mostly labelled so, and either named like one or spoken of as an employer more than once."""
    share = count.labels.get("ORG", 0) / max(1, count.total)
    if share < SHARE or (name.isupper() and len(name) <= 5):
        return False
    if _SUFFIX.search(name) and " " in name:
        return True
    return count.total >= 3 and count.cues >= 2 and count.cues >= 0.1 * count.total


def is_first_name(name: str, count: NameCount) -> bool:
    """Tell whether a single word mostly names somebody, so that it is no topic."""
    share = count.labels.get("PERSON", 0) / max(1, count.total)
    return " " not in name and share >= (0.4 if name.casefold() in first_names() else 0.8)


def clean_name(surface: str) -> str:
    """Return a mention without article, possessive and stray marks."""
    name = surface.strip(' \t,.;:!?"“”()[]*_-–')
    for ending in ("'s", "’s", "'", "’"):
        name = name.removesuffix(ending)
    return " ".join(name.removeprefix("the ").removeprefix("The ").split())
