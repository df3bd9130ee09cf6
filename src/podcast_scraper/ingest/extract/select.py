"""Choosing the insights of an episode among its candidate sentences."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from podcast_scraper.ingest.extract.topics import could_be_topic

if TYPE_CHECKING:
    from collections.abc import Collection

    from podcast_scraper.ingest.extract.analysis import Candidate

THRESHOLD: Final = 2.8
WORDS_PER_INSIGHT: Final = 700
BOUNDS: Final = (3, 20)
PER_LINE: Final = 2
FEWEST_TOPICS: Final = 3
"""An episode with fewer topics cannot be asked that its insights name one."""


def choose_insights(
    candidates: Collection[Candidate],
    topics: Collection[str],
    repeated: Collection[int],
    words: int,
) -> list[Candidate]:
    """Return the insights in the order of speech, with their final scores.

    A candidate needs a topic of the episode: without one, it mostly leans on those before it. Where
    the episode is too short to have many, two phrases that could be topics do.
    Sentences that other episodes hold too (``repeated`` fingerprints) are boilerplate. There is
    about one insight in 700 words, at most two a paragraph.
    """
    bound = len(topics) >= FEWEST_TOPICS
    scored: list[Candidate] = []
    for candidate in candidates:
        if candidate.fingerprint in repeated:
            continue
        about = sum(phrase in topics for phrase in candidate.phrases)
        specific = sum(could_be_topic(phrase) for phrase in candidate.phrases)
        if not about and (bound or specific < 2 or candidate.type == "question"):
            continue
        score = candidate.score + min(1.5, 0.9 * about) + min(0.75, 0.25 * specific)
        if score >= THRESHOLD:
            scored.append(replace(candidate, score=round(score, 2)))
    scored.sort(key=lambda candidate: (-candidate.score, candidate.start))
    wanted = max(BOUNDS[0], min(BOUNDS[1], words // WORDS_PER_INSIGHT))
    chosen: list[Candidate] = []
    for candidate in scored:
        if sum(other.line == candidate.line for other in chosen) < PER_LINE:
            chosen.append(candidate)
        if len(chosen) == wanted:
            break
    return sorted(chosen, key=lambda candidate: candidate.start)
