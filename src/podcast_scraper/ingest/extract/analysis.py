"""What one episode holds before it is compared with the others of its corpus."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from podcast_scraper.ingest.extract.ads import ad_sentences, fingerprint
from podcast_scraper.ingest.extract.insights import judge
from podcast_scraper.ingest.extract.names import has_employment_cue
from podcast_scraper.ingest.extract.sentences import sentences

if TYPE_CHECKING:
    from podcast_scraper.ingest.extract.annotate import Annotation, Annotator
    from podcast_scraper.ingest.extract.layout import Layout


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence that may be an insight.

    Offsets are into the transcript; ``phrases`` are normal forms, ``names`` surface forms in it.
    """

    start: int
    end: int
    line: int
    score: float
    type: str
    phrases: tuple[str, ...]
    names: tuple[str, ...]
    fingerprint: int | None


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


def analyse(layout: Layout, annotator: Annotator) -> Analysis:
    """Return the phrases, names, candidate insights and sponsor reads of an episode."""
    text = layout.transcript.text
    counts: Counter[str] = Counter()
    spellings: dict[str, Counter[str]] = defaultdict(Counter)
    labels: dict[str, Counter[str]] = defaultdict(Counter)
    cues: Counter[str] = Counter()
    candidates: list[Candidate] = []
    prints: list[int] = []
    ads: list[tuple[int, int]] = []
    lines = [text[line.start : line.end] for line in layout.lines]
    for index, (line, words, notes) in enumerate(
        zip(layout.lines, lines, annotator.annotate(lines), strict=True)
    ):
        if line.kind != "speech":
            continue
        spans = list(sentences(words))
        read = ad_sentences([words[start:end] for start, end in spans])
        for (start, end), is_ad in zip(spans, read, strict=True):
            sentence = words[start:end]
            mark = fingerprint(sentence)
            if mark is not None:
                prints.append(mark)
            if is_ad:
                ads.append((line.start + start, line.start + end))
                continue
            inside = _inside(notes, start, end)
            for phrase in inside.phrases:
                counts[phrase.normal] += 1
                spellings[phrase.normal][words[phrase.start : phrase.end]] += 1
            for mention in inside.mentions:
                name = clean_name(words[mention.start : mention.end])
                labels[name][mention.label] += 1
                cues[name] += has_employment_cue(words, mention.start, mention.end)
            judgement = judge(sentence)
            if judgement is not None:
                candidates.append(
                    Candidate(
                        line.start + start,
                        line.start + end,
                        index,
                        judgement.score,
                        judgement.type,
                        tuple(dict.fromkeys(p.normal for p in inside.phrases)),
                        tuple(
                            dict.fromkeys(
                                clean_name(words[m.start : m.end]) for m in inside.mentions
                            )
                        ),
                        mark,
                    )
                )
    return Analysis(
        {normal: (count, _best(spellings[normal])) for normal, count in sorted(counts.items())},
        {
            name: NameCount(dict(sorted(labels[name].items())), cues[name])
            for name in sorted(labels)
        },
        tuple(candidates),
        tuple(prints),
        tuple(ads),
    )


def clean_name(surface: str) -> str:
    """Return a mention without article, possessive and stray marks."""
    name = surface.strip(' \t,.;:!?"“”()[]*_-–')
    for ending in ("'s", "’s", "'", "’"):
        name = name.removesuffix(ending)
    return " ".join(name.removeprefix("the ").removeprefix("The ").split())


def _best(spellings: Counter[str]) -> str:
    """The most frequent spelling; of equals the first in the alphabet, so that bytes stay."""
    return min(spellings, key=lambda spelling: (-spellings[spelling], spelling))


def _inside(notes: Annotation, start: int, end: int) -> Annotation:
    from podcast_scraper.ingest.extract.annotate import Annotation as Made

    return Made(
        tuple(p for p in notes.phrases if start <= p.start and p.end <= end),
        tuple(m for m in notes.mentions if start <= m.start and m.end <= end),
    )
