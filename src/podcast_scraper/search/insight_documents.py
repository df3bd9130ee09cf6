"""Insight documents: the insights of an episode with who said them, about what, and when."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Any, Final

from podcast_scraper.search.documents import Document

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from podcast_scraper.artifacts.records import EpisodeRecord, Node

_MENTIONS: Final = ("MENTIONS_PERSON", "MENTIONS_ORG", "MENTIONS")


def insight_documents(episode: EpisodeRecord) -> list[Document]:
    """Return one document for each insight that has a text, in the order of the record.

    An insight is grounded when an edge leads to a quote, whatever its file says. Times and offsets
    are those of its earliest quote. Speakers are ordered by the words of theirs that it rests on.
    """
    nodes = {node.id: node for node in episode.nodes}
    quotes = quotes_of_insights(episode)
    speakers = _targets(episode, ("SPOKEN_BY",))
    topics = _targets(episode, ("ABOUT",))
    mentions = _targets(episode, _MENTIONS)
    documents = []
    for node in episode.nodes:
        text = node.properties.get("text")
        if node.type != "insight" or not isinstance(text, str) or not text.strip():
            continue
        own = quotes.get(node.id, [])
        first: Mapping[str, Any] = own[0].properties if own else {}
        voices, share = _speakers(own, speakers)
        documents.append(
            Document(
                doc_id=node.id,
                tier="insight",
                text=text,
                episode_id=episode.episode_id,
                show_id=episode.show.id,
                published=episode.published.date().isoformat() if episode.published else None,
                start=seconds(first.get("start_ms")),
                end=seconds(first.get("end_ms")),
                char_start=first.get("char_start"),
                char_end=first.get("char_end"),
                speakers=voices,
                speaker_share=share,
                topics=tuple(_of_type(topics.get(node.id, ()), nodes, ("topic",))),
                mentions=tuple(_of_type(mentions.get(node.id, ()), nodes, ("person", "org"))),
                insight_type=node.properties.get("insight_type"),
                grounded=bool(own),
                confidence=node.confidence,
                position_hint=_position(node, own, episode.duration),
            )
        )
    return _numbered(documents)


def quotes_of_insights(episode: EpisodeRecord) -> dict[str, list[Node]]:
    """Return the quotes that support each insight, by time, then place; unknown ones last."""
    nodes = {node.id: node for node in episode.nodes}
    supported = _targets(episode, ("SUPPORTED_BY",))
    return {
        insight: sorted((nodes[q] for q in _of_type(ids, nodes, ("quote",))), key=_when_and_where)
        for insight, ids in supported.items()
    }


def seconds(milliseconds: Any) -> float | None:
    """Return milliseconds as seconds; None stays None."""
    return None if milliseconds is None else float(milliseconds) / 1000


def _when_and_where(quote: Node) -> tuple[float, float, str]:
    start, place = quote.properties.get("start_ms"), quote.properties.get("char_start")
    return (inf if start is None else start, inf if place is None else place, quote.id)


def _numbered(documents: list[Document]) -> list[Document]:
    """Set ``ordinal`` by when, else where, the insights were said; None where neither is known."""
    known = [
        (inf if d.start is None else d.start, inf if d.char_start is None else d.char_start, place)
        for place, d in enumerate(documents)
        if d.start is not None or d.char_start is not None
    ]
    for ordinal, (_, _, place) in enumerate(sorted(known)):
        documents[place] = replace(documents[place], ordinal=ordinal)
    return documents


def _targets(episode: EpisodeRecord, types: Sequence[str]) -> dict[str, dict[str, None]]:
    """Return the targets of a node's edges of some types, each once, in the order of the record."""
    found: dict[str, dict[str, None]] = {}
    for edge in episode.edges:
        if edge.type in types:
            found.setdefault(edge.source, {})[edge.target] = None
    return found


def _of_type(ids: Iterable[str], nodes: Mapping[str, Node], types: Sequence[str]) -> list[str]:
    return [key for key in ids if key in nodes and nodes[key].type in types]


def _speakers(
    quotes: Sequence[Node], speakers: Mapping[str, Mapping[str, None]]
) -> tuple[tuple[str, ...], float | None]:
    words: Counter[str] = Counter()
    total = 0
    for quote in quotes:
        count = max(1, len(str(quote.properties.get("text", "")).split()))
        total += count
        for speaker in speakers.get(quote.id, ()):
            words[speaker] += count
    ranked = words.most_common()
    return tuple(speaker for speaker, _ in ranked), ranked[0][1] / total if ranked else None


def _position(node: Node, quotes: Sequence[Node], duration: float | None) -> float | None:
    """Return how far into the episode an insight is (0 to 1), as stated or by its quotes."""
    stated = node.properties.get("position_hint")
    if stated is not None:
        return float(stated)
    found = [seconds(quote.properties.get("start_ms")) for quote in quotes]
    starts = [start for start in found if start is not None]
    if not starts or not duration or duration <= 0:
        return None
    return min(1.0, sum(starts) / len(starts) / duration)
