"""Episodes that are game shows: their answers are guesses, bluffs and scores, not statements."""

from __future__ import annotations

import re
from typing import Final

_PLAY = re.compile(
    r"\b(?:(?:one|two|three|four|five|no|zero|\d+) points?|(?:next|first|final|last|bonus) round|"
    r"round (?:one|two|three|four|five|\d)|(?:correct|right|wrong) (?:answer|definition|one)|"
    r"is (?:in)?correct|contestants?|your (?:guess|answer)|game ?show|trivia|scoreboard|"
    r"buzz(?:er|ed)?|final answer|on the board)\b",
    re.IGNORECASE,
)
GAME: Final = 1.0
"""Such words in 1000 words of speech; talk about anything else stays under 0.6."""
FEWEST: Final = 5


def is_game(text: str) -> bool:
    """Tell whether a transcript is mostly a game that is played in it."""
    found = len(_PLAY.findall(text))
    return found >= FEWEST and 1000 * found >= GAME * len(text.split())
