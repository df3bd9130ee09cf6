"""What one episode holds before it is compared with the others of its corpus."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from podcast_scraper.ingest.extract.ads import ad_sentences
from podcast_scraper.ingest.extract.candidates import Candidate, Sentence, candidates
from podcast_scraper.ingest.extract.names import clean_name, has_employment_cue
from podcast_scraper.ingest.extract.sentences import sentences

if TYPE_CHECKING:
    from podcast_scraper.ingest.extract.annotate import Annotation, Annotator
    from podcast_scraper.ingest.extract.layout import Layout


@dataclass(frozen=True, slots=True)
class NameCount:
    """How often a name was labelled what, and how often its sentence tells of employment."""

    labels: dict[str, int] = field(default_factory=dict)
    cues: int = 0

    @property
    def total(self) -> int:
        """The number of mentions."""
        return sum(self.labels.values())


@dataclass(frozen=True, slots=True)
class Analysis:
    """``phrases`` maps a normal form to its count and most frequent spelling; ``ads`` are spans."""

    phrases: dict[str, tuple[int, str]]
    names: dict[str, NameCount]
    candidates: tuple[Candidate, ...]
    fingerprints: tuple[int, ...]
    ads: tuple[tuple[int, int], ...]


class _Counts:
    """What the sentences of an episode hold, as they come."""

    def __init__(self) -> None:
        self.phrases: Counter[str] = Counter()
        self.spellings: dict[str, Counter[str]] = defaultdict(Counter)
        self.labels: dict[str, Counter[str]] = defaultdict(Counter)
        self.cues: Counter[str] = Counter()

    def add(self, words: str, notes: Annotation) -> None:
        """Count the phrases and names of a sentence; offsets of ``notes`` are into ``words``."""
        for phrase in notes.phrases:
            self.phrases[phrase.normal] += 1
            self.spellings[phrase.normal][words[phrase.start : phrase.end]] += 1
        for mention in notes.mentions:
            name = clean_name(words[mention.start : mention.end])
            self.labels[name][mention.label] += 1
            self.cues[name] += has_employment_cue(words, mention.start, mention.end)

    def phrase_table(self) -> dict[str, tuple[int, str]]:
        """Return the count and the most frequent spelling of each phrase."""
        return {
            normal: (count, _best(self.spellings[normal]))
            for normal, count in sorted(self.phrases.items())
        }

    def name_table(self) -> dict[str, NameCount]:
        """Return the counts of each name."""
        return {
            name: NameCount(dict(sorted(labels.items())), self.cues[name])
            for name, labels in sorted(self.labels.items())
        }


def analyse(layout: Layout, annotator: Annotator) -> Analysis:
    """Return the phrases, names, candidate insights and sponsor reads of an episode."""
    text = layout.transcript.text
    counts = _Counts()
    found: list[Candidate] = []
    prints: list[int] = []
    ads: list[tuple[int, int]] = []
    lines = [text[line.start : line.end] for line in layout.lines]
    for index, (line, words, notes) in enumerate(
        zip(layout.lines, lines, annotator.annotate(lines), strict=True)
    ):
        if line.kind != "speech":
            continue
        parts = [Sentence(words, *place, notes) for place in sentences(words)]
        read = ad_sentences([part.text for part in parts])
        prints += [part.fingerprint for part in parts if part.fingerprint is not None]
        for part, is_ad in zip(parts, read, strict=True):
            if is_ad:
                ads.append((line.start + part.start, line.start + part.end))
            else:
                counts.add(words, part.notes)
        found += candidates(parts, [not is_ad for is_ad in read], index, line.start)
    return Analysis(
        counts.phrase_table(), counts.name_table(), tuple(found), tuple(prints), tuple(ads)
    )


def _best(spellings: Counter[str]) -> str:
    """The most frequent spelling; of equals the first in the alphabet, so that bytes stay."""
    return min(spellings, key=lambda spelling: (-spellings[spelling], spelling))
