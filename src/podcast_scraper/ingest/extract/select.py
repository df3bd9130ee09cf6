"""Choosing the insights of an episode among its candidate sentences."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from podcast_scraper.ingest.extract.topics import could_be_topic

if TYPE_CHECKING:
    from collections.abc import Collection

    from podcast_scraper.ingest.extract.candidates import Candidate

THRESHOLD: Final = 2.2
WORDS_PER_INSIGHT: Final = 700
BOUNDS: Final = (3, 20)
PER_LINE: Final = 2
NAMED: Final = 0.3
"""What a name adds: a sentence that names somebody or something is seldom empty."""
FEWEST_TOPICS: Final = 3
"""An episode with fewer topics cannot be asked that its insights open with one."""


def choose_insights(
    candidates: Collection[Candidate],
    topics: Collection[str],
    repeated: Collection[int],
    words: int,
) -> list[Candidate]:
    """Return the insights in the order of speech, with their final scores.

    The leading sentence needs a topic of the episode: without one, it mostly leans on those before
    it. Where the episode is too short to have many, two phrases that could be topics do.
    Sentences that other episodes hold too (``repeated`` fingerprints) are boilerplate. There is
    about one insight in 700 words, at most two a paragraph, and no sentence is in two.
    """
    scored: list[Candidate] = []
    for candidate in candidates:
        if not _opens_with_topic(candidate, topics) or set(candidate.fingerprints) & set(repeated):
            continue
        about = sum(
            0.9 if " " in phrase else 0.6 for phrase in candidate.phrases if phrase in topics
        )
        score = candidate.score + min(1.5, about) + (NAMED if candidate.names else 0.0)
        if score >= THRESHOLD:
            scored.append(replace(candidate, score=round(score, 2)))
    scored.sort(key=lambda candidate: (-candidate.score, candidate.start))
    wanted = max(BOUNDS[0], min(BOUNDS[1], words // WORDS_PER_INSIGHT))
    chosen: list[Candidate] = []
    for candidate in scored:
        beside = [other for other in chosen if other.line == candidate.line]
        if len(beside) < PER_LINE and not any(_overlap(candidate, other) for other in beside):
            chosen.append(candidate)
        if len(chosen) == wanted:
            break
    return sorted(chosen, key=lambda candidate: candidate.start)


def _opens_with_topic(candidate: Candidate, topics: Collection[str]) -> bool:
    if any(phrase in topics for phrase in candidate.lead):
        return True
    specific = sum(could_be_topic(phrase) for phrase in candidate.lead)
    return len(topics) < FEWEST_TOPICS and specific >= 2 and candidate.type != "question"


def _overlap(one: Candidate, other: Candidate) -> bool:
    return one.start < other.end and other.start < one.end
