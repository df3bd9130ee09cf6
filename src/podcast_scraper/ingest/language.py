"""The language of a transcript: what is stated, else English where its small words say so."""

from __future__ import annotations

from typing import Final

_ENGLISH: Final = frozenset(
    ("the", "and", "to", "of", "a", "that", "is", "you", "it", "in", "i", "we")
)
SHARE: Final = 0.12
SAMPLE: Final = 2000


def language_of(text: str, stated: str | None = None) -> str | None:
    """Return a language tag, or None where nothing tells.

    Twelve small words make a fifth of spoken English; no other language reaches an eighth.
    """
    if stated:
        return stated.replace("_", "-")
    words = text.lower().split()[:SAMPLE]
    small = sum(word in _ENGLISH for word in words)
    return "en" if words and small >= SHARE * len(words) else None


def is_english(language: str | None) -> bool:
    """Tell whether the English tools apply; an unknown language is not assumed to be English."""
    return (language or "").lower().partition("-")[0] == "en"
