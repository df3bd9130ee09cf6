"""Candidate insights of a paragraph: sentences that stand alone, and spans that such a one leads.

What leans on the sentence before it ("That's why it is faster.") is quoted together with it, so
that the reader has the noun that the pronoun stands for. A span is verbatim, too: it is sentences
that follow each other in one speaker's paragraph.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Final

from podcast_scraper.ingest.extract.ads import fingerprint
from podcast_scraper.ingest.extract.annotate import Annotation
from podcast_scraper.ingest.extract.insights import Judgement, judge
from podcast_scraper.ingest.extract.names import clean_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

FOLLOWERS: Final = 2
"""Most sentences after the leading one."""
LONGEST_SPAN: Final = 80
"""Words; a card holds no more without being cut."""
SECOND_SHARE: Final = 0.35
"""What the weaker sentences add to the score of the strongest."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One to three sentences that may be an insight.

    Offsets are into the transcript; ``phrases`` are normal forms, ``names`` surface forms in it,
    ``lead`` the phrases of its first sentence, ``fingerprints`` those of its sentences.
    """

    start: int
    end: int
    line: int
    score: float
    type: str
    phrases: tuple[str, ...]
    lead: tuple[str, ...]
    names: tuple[str, ...]
    fingerprints: tuple[int, ...]


class Sentence:
    """A sentence of a line: its place ``[start, end)`` in the line, and its annotation."""

    def __init__(self, line: str, start: int, end: int, notes: Annotation) -> None:
        self.start, self.end = start, end
        self.text = line[start:end]
        self.fingerprint = fingerprint(self.text)
        self.notes = Annotation(
            tuple(p for p in notes.phrases if start <= p.start and p.end <= end),
            tuple(m for m in notes.mentions if start <= m.start and m.end <= end),
        )

    @cached_property
    def phrases(self) -> tuple[str, ...]:
        """Normal forms of its phrases, each once, in order."""
        return tuple(dict.fromkeys(phrase.normal for phrase in self.notes.phrases))

    @property
    def names(self) -> Iterator[str]:
        """Names in it, in order."""
        for mention in self.notes.mentions:
            yield clean_name(self.text[mention.start - self.start : mention.end - self.start])


def candidates(
    sentences: Sequence[Sentence], usable: Sequence[bool], line: int, offset: int
) -> Iterator[Candidate]:
    """Yield the candidates of a line that starts at ``offset``; ``usable`` leaves sentences out."""
    texts = [sentence.text for sentence in sentences]
    for first, last, judgement in spans(texts, usable):
        parts = sentences[first : last + 1]
        yield Candidate(
            offset + parts[0].start,
            offset + parts[-1].end,
            line,
            judgement.score,
            judgement.type,
            tuple(dict.fromkeys(chain.from_iterable(part.phrases for part in parts))),
            parts[0].phrases,
            tuple(dict.fromkeys(chain.from_iterable(part.names for part in parts))),
            tuple(part.fingerprint for part in parts if part.fingerprint is not None),
        )


def spans(sentences: Sequence[str], usable: Sequence[bool]) -> Iterator[tuple[int, int, Judgement]]:
    """Yield first and last sentence of each candidate span, and the judgement of it as a whole."""
    for first, sentence in enumerate(sentences):
        lead = judge(sentence) if usable[first] else None
        if lead is None:
            continue
        yield first, first, lead
        if lead.type == "question":
            continue
        words, parts = len(sentence.split()), [lead]
        for last in range(first + 1, min(first + 1 + FOLLOWERS, len(sentences))):
            words += len(sentences[last].split())
            follower = judge(sentences[last], led=True) if usable[last] else None
            if follower is None or words > LONGEST_SPAN:
                break
            parts.append(follower)
            yield first, last, _together(parts)


def _together(parts: Sequence[Judgement]) -> Judgement:
    best, *others = sorted(parts, key=lambda part: -part.score)
    score = best.score + SECOND_SHARE * sum(part.score for part in others)
    return Judgement(round(score, 2), best.type)
