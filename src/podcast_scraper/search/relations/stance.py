"""Whether two insights on one topic may disagree or agree: words that take a side, no model.

An insight's stance is the number of its words that speak for something minus those that speak
against; two insights of opposed stance that share a word beyond the topic's own name are a
*candidate* tension. Views are mostly opposed without such words, and such words often concern
different things: ``benchmarks/tensions.py`` measures how often a candidate is right on labelled
pairs, and the outcome is why pages do not offer candidates by themselves (RFC-094).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from podcast_scraper.search.analysis import analyze

OFFERED_BY_DEFAULT: Final = False

SHARED_FOR_TENSION: Final = 1
SHARED_FOR_AGREEMENT: Final = 2

_FOR = re.compile(
    r"\b(?:should|must|gain\w*|best|better|good|protect\w*|safe\w*|save\w*|help\w*|worth|free\w*|"
    r"fair|works?|great\w*|enough|pays?|useful|improve\w*|benefit\w*|keep\w*|restore\w*)\b",
    re.IGNORECASE,
)
_AGAINST = re.compile(
    r"\b(?:not|no|never|nobody|nothing|cannot|\w+n['’]t|without|useless|worse|worst|fail|wrong|"
    r"mistake|lose|lost|destroy\w*|harm\w*|risk\w*|abolish\w*|stop\w*|instead|impossible|too|"
    r"less)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """What is compared of an insight: its stance and its stems without those of the topic."""

    stance: int
    stems: frozenset[str]

    @classmethod
    def of(cls, text: str, topic_label: str) -> Statement:
        """Read a text about a topic."""
        stems = frozenset(stem for stem in analyze(text) if len(stem) > 2)
        stance = len(_FOR.findall(text)) - len(_AGAINST.findall(text))
        return cls(stance, stems - set(analyze(topic_label)))


def opposed(left: Statement, right: Statement) -> bool:
    """Tell whether two statements are a candidate tension."""
    shared = len(left.stems & right.stems)
    return left.stance * right.stance < 0 and shared >= SHARED_FOR_TENSION


def agreeing(left: Statement, right: Statement) -> bool:
    """Tell whether two statements are a candidate agreement."""
    shared = len(left.stems & right.stems)
    return left.stance * right.stance >= 0 and shared >= SHARED_FOR_AGREEMENT
