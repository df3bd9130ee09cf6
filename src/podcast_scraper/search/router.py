"""What kind of question a query is, and the weights that follow from it (RFC-090).

Rules over words, in a fixed order; no model. ``query-intents`` sets of the evaluation measure how
often they are right, and which weights an intent deserves.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal, get_args

from podcast_scraper.search.fusion import SIGNAL_WEIGHTS, TIER_WEIGHTS

if TYPE_CHECKING:
    from collections.abc import Mapping

Intent = Literal[
    "entity_lookup", "raw_evidence", "temporal_tracking", "cross_show_synthesis", "semantic"
]
INTENTS: Final[tuple[Intent, ...]] = get_args(Intent)
NAME_WORDS: Final = 4

_SIGNAL_WEIGHTS: Final[Mapping[str, Mapping[str, float]]] = {
    "entity_lookup": {**SIGNAL_WEIGHTS, "bm25": 1.99, "vector": 0.01},
    "raw_evidence": {**SIGNAL_WEIGHTS, "bm25": 1.2, "vector": 0.8},
}

_TEMPORAL = re.compile(
    r"\b(?:chang(?:e|es|ed|ing)|evol\w+|over (?:time|the (?:years?|months?|weeks?|season|last))"
    r"|since|before and after|latest|recent(?:ly)?|newest|new trends?|developments?|timeline"
    r"|when did|first (?:appear|mention|said|say)|last time|used to|still (?:think|believe)"
    r"|no longer|shift(?:s|ed|ing)?|history of|so far|nowadays|(?:19|20)\d\d)\b",
    re.IGNORECASE,
)
_SYNTHESIS = re.compile(
    r"\b(?:across (?:the |all )?(?:shows?|podcasts?|episodes?|corpus|whole)"
    r"|whole corpus|different (?:shows?|podcasts?|guests|hosts|views)|who (?:has )?said what"
    r"|agree(?:s|d|ment)?|disagree\w*|compare[sd]?|comparison|consensus|debate[sd]?|both sides"
    r"|perspectives?|everyone|(?:all|other) (?:shows?|guests|hosts)|role of|dynamics)\b",
    re.IGNORECASE,
)
_EVIDENCE = re.compile(
    r"[\"“”«»]|\b(?:quotes?|exact(?:ly)?|verbatim|(?:what|where|who|when) (?:did|does|do|was|were)"
    r" .{0,40}\b(?:say|said|talk|mention)|word for word|the (?:bit|part|moment|passage) (?:where"
    r"|about)|said about|says about|mention(?:s|ed)?)\b",
    re.IGNORECASE,
)
_WHO = re.compile(r"^\s*(?:who|what)(?:'s| is| are| was) (?P<name>.+?)\s*\??$", re.IGNORECASE)
_NAME_WORD = re.compile(r"^[A-Z][\w.'’&-]*$|^(?:of|the|and|de|van|von|der|da|la|le)$")


def classify_query(text: str) -> Intent:
    """Return the intent of a query by its words; a name is at most four, all written as one."""
    if _TEMPORAL.search(text):
        return "temporal_tracking"
    if _SYNTHESIS.search(text):
        return "cross_show_synthesis"
    if _EVIDENCE.search(text):
        return "raw_evidence"
    if _looks_like_a_name(asked_name(text)):
        return "entity_lookup"
    return "semantic"


def asked_name(text: str) -> str:
    """Return what ``who is …?`` asks for, any other text whole."""
    asked = _WHO.match(text)
    return asked["name"] if asked else text.strip()


def signal_weights_for(intent: Intent) -> Mapping[str, float]:
    """Return the fusion weights of the signals for an intent.

    A name is found by its letters: meaning only orders what words leave equal. Who asks what was
    said about something tends to name things too. ``benchmarks/router.py`` measures both.
    """
    return _SIGNAL_WEIGHTS.get(intent, SIGNAL_WEIGHTS)


def tier_weights_for(intent: Intent) -> Mapping[str, float]:
    """Return the fusion weights of the tiers for an intent.

    Somebody who asks for evidence wants the words as spoken, so passages are not placed behind
    insights there.
    """
    if intent == "raw_evidence":
        return {**TIER_WEIGHTS, "insight": 1.0}
    return TIER_WEIGHTS


def _looks_like_a_name(text: str) -> bool:
    words = text.split()
    return 0 < len(words) <= NAME_WORDS and all(_NAME_WORD.match(word) for word in words)
