"""From ranked documents to the hits of one page, with every name and quote they show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from podcast_scraper.identity.canonical import base_id
from podcast_scraper.search.analysis import highlight
from podcast_scraper.search.backend import CompoundResult, ScoredResult
from podcast_scraper.search.explain import explain
from podcast_scraper.search.rescue.hyperedges import BRIDGE_PREFIX
from podcast_scraper.search.results import (
    EpisodeRef,
    Hit,
    InsightPart,
    Named,
    QuoteRef,
    SegmentPart,
    Titled,
)
from podcast_scraper.search.snippets import snippet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from podcast_scraper.search.dedup import Card
    from podcast_scraper.search.retrieval import Retrieval
    from podcast_scraper.storage.catalog import Catalog, EpisodeInfo, QuoteInfo


@dataclass(frozen=True, slots=True)
class CardNames:
    """What the cards of a page need from the catalog, read at once."""

    episodes: Mapping[str, EpisodeInfo]
    quotes: Mapping[str, Sequence[QuoteInfo]]
    occurrences: Mapping[str, Sequence[tuple[str, str]]]
    labels: Mapping[str, str]

    def named(self, ids: Sequence[str]) -> tuple[Named, ...]:
        return tuple(Named(key, self.labels.get(key, key)) for key in ids)


_NOTHING: Final = CardNames({}, {}, {}, {})


class CardMaker:
    """Makes hits. ``media_url`` gives the URL of an episode's audio, or None."""

    def __init__(self, catalog: Catalog, media_url: Callable[[EpisodeInfo], str | None]) -> None:
        self._catalog = catalog
        self._media_url = media_url

    def read(self, cards: Sequence[Card], labelled: Iterable[str] = ()) -> CardNames:
        """Read what cards show beside their documents, and the labels of further ids."""
        ids = set(labelled)
        return self._read(cards, ids) if cards or ids else _NOTHING

    def make(
        self, cards: Sequence[Card], names: CardNames, found: Retrieval, query: str, first_rank: int
    ) -> tuple[Hit, ...]:
        """Return one hit a card, ranked from ``first_rank`` on; ``names`` were read for them."""
        return tuple(
            self._hit(card, rank, found, query, names)
            for rank, card in enumerate(cards, start=first_rank)
        )

    def _read(self, cards: Sequence[Card], ids: set[str]) -> CardNames:
        documents = [member for card in cards for member in _members(card)]
        insights = [d.doc_id for d in documents if d.source_tier == "insight"]
        recurring = {base_id(key) for key in insights if key != base_id(key)}
        occurrences = self._catalog.occurrences(recurring) if recurring else {}
        others = [key for pairs in occurrences.values() for key, _ in pairs]
        quotes = self._catalog.quotes([*insights, *others])
        ids = ids.union(*(_entities(d.payload) for d in documents))
        steps = {step for d in documents for step in _path(d.payload)}
        ids |= {quote.speaker_id for qs in quotes.values() for quote in qs if quote.speaker_id}
        return CardNames(
            self._catalog.episodes(d.payload["episode_id"] for d in documents),
            quotes,
            occurrences,
            {
                **self._catalog.labels(ids | {step.removeprefix(BRIDGE_PREFIX) for step in steps}),
                **self._catalog.statements(step for step in steps if step.startswith("insight:")),
            },
        )

    def _hit(self, card: Card, rank: int, found: Retrieval, query: str, names: CardNames) -> Hit:
        insight, segment = _parts(card)
        shown = insight or segment
        assert shown is not None
        payload = shown.payload
        episode = names.episodes[payload["episode_id"]]
        text: str = payload["text"]
        spans = highlight(text, query)
        rescued = shown.signal == "rescue"
        start, end = payload["start"], payload["end"]
        if start is None and segment is not None:
            start, end = segment.payload["start"], segment.payload["end"]
        return Hit(
            id=card.doc_id,
            rank=rank,
            tier=card.source_tier,
            score=None if rescued else card.score,
            rescued=rescued,
            text=text,
            highlights=tuple(spans),
            snippet=snippet(text, spans),
            show=Titled(episode.show_id, episode.show_title),
            episode=EpisodeRef(episode.id, episode.title, episode.date, episode.duration),
            speakers=names.named(payload["speakers"]),
            start=start,
            end=end,
            media_url=self._media_url(episode),
            also_in=_also_in(shown, names),
            insight=_insight_part(insight, names) if insight else None,
            segment=_segment_part(segment) if segment else None,
            more_insights=tuple(
                Named(other.doc_id, other.payload["text"])
                for other in (card.attached if isinstance(card, CompoundResult) else ())
            ),
            explain=explain(found, shown.doc_id)
            if not rescued
            else {"rescue": _rescue_part(payload, names)},
        )


def related_ids(card: Card) -> set[str]:
    """Return the ids of a card's documents and of those that rest on the same passage."""
    members = _members(card)
    return {m.doc_id for m in members} | {key for m in members for key in m.payload["linked"]}


def _members(card: Card) -> tuple[ScoredResult, ...]:
    if isinstance(card, CompoundResult):
        return (card.insight, card.segment, *card.attached)
    return (card,)


def _parts(card: Card) -> tuple[ScoredResult | None, ScoredResult | None]:
    """Return the insight and the segment of a card."""
    if isinstance(card, CompoundResult):
        return card.insight, card.segment
    return (card, None) if card.source_tier == "insight" else (None, card)


def _path(payload: Mapping[str, Any]) -> Sequence[str]:
    rescue = payload.get("rescue")
    return rescue["path"] if rescue else ()


def _rescue_part(payload: Mapping[str, Any], names: CardNames) -> dict[str, Any] | None:
    """Return how the graph found a document, with a name for every step of the way."""
    rescue = payload.get("rescue")
    if rescue is None:
        return None
    steps = [(step, step.removeprefix(BRIDGE_PREFIX)) for step in rescue["path"]]
    path = [{"id": step, "label": names.labels.get(node, node)} for step, node in steps]
    return {**rescue, "path": path}


def _entities(payload: Mapping[str, Any]) -> set[str]:
    return {*payload["speakers"], *payload["topics"], *payload["mentions"]}


def _also_in(shown: ScoredResult, names: CardNames) -> tuple[str, ...]:
    """Return the other episodes in which the same speakers made the same statement."""

    def speakers(insight: str) -> set[str | None]:
        return {quote.speaker_id for quote in names.quotes.get(insight, ())}

    return tuple(
        episode
        for occurrence, episode in names.occurrences.get(base_id(shown.doc_id), ())
        if occurrence != shown.doc_id and speakers(occurrence) == speakers(shown.doc_id)
    )


def _insight_part(insight: ScoredResult, names: CardNames) -> InsightPart:
    payload = insight.payload
    return InsightPart(
        insight.doc_id,
        payload["text"],
        payload["insight_type"],
        payload["grounded"],
        payload["confidence"],
        payload["position_hint"],
        names.named(payload["topics"]),
        names.named(payload["mentions"]),
        tuple(
            QuoteRef(
                quote.id,
                quote.text,
                names.named([quote.speaker_id])[0] if quote.speaker_id else None,
                quote.start_ms,
                quote.end_ms,
            )
            for quote in names.quotes.get(insight.doc_id, ())
        ),
    )


def _segment_part(segment: ScoredResult) -> SegmentPart:
    payload = segment.payload
    return SegmentPart(
        segment.doc_id,
        payload["text"],
        payload["start"],
        payload["end"],
        payload["speaker_share"],
        payload["kind"],
    )
