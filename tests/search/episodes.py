"""Episodes made by hand for the tests of chunking and linking."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from podcast_scraper.artifacts.records import (
    Edge,
    EpisodeRecord,
    Node,
    Segment,
    ShowRecord,
    Transcript,
)

if TYPE_CHECKING:
    from collections.abc import Sequence


def episode(
    text: str = "",
    segments: Sequence[Segment] = (),
    nodes: Sequence[Node] = (),
    edges: Sequence[Edge] = (),
    duration: float | None = None,
) -> EpisodeRecord:
    return EpisodeRecord(
        episode_id="ep:1",
        show=ShowRecord("podcast:soil", "Soil"),
        title="Compost",
        stem_path="feeds/soil/compost",
        fingerprint="0" * 64,
        nodes=tuple(nodes),
        edges=tuple(edges),
        transcript=Transcript(text, tuple(segments)),
        published=datetime(2024, 3, 5, 23, 30, tzinfo=UTC),
        duration=duration,
    )


def node(node_id: str, node_type: str, confidence: float | None = None, **properties: Any) -> Node:
    return Node(node_id, node_type, properties, frozenset({"gi"}), confidence)


def edge(edge_type: str, source: str, target: str) -> Edge:
    return Edge(edge_type, source, target, "gi")


def placed(text: str, parts: Sequence[tuple[str, str | None, str]]) -> tuple[Segment, ...]:
    """Segments of 10 s for ``(words, speaker id, kind)``, found in the text in order."""
    segments, cursor = [], 0
    for number, (words, speaker, kind) in enumerate(parts):
        start = text.index(words, cursor)
        cursor = start + len(words)
        segments.append(
            Segment(
                number,
                number * 10.0,
                number * 10.0 + 10,
                words,
                speaker,
                speaker,
                kind,
                start,
                cursor,  # type: ignore[arg-type]
            )
        )
    return tuple(segments)


class WordTokens:
    """A token for each ``step`` characters of a word, and two special ones a text."""

    def __init__(self, max_tokens: int, step: int = 4) -> None:
        self.max_tokens = max_tokens
        self._step = step

    def count_tokens(self, text: str) -> int:
        return 2 + len(self.token_spans(text))

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        spans, start = [], 0
        for word in text.split():
            start = text.index(word, start)
            for first in range(start, start + len(word), self._step):
                spans.append((first, min(first + self._step, start + len(word))))
            start += len(word)
        return spans
