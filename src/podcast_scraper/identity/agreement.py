"""Whether two spellings can be the same person: evidence from the parts of the name.

String scores over whole names mislead: token-set scores give 100 to any subset, and two people can
differ by one letter. So given and family name are compared apart, and each comparison says *how*
it agrees. Speech recognition writes what it hears: sound (Metaphone) counts as evidence.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Final

from rapidfuzz.distance import DamerauLevenshtein, JaroWinkler

from podcast_scraper.identity.names import same_given_names, sound

if TYPE_CHECKING:
    from podcast_scraper.identity.names import PersonName


class Agreement(IntEnum):
    """How well one part of a name agrees, from worst to best."""

    DIFFERENT = 0
    LOOSE = 1
    INITIAL = 2
    CLOSE = 3
    SAME = 4


LOOSE_LIKENESS: Final = 0.75
CLOSE_LIKENESS: Final = 0.84


def given_agreement(left: str, right: str) -> Agreement:
    """Compare given names: equal, nickname (``rich`` / ``richard``), initial, spelling, sound."""
    if left == right:
        return Agreement.SAME
    if len(left) == 1 or len(right) == 1:
        return Agreement.INITIAL if left[0] == right[0] else Agreement.DIFFERENT
    if right in same_given_names(left):
        return Agreement.CLOSE
    return _spelling(left, right)


def family_agreement(left: str, right: str) -> Agreement:
    """Compare family names; a missing one agrees with nothing."""
    if not left or not right:
        return Agreement.DIFFERENT
    if left.replace(" ", "") == right.replace(" ", ""):
        return Agreement.SAME
    return _spelling(left, right)


def _spelling(left: str, right: str) -> Agreement:
    likeness = JaroWinkler.similarity(left, right)
    if likeness < LOOSE_LIKENESS:
        return Agreement.DIFFERENT
    distance = DamerauLevenshtein.distance(left, right)
    shortest = min(len(left), len(right))
    heard = sound(left)
    if heard and heard == sound(right) and likeness >= CLOSE_LIKENESS:
        return Agreement.CLOSE
    if distance == 1 and shortest >= 6:
        return Agreement.CLOSE
    if distance == 2 and shortest >= 9:
        return Agreement.CLOSE
    return Agreement.LOOSE


def person_score(query: PersonName, known: PersonName, *, near: bool) -> float:
    """Return how sure it is that two names mean one person, 0 where the evidence is too weak.

    ``near`` says that other evidence (a shared show or episode) brings the two together; then a
    looser likeness is enough.
    """
    given = given_agreement(query.given, known.given)
    if given == Agreement.DIFFERENT:
        return 0.0
    family = family_agreement(query.family, known.family)
    if family == Agreement.SAME and given >= Agreement.INITIAL:
        return 0.85 + 0.03 * given
    if family == Agreement.CLOSE and given == Agreement.SAME:
        return 0.93
    if family == Agreement.CLOSE and given == Agreement.CLOSE:
        return 0.86
    if near and given >= Agreement.CLOSE and family == Agreement.LOOSE:
        return 0.8
    if near and given == Agreement.LOOSE and family >= Agreement.CLOSE:
        return 0.8
    return 0.0
