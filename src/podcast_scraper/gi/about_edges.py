"""ABOUT edges, insight → topic: their confidence, and a lexical way to make them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from podcast_scraper.artifacts.properties import confidence_of
from podcast_scraper.artifacts.records import Edge

if TYPE_CHECKING:
    from collections.abc import Iterable

    from podcast_scraper.artifacts.records import Node

LEAST_CONFIDENCE: Final = 0.6
_WORD = re.compile(r"\w+")
_STOP_WORDS: Final = frozenset(
    {"a", "an", "and", "as", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with"}
)


def about_confidence(edge: Edge) -> float | None:
    """Return the confidence (0..1) of an ABOUT edge, or None where its file gives none."""
    return confidence_of(edge.properties.get("confidence"))


def build_about_edges(
    insights: Iterable[Node], topics: Iterable[Node], *, least: float = LEAST_CONFIDENCE
) -> tuple[Edge, ...]:
    """Return an ABOUT edge for every insight that says enough of a topic's name.

    The confidence is the greatest share, over the label and aliases of the topic, of their words
    that occur in the insight; words are compared in lower case without a plural ``s``, and stop
    words do not count. Edges under ``least`` are left out. Sorted by insight, then topic.
    """
    names = {
        topic.id: [
            words
            for name in (topic.properties.get("label"), *topic.properties.get("aliases", ()))
            if name and (words := _words(name))
        ]
        for topic in topics
    }
    edges = []
    for insight in insights:
        said = _words(str(insight.properties.get("text") or ""))
        for topic_id, variants in names.items():
            share = max((len(words & said) / len(words) for words in variants), default=0.0)
            if share >= least:
                confidence = {"confidence": round(share, 4)}
                edges.append(Edge("ABOUT", insight.id, topic_id, "gi", confidence))
    return tuple(sorted(edges, key=lambda edge: (edge.source, edge.target)))


def _words(text: str) -> frozenset[str]:
    words = (word.lower() for word in _WORD.findall(text))
    return frozenset(_singular(word) for word in words if word not in _STOP_WORDS)


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
