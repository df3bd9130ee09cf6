"""Sponsor reads: what they say, where they stand, and that they recur."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

# Weights: a phrase that only advertisements use counts for two that also occur in talk.
_STRONG = re.compile(
    r"\b(?:brought to you by|(?:promo|coupon|discount|offer) code|use (?:the )?code|sponsored by|"
    r"thanks? to our (?:sponsors?|partners)|(?:our|today's|episode's) sponsors?\b|"
    r"word from our|free trial|money[- ]back guarantee|\d+% off|percent off|sponsor of|"
    r"(?:is|are) sponsoring|support for (?:this|the) (?:show|podcast|episode)|terms apply)",
    re.IGNORECASE,
)
_WEAK = re.compile(
    r"\b(?:head (?:over )?to|go to|visit|check (?:them|it) out at|sign up|get started|"
    r"learn more at|"
    r"[\w-]+(?:\.| dot )(?:com|io|dev|net|org|fm)\b(?:/| slash )\w+|first month|for free|"
    r"no credit card|try it (?:out )?(?:for free|today)|"
    r"link (?:is )?in the (?:show ?notes|description))",
    re.IGNORECASE,
)
NEEDED: Final = 3
WINDOW: Final = 6
"""Neighbouring sentences that are judged together; a read is a minute of speech."""


def ad_sentences(texts: Sequence[str]) -> list[bool]:
    """Tell of each sentence in a row by one speaker whether it belongs to a sponsor read.

    A window of six sentences with a weight of three (a strong phrase weighs two, a weak one one)
    is a read from its first such sentence to its last; a lone mention of a sponsor is talk.
    """
    weights = [2 * len(_STRONG.findall(text)) + len(_WEAK.findall(text)) for text in texts]
    flags = [False] * len(texts)
    for start in range(len(texts)):
        if not weights[start]:
            continue
        window = weights[start : start + WINDOW]
        strong = any(_STRONG.search(text) for text in texts[start : start + WINDOW])
        if strong and sum(window) >= NEEDED:
            last = max(index for index, weight in enumerate(window) if weight)
            flags[start : start + last + 1] = [True] * (last + 1)
    return flags


def fingerprint(sentence: str) -> int | None:
    """Return a 63-bit hash of a sentence's words, or None for one too short to recognise again."""
    words = re.findall(r"[a-z0-9]+", sentence.lower())
    if len(words) < 7:
        return None
    digest = hashlib.blake2b(" ".join(words).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1
