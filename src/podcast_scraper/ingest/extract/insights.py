"""Which sentences state something worth finding, by the form of what is said.

Extractive: a sentence is taken as it was said or not at all. The rules (``words/insights.toml``)
score how a sentence makes its point (advice, finding, definition, comparison, cause) and refuse
what does not stand alone: openings that point back, small talk, talk about the show, broken speech.
"""

from __future__ import annotations

import functools
import re
import tomllib
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

LENGTH: Final = (9, 45)
"""Fewest and most words of an insight."""
SHORTEST_LED: Final = 5
LEAST: Final = 0.0
"""Least score of a candidate by its form alone."""
GOOD_LENGTH: Final = (13, 32)
LONGEST_QUESTION: Final = 26

_BROKEN = re.compile(
    r"--|\.\.\.|…|[\[\]🎶♪*]| - .* - |\?.*\?|\w\. (?:It|You|And|So|But|The|That)\b"
)
_GENERIC_SUBJECT = re.compile(
    r"(?:(?:when|if|in|with|for|as|once|unless|while) )?"
    r"(?:you|people|everyone|most|every|any|a|an|[A-Z][\w-]+ing|[A-Z][\w'-]+)\b"
)
_QUESTION_OPENING = re.compile(
    r"(?:how|why|what|when|where|is|are|should|does|do|can)\b", re.IGNORECASE
)
_PUT_TO_THE_OTHER = re.compile(
    r"\b(?:you|your|what about|how about|anyone|did|was|this|that|it|"
    r"they|them|their|he|she|I|me|my|we|us|our|those|these|there)\b",
    re.IGNORECASE,
)
_OF_ONE_CASE = re.compile(
    r"\bthe (?:company|town|team|project|book|story|idea|product|issue|problem|question|other)\b",
    re.IGNORECASE,
)
_NAMED_TO = re.compile(
    r"(?!\w+ly,|However|Today|Sometimes|Otherwise|Again|Still|First|Second|Often|Nowadays)"
    r"[A-Z][a-z]+, (?:I|you|we|that|what|how)(?:'\w+)?\b"
)
_NAMED_INSIDE = re.compile(r"\b[A-Z][a-z]+, (?:maybe |and |if |when |do |did |can |could )?you\b")
_SUBORDINATE = re.compile(r",? (?:because|if|which|where|so that)\b|;")
_FINITE = re.compile(
    r"n't\b|'(?:s|re|ll|ve|d|m)\b|\b(?:"
    r"is|are|was|were|am|has|have|had|do|does|did|can|could|will|would|should|may|might|must|"
    r"need|gonna|cannot|(?:I|you|we|they|it|people|everyone|developers|engineers|companies|teams|users|"
    r"(?:most|many|all|some) \w+) (?:\w+ly |just |also |still )?[a-z]+|"
    r"makes?|lets?|gives?|takes?|uses|needs|helps|works?|means?|goes|comes?|wants?|tends?|"
    r"depends?|requires?|allows?|provides?|supports?|likes?|thinks?|seems?|feels?|gets?|got|"
    r"starts?|creates?|enables?|becomes?|runs?|kills?|keeps?|stays?|matters?|leads?|\w{3,}ed)\b"
)
"""What a clause with a finite verb nearly always holds; an open list by nature."""
_AGREEMENT = re.compile(
    r"\b(?:yeah|yes|no|oh|right|ok|okay|exactly|sure|well|because|actually)\b", re.I
)


@dataclass(frozen=True, slots=True)
class Judgement:
    """A sentence's score (:data:`LEAST` and up) and its insight type."""

    score: float
    type: str


@dataclass(frozen=True, slots=True)
class _Cue:
    type: str
    weight: float
    cap: float
    pattern: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class _Rules:
    refused: re.Pattern[str]
    leaning: re.Pattern[str]
    opener: re.Pattern[str]
    points_back: re.Pattern[str]
    conversation: re.Pattern[str]
    penalties: tuple[tuple[float, re.Pattern[str]], ...]
    cues: tuple[_Cue, ...]


_PENALTY: Final = {
    "filler": 0.45,
    "story": 0.8,
    "back_inside": 0.65,
    "hypothetical": 0.4,
    "vague": 0.6,
    "mine": 0.8,
    "address": 0.8,
    "first_person": 0.4,
}


@functools.cache
def _rules() -> _Rules:
    source = (resources.files(__package__) / "words" / "insights.toml").read_text("utf-8")
    table = tomllib.loads(source)
    return _Rules(
        refused=_words(table["refused"]),
        leaning=_words(table["leaning"]),
        opener=re.compile(rf"(?:{_any(table['openers'])}(?:,\s*|\s+))+", re.IGNORECASE),
        points_back=_words(table["points_back"]),
        conversation=_words(table["conversation"]),
        penalties=tuple(
            (_PENALTY[name], _words(patterns)) for name, patterns in table["penalties"].items()
        ),
        cues=tuple(
            _Cue(cue["type"], cue["weight"], cue["cap"], _words(cue["patterns"]))
            for cue in table["cue"]
        ),
    )


def _any(patterns: Iterable[str]) -> str:
    return f"(?:{'|'.join(patterns)})"


def _words(patterns: Iterable[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w'’]){_any(patterns)}(?![\w'’])", re.IGNORECASE)


def judge(sentence: str, led: bool = False) -> Judgement | None:
    """Return the judgement of a sentence by its form alone, or None where it is refused.

    ``led`` tells that the sentence before it is quoted with it: then it may point back, and its
    score may be anything.
    """
    rules = _rules()
    words = len(sentence.split())
    shortest = LENGTH[0] if not led else SHORTEST_LED
    if not shortest <= words <= LENGTH[1] or not sentence.endswith((".", "!", "?")):
        return None
    if not (sentence[0].isupper() or sentence[0].isdigit()) or _is_broken(sentence):
        return None
    plain = sentence.replace("’", "'")
    if rules.refused.search(plain):
        return None
    opener = rules.opener.match(plain)
    body = plain[opener.end() :] if opener else plain
    if not body or _names_the_other(body) or _is_fragment(body):
        return None
    if not led and (rules.leaning.search(plain) or rules.points_back.match(body)):
        return None
    if sentence.endswith("?"):
        return None if led else _question(body, words)
    score, kind = _scored(plain, body, opener[0] if opener else "", rules)
    return Judgement(score, kind) if led or score >= LEAST else None


def _scored(plain: str, body: str, opening: str, rules: _Rules) -> tuple[float, str]:
    score, kind = _statement(plain, rules)
    if _AGREEMENT.match(opening):
        score -= 1.0
    if rules.conversation.match(body):
        score -= 1.0
    score -= sum(weight * len(pattern.findall(body)) for weight, pattern in rules.penalties)
    score += 0.8 if GOOD_LENGTH[0] <= len(plain.split()) <= GOOD_LENGTH[1] else 0.0
    score += 0.5 if _GENERIC_SUBJECT.match(body) else 0.0
    return round(score, 2), kind


def _is_broken(sentence: str) -> bool:
    """Interrupted speech, asides in dashes, and quotations that begin or end elsewhere."""
    if _BROKEN.search(sentence):
        return True
    return sentence.count('"') % 2 == 1 or sentence.count("“") != sentence.count("”")


def _names_the_other(body: str) -> bool:
    return bool(_NAMED_TO.match(body) or _NAMED_INSIDE.search(body))


def _is_fragment(sentence: str) -> bool:
    """Whether nothing before the first subordinate clause looks like a finite verb.

    A sentence without such a clause, or with one at its very start, is left to the other rules.
    """
    head, *clause = _SUBORDINATE.split(sentence, maxsplit=1)
    return bool(head and clause) and not _FINITE.search(head)


def _statement(sentence: str, rules: _Rules) -> tuple[float, str]:
    score, kind = 0.0, "claim"
    found = False
    for cue in rules.cues:
        matches = len(cue.pattern.findall(sentence))
        score += min(cue.cap, cue.weight * matches)
        if matches and not found:
            found, kind = True, cue.type
    return score, kind


def _question(body: str, words: int) -> Judgement | None:
    """A question that a listener may have, too: general, and not put to the guest as a person."""
    if words > LONGEST_QUESTION or not _QUESTION_OPENING.match(body):
        return None
    if _PUT_TO_THE_OTHER.search(body) or _OF_ONE_CASE.search(body):
        return None
    return Judgement(2.6, "question")
