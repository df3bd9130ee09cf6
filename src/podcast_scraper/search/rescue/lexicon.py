"""Words that ask for a relation, with their inflections."""

from __future__ import annotations

from typing import Final

RELATION_CUES: Final[tuple[str, ...]] = (
    # cause
    "why", "because", "cause", "reason", "effect", "result", "consequence", "explain",
    "explanation", "lead", "led", "trigger", "thanks", "therefore",
    # connection
    "between", "relate", "relation", "relationship", "connect", "connection", "link", "depend",
    "dependence", "dependency", "dependent", "affect", "influence", "impact", "tie", "tying",
    "associate", "association", "correlate", "correlation", "interact", "interaction", "shape",
    "drive", "drove", "driven", "underlie", "stem",
    # comparison
    "compare", "comparison", "versus", "vs", "differ", "difference", "different", "contrast",
    "similar", "similarity", "unlike", "whereas", "tradeoff", "better", "worse",
    # stance
    "agree", "agreement", "disagree", "disagreement", "contradict", "contradiction", "oppose",
    "opposition", "support", "respond", "response", "react", "reaction", "argue", "argument",
    "criticise", "criticize", "criticism", "rebut", "rebuttal", "dispute", "debate", "conflict",
    "tension", "reconcile",
    # change
    "change", "evolve", "evolution", "shift", "become", "became", "turn", "transform", "replace",
)  # fmt: skip
"""Base forms; :func:`inflections` supplies the regular ones, irregular ones are listed."""

_VOWELS: Final = "aeiou"


def inflections(word: str) -> frozenset[str]:
    """Return a lower-case word with its regular English -s, -ed and -ing forms."""
    if word.endswith("e") and len(word) > 2:
        ing = word + "ing" if word.endswith("ee") else word[:-1] + "ing"
        return frozenset({word, word + "s", word + "d", ing})
    if word.endswith("y") and len(word) > 2 and word[-2] not in _VOWELS:
        return frozenset({word, word[:-1] + "ies", word[:-1] + "ied", word + "ing"})
    plural = "es" if word.endswith(("s", "x", "z", "ch", "sh")) else "s"
    return frozenset({word, word + plural, word + "ed", word + "ing"})
