"""Which words before a colon name a speaker, decided over a whole file.

``Ada: yes`` names a speaker and ``Note: yes`` does not; one line alone cannot tell. A candidate is
accepted by its form (two capitalised words, initials, ``Speaker 3``), by its recurrence, and by
how much of the file is labelled.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from podcast_scraper.artifacts.records import SegmentKind

_WORD = r"[^\W\d_][\w.'’-]*\.?"
_NAME = rf"{_WORD}(?:[ ](?:{_WORD}|&|\d{{1,3}})){{0,4}}"
PREFIX: Final = re.compile(
    rf"(?:>>[ ]?|-[ ])?[\[(]?(?P<label>{_NAME})[\])]?(?:[ ]\([^()]{{1,20}}\))?:(?=\s|$)"
)
_VOICE = re.compile(
    r"(?:speaker|spk|voice|participant|guest|host|interviewer|caller|s)?[ _-]?\d{1,3}|"
    r"speaker[ _-]?[a-z]|unknown(?: speaker)?|speaker|unidentified.*",
    re.IGNORECASE,
)

_PARTICLE_LIST = "de da di del der den van von la le el al bin ibn of the and y & du"
# Openings of sentences that are followed by a colon and speak for nobody.
_NOT_NAMES_LIST = """
    note notes warning update edit tip tips ps p.s example examples question questions answer
    answers http https ftp mailto url link links disclaimer source sources transcript transcripts
    title date duration summary topics topic chapter chapters section part step caution important
    remember fact rule reason problem solution conclusion result credits copyright tldr todo fyi
    nb aka i.e e.g re subject from to cc spoiler kind language description author references
    resources also first second third finally one two three so and but then because plus today
    tomorrow yes no okay ok well now here this that these those which what who why how when where
"""
_AD_LIST = """
    ad ads advert advertisement advertising commercial sponsor sponsors promo break
    midroll preroll postroll mid-roll pre-roll post-roll
"""
# Whatever is played and not said by a person of the show.
_MUSIC_LIST = "music jingle jingles intro outro song theme singing sample remix clip extract"
_FILLER_LIST = "sponsored message time read the by movie film audio video"

_PARTICLES: Final = frozenset(_PARTICLE_LIST.split())
NOT_NAMES: Final = frozenset(_NOT_NAMES_LIST.split())
_AD: Final = frozenset(_AD_LIST.split())
_MUSIC: Final = frozenset(_MUSIC_LIST.split())
_PSEUDO: Final = _AD | _MUSIC | frozenset(_FILLER_LIST.split())


def kind_of_label(label: str) -> SegmentKind | None:
    """Return ``ad`` or ``music`` for a pseudo-speaker (``Break``, ``Jingles``), else None.

    >>> kind_of_label("Ad Break"), kind_of_label("Intro music"), kind_of_label("Ada")
    ('ad', 'music', None)
    """
    words = set(re.sub(r"[^\w -]", "", label.lower()).split())
    if not words or len(words) > 3:
        return None
    if words <= _PSEUDO:
        if words & _AD:
            return "ad"
        if words & _MUSIC:
            return "music"
    return None


def is_voice_label(label: str) -> bool:
    """Tell whether a label is a diarisation voice (``SPEAKER_00``, ``Speaker 2``), not a name."""
    return _VOICE.fullmatch(label.strip()) is not None


def accepted_labels(candidates: Iterable[str], lines: int) -> frozenset[str]:
    """Return the candidates that name speakers.

    ``candidates`` holds the words before a colon at the start of each line or cue that has them,
    ``lines`` is how many lines or cues there are. A name of two or more capitalised words, a voice
    or initials is accepted at once; a single word must recur, or stand in a file of which a third
    is labelled.
    """
    counts = Counter(candidates)
    good = {label for label in counts if _could_name(label)}
    labelled = sum(counts[label] for label in good)
    dense = labelled * 3 >= lines
    return frozenset(
        label
        for label in good
        if dense or counts[label] >= 2 or is_voice_label(label) or _is_full_name(label)
    )


def _could_name(label: str) -> bool:
    """A speaker's label: no stop word, and every word capitalised (particles and digits apart)."""
    if is_voice_label(label):
        return True
    words = label.split()
    if words[0].lower().rstrip(".") in NOT_NAMES or label.lower() in NOT_NAMES:
        return False
    return all(
        word[0].isupper() or word.isdigit() or word.lower() in _PARTICLES or not word[0].islower()
        for word in words
    )


def _is_full_name(label: str) -> bool:
    words = label.split()
    return 2 <= len(words) <= 4 and all(
        word[0].isupper() or word.lower() in _PARTICLES for word in words
    )
