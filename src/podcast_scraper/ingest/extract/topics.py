"""Topics of an episode: noun phrases that it holds more of than its corpus does (tf-idf)."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from podcast_scraper.ingest.extract.vocabulary import STOP_WORDS, generic_phrases

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

COMMON: Final = 0.3
"""A phrase in a larger share of a corpus' episodes is what the corpus is about, not an episode."""
SMALL_CORPUS: Final = 10
WORDS_PER_TOPIC: Final = 800
BOUNDS: Final = (4, 14)


@dataclass(frozen=True, slots=True)
class Topic:
    """A chosen phrase: its normal form, how the episode spells it, how often it says it."""

    normal: str
    label: str
    count: int
    score: float


def could_be_topic(normal: str) -> bool:
    """Tell whether a phrase says what talk is about: one to four words, not all of them generic."""
    words = normal.split()
    if not 1 <= len(words) <= 4 or normal in generic_phrases():
        return False
    if any(len(word) < 2 and word not in ("c", "r") for word in words):
        return False
    if words[0] in STOP_WORDS or words[-1] in STOP_WORDS:
        return False
    if any(not any(c.isalpha() for c in word) for word in words):
        return False
    plain = generic_phrases()
    return not all(word in plain or word in STOP_WORDS for word in words)


def choose_topics(
    phrases: Mapping[str, tuple[int, str]],
    document_frequency: Mapping[str, int],
    episodes: int,
    words: int,
    names: Collection[str] = (),
) -> list[Topic]:
    """Return the topics of an episode, the strongest first.

    ``phrases`` maps normal forms to (count, spelling), ``document_frequency`` to the number of the
    corpus' ``episodes`` that have them; ``words`` is the episode's length. ``names`` holds the
    lower-case names of people and organisations, which are entities and no topics.
    """
    least = 3 if words > 2000 else 2
    taken = set(names)
    scored: list[Topic] = []
    for normal, (count, label) in phrases.items():
        frequency = document_frequency.get(normal, 1)
        if count < least or normal in taken or not could_be_topic(normal):
            continue
        if episodes >= SMALL_CORPUS and frequency > COMMON * episodes:
            continue
        idf = math.log((episodes + 1) / (frequency + 0.5))
        length = 1.6 if " " in normal else 1.0
        proper = 1.2 if any(c.isupper() for c in label[1:]) or label[:1].isupper() else 1.0
        scored.append(Topic(normal, label, count, round(count**0.8 * idf * length * proper, 4)))
    scored.sort(key=lambda topic: (-topic.score, topic.normal))
    wanted = max(BOUNDS[0], min(BOUNDS[1], words // WORDS_PER_TOPIC))
    return _without_parts(scored[: 3 * wanted])[:wanted]


def _without_parts(topics: list[Topic]) -> list[Topic]:
    """Drop a phrase that mostly occurs inside a longer one of the list."""
    return [
        topic
        for topic in topics
        if not any(
            contains(other.normal, topic.normal) and other.count >= 0.6 * topic.count
            for other in topics
            if other is not topic
        )
    ]


def contains(phrase: str, part: str) -> bool:
    """Tell whether the words of ``part`` stand together in the longer ``phrase``."""
    return phrase != part and f" {part} " in f" {phrase} "


def concepts(topics: Mapping[str, int]) -> dict[str, str]:
    """Return the concept of each topic that shares one with others.

    ``topics`` maps the normal form of every topic of the corpus to the number of its episodes. A
    topic phrase that stands inside at least two other topics is a concept, and stands for them and
    itself; where several fit, the longest one does.
    """
    holders: dict[str, set[str]] = defaultdict(set)
    for normal in topics:
        words = normal.split()
        for size in range(1, len(words)):
            for start in range(len(words) - size + 1):
                part = " ".join(words[start : start + size])
                if part in topics:
                    holders[part].add(normal)
    heads = {part for part, members in holders.items() if len(members) >= 2}
    found: dict[str, str] = {}
    for normal in sorted(topics):
        inside = [head for head in heads if head == normal or contains(normal, head)]
        if inside:
            found[normal] = min(inside, key=lambda head: (-len(head.split()), -topics[head], head))
    return found
