"""Segment documents: overlapping windows of a transcript that fit the encoder."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING, Final, Protocol

from podcast_scraper.errors import ModelError
from podcast_scraper.search.documents import Document
from podcast_scraper.search.sentences import sentence_spans
from podcast_scraper.search.spoken_runs import spoken_runs
from podcast_scraper.search.windows import (
    INSIDE,
    SENTENCE_END,
    TURN_END,
    ChunkSettings,
    cut_windows,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from podcast_scraper.artifacts.records import EpisodeRecord
    from podcast_scraper.search.spoken_runs import Run

_WORD = re.compile(r"\S+")
# Longer words (addresses, hashes, text without spaces) may be cut anywhere; encoders read nothing
# in a word of more letters than this.
_LONGEST_WORD: Final = 100


class TokenCounter(Protocol):
    """The part of an :class:`~podcast_scraper.embed.encoder.Encoder` that cutting needs."""

    max_tokens: int

    def count_tokens(self, text: str) -> int: ...

    def token_spans(self, text: str) -> list[tuple[int, int]]: ...


def chunk_transcript(
    episode: EpisodeRecord, encoder: TokenCounter, settings: ChunkSettings | None = None
) -> list[Document]:
    """Return the segment documents of an episode, in the order of its text.

    Windows have 200–300 words and overlap by about 50, cut at turn ends, else sentence ends, else
    words; fewer where the encoder's limit, counted in its own tokens, or the end of a run demands
    it. Advertisements and music never share a window with speech. Every word of the transcript is
    in a window. Where the transcript has a text, ``text[char_start:char_end]`` is the document's.

    Start and end are those of the first and last timed segment that a window touches, so that
    playing from ``start`` never misses its beginning.
    """
    settings = settings or ChunkSettings()
    documents: list[Document] = []
    for run in spoken_runs(episode.transcript):
        words = _Words(run, encoder)
        for first, last in cut_windows(words.ends, words.longest, settings):
            documents.append(_document(len(documents), episode, words, first, last))
    return documents


class _Words:
    """The words of a run: their spans, pieces, what ends with them, and how many fit."""

    def __init__(self, run: Run, encoder: TokenCounter) -> None:
        self.run = run
        self._encoder = encoder
        self._overhead = encoder.count_tokens("")
        self.starts: list[int] = []
        self.stops: list[int] = []
        self.piece: list[int] = []
        for number, piece in enumerate(run.pieces):
            for start, stop in self._split(piece.start, piece.end):
                self.starts.append(start)
                self.stops.append(stop)
                self.piece.append(number)
        self.ends = self._ends()
        base = run.pieces[0].start
        spans = encoder.token_spans(run.text[base : run.pieces[-1].end])
        self._tokens = [base + start for start, _ in spans]

    def text(self, first: int, last: int) -> str:
        """Return the text of the words ``first … last - 1``."""
        return self.run.text[self.starts[first] : self.stops[last - 1]]

    def longest(self, first: int, limit: int) -> int:
        """Return the largest end ≤ ``limit`` of a window at ``first`` that the encoder takes."""
        room = self._encoder.max_tokens - self._overhead
        token = bisect_left(self._tokens, self.starts[first]) + room
        if token < len(self._tokens):
            # The first token that has no room; words that begin before it may still hold it.
            limit = min(limit, bisect_left(self.starts, self._tokens[token]))
        limit = max(limit, first + 1)
        # Tokens of a part can differ from those of the whole; what counts is the part.
        while limit > first + 1 and not self._fits(self.text(first, limit)):
            limit -= max(1, (limit - first) // 20)
        return limit

    def _fits(self, text: str) -> bool:
        return self._encoder.count_tokens(text) <= self._encoder.max_tokens

    def _split(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        for match in _WORD.finditer(self.run.text, start, end):
            for first in range(match.start(), match.end(), _LONGEST_WORD):
                yield from self._fitting(first, min(first + _LONGEST_WORD, match.end()))

    def _fitting(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield the span, halved until the encoder takes each part."""
        # A token takes a character or more, but for the rare ones that are spelled out.
        roomy = (end - start) * 4 + self._overhead <= self._encoder.max_tokens
        if roomy or self._fits(self.run.text[start:end]):
            yield start, end
        elif end - start == 1:
            raise ModelError(
                f"The encoder takes only {self._encoder.max_tokens} tokens: no text fits.",
                subject=self._encoder.max_tokens,
            )
        else:
            middle = (start + end) // 2
            yield from self._fitting(start, middle)
            yield from self._fitting(middle, end)

    def _ends(self) -> list[int]:
        ends = [INSIDE] * len(self.starts)
        for _, group in groupby(self.run.pieces, key=lambda piece: piece.turn):
            pieces = list(group)
            base, stop = pieces[0].start, pieces[-1].end
            for _, end in sentence_spans(self.run.text[base:stop]):
                self._mark(ends, base + end, SENTENCE_END)
            self._mark(ends, stop, TURN_END)
        return ends

    def _mark(self, ends: list[int], stop: int, what: int) -> None:
        """Mark the last word that begins before ``stop``."""
        word = bisect_left(self.starts, stop) - 1
        if word >= 0:
            ends[word] = max(ends[word], what)


def _document(
    ordinal: int, episode: EpisodeRecord, words: _Words, first: int, last: int
) -> Document:
    run = words.run
    counts = Counter(run.pieces[number].speaker for number in words.piece[first:last])
    # most_common keeps the order of first appearance among equals.
    named = [(speaker, count) for speaker, count in counts.most_common() if speaker is not None]
    touched = [run.pieces[number] for number in sorted(set(words.piece[first:last]))]
    return Document(
        doc_id=f"segment:{episode.episode_id}:{ordinal}",
        tier="segment",
        text=words.text(first, last),
        episode_id=episode.episode_id,
        show_id=episode.show.id,
        published=episode.published.date().isoformat() if episode.published else None,
        start=min((p.begins for p in touched if p.begins is not None), default=None),
        end=max((p.ends for p in touched if p.ends is not None), default=None),
        char_start=words.starts[first] if run.located else None,
        char_end=words.stops[last - 1] if run.located else None,
        speakers=tuple(speaker for speaker, _ in named),
        speaker_share=named[0][1] / (last - first) if named else None,
        kind=run.kind,
        ordinal=ordinal,
    )
