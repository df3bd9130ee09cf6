"""What a judgement may point at: an insight by its mark, or a passage by its words.

``dl-01#c`` is the insight with mark ``c``; ``dl-01#-`` the first insight without a quote, ``#-2``
the second. ``dl-01 "words"`` is the passage of those words, whose times move with the script.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from data.sample_source.artifacts import insight_id
from data.sample_source.timing import time_at

from podcast_scraper.identity.canonical import occurrence_id

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from data.sample_source.artifacts import Episode, PlacedQuote
    from data.sample_source.script import Insight

_REFERENCE = re.compile(r'^([a-z]+)-(\d\d)(?:#([a-z]|-\d?)| "(.+)")$')


class References:
    """Resolves references against the laid-out episodes; ``codes`` shortens the ids' prefixes."""

    def __init__(self, episodes: Sequence[Episode], codes: Mapping[str, str]) -> None:
        self._episodes = {e.script.id: e for e in episodes}
        self._codes = codes
        self._uses = Counter(insight_id(i) for e in episodes for i in e.script.insights)

    def documents(self, reference: str) -> list[str]:
        """Return the ids that a reference judges: an insight and its quotes' spans, or a span."""
        episode, mark, words = self._parse(reference)
        if words:
            return [_passage(episode, words)]
        insight = self._find(episode, mark)
        spans = [_span(episode, q.start_ms, q.end_ms) for q in _quotes(episode, insight)]
        return [self._id(episode, insight), *spans]

    def insight(self, reference: str) -> tuple[str, set[str], set[str]]:
        """Return an insight's id, who spoke it, and the slugs of its topics."""
        episode, mark, _ = self._parse(reference)
        insight = self._find(episode, mark)
        speakers = {quote.speaker_id for quote in _quotes(episode, insight)}
        return self._id(episode, insight), speakers, {slug for slug, _ in insight.about}

    def _parse(self, reference: str) -> tuple[Episode, str, str]:
        found = _REFERENCE.match(reference)
        if found is None:
            raise ValueError(f"not a reference: {reference!r}")
        code, number, mark, words = found.groups()
        return self._episodes[f"{self._codes[code]}-{number}"], mark or "", words or ""

    def _find(self, episode: Episode, mark: str) -> Insight:
        same = [i for i in episode.script.insights if i.mark == mark[0]]
        position = int(mark[1:] or 1) - 1
        if position >= len(same):
            raise ValueError(f"{episode.script.id} has no insight {mark!r}")
        return same[position]

    def _id(self, episode: Episode, insight: Insight) -> str:
        plain = insight_id(insight)
        return occurrence_id(plain, episode.script.id) if self._uses[plain] > 1 else plain


def labelled_pairs(references: References, source: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return the labelled tension pairs; refuse one by a single person or off its topic."""
    pairs = []
    for label in ("opposed", "agreeing", "unrelated"):
        for topic, listed in source[label].items():
            for pair in listed:
                (a, by_a, about_a), (b, by_b, about_b) = map(references.insight, pair.split())
                if not by_a or not by_b or by_a & by_b:
                    raise ValueError(f"{pair}: needs two insights by different people")
                if topic not in about_a & about_b:
                    raise ValueError(f"{pair}: not both about {topic}")
                pairs.append({"a": a, "b": b, "topic": f"topic:{topic}", "label": label})
    return pairs


def judgements(references: References, judged: Mapping[str, int]) -> list[tuple[str, int]]:
    """Return (document id, grade) for one query; refuse a document that is judged twice."""
    rows = [(doc, grade) for ref, grade in judged.items() for doc in references.documents(ref)]
    twice = [doc for doc, n in Counter(doc for doc, _ in rows).items() if n > 1]
    if twice or not all(0 <= grade <= 3 for _, grade in rows):
        raise ValueError(f"judged twice, or not a grade of 0 to 3: {twice or rows}")
    return rows


def _quotes(episode: Episode, insight: Insight) -> list[PlacedQuote]:
    return [quote for quote in episode.quotes if quote.mark == insight.mark]


def _passage(episode: Episode, words: str) -> str:
    turns = [n for n, turn in enumerate(episode.script.turns) if words in turn.text]
    if len(turns) != 1:
        raise ValueError(f"{episode.script.id}: {len(turns)} turns hold {words!r}")
    text = episode.script.turns[turns[0]].text
    start = text.index(words)
    ends = (start, start + len(words))
    return _span(episode, *(time_at(episode.pieces, text, turns[0], at) for at in ends))


def _span(episode: Episode, start_ms: int, end_ms: int) -> str:
    return f"{episode.script.id}@{start_ms}-{end_ms}"
