"""One search from the query as typed to a page of explained hits."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from podcast_scraper.errors import ModelError, QueryError
from podcast_scraper.search.backend import CompoundResult, SearchQuery
from podcast_scraper.search.cards import CardMaker, related_ids
from podcast_scraper.search.facets import count_facets, label_facets
from podcast_scraper.search.query import parse_query
from podcast_scraper.search.results import Ignored, SearchResponse
from podcast_scraper.search.spelling import corrected_query

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from podcast_scraper.search.backend import Filters
    from podcast_scraper.search.dedup import Card
    from podcast_scraper.search.query import ParsedQuery
    from podcast_scraper.search.request import SearchRequest
    from podcast_scraper.search.results import Hit
    from podcast_scraper.search.retrieval import Retrieval, RetrievalLayer
    from podcast_scraper.storage.catalog import Catalog, EpisodeInfo


@dataclass(frozen=True, slots=True)
class _Asked:
    """A request with what its query was read as."""

    request: SearchRequest
    parsed: ParsedQuery
    filters: Filters

    @property
    def words(self) -> str:
        return self.parsed.text


class SearchService:
    """Runs requests over one index generation.

    ``embed`` returns a query's unit vector and whether the query had to be cut to the encoder's
    limit; ``names`` resolves the values of ``speaker:``, ``show:`` and ``topic:``; ``is_word``
    knows words of the language, spoken here or not, from slips of the keys.
    """

    def __init__(
        self,
        layer: RetrievalLayer,
        catalog: Catalog,
        embed: Callable[[str], tuple[NDArray[np.float32], bool]],
        names: Any,
        media_url: Callable[[EpisodeInfo], str | None],
        generation: str,
        is_word: Callable[[str], bool],
    ) -> None:
        self._layer = layer
        self._embed = embed
        self._names = names
        self._cards = CardMaker(catalog, media_url)
        self._generation = generation
        self._is_word = is_word

    def search(self, request: SearchRequest) -> SearchResponse:
        """Answer one request. Raises QueryError for a query that asks nothing at all."""
        started = time.perf_counter()
        asked = self._asked(request)
        notes = self._undated(asked)
        prepared = round((time.perf_counter() - started) * 1000, 3)
        if asked.words:
            found = self._retrieve(asked, notes)
        else:
            found = self._layer.browse(asked.filters, tier=asked.request.tier)
        return self._page(asked, found, notes, {"prepare": prepared})

    def retrieve(self, request: SearchRequest) -> tuple[Retrieval, list[str]]:
        """Run a request up to its single documents, for selectors; with notes for the reader.

        Raises QueryError for a query without words.
        """
        asked = self._asked(request)
        if not asked.words:
            raise QueryError(
                "The query has no words.",
                mend="Ask something: a filter alone has no most relevant documents.",
                subject=request.text,
            )
        notes = self._undated(asked)
        return self._retrieve(asked, notes), notes

    def _asked(self, request: SearchRequest) -> _Asked:
        parsed = parse_query(request.text, self._names)
        filters = parsed.restricting(request.filters())
        if request.tier == "all":
            request = replace(request, tier=parsed.tier)
        if not parsed.text and not filters:
            reasons = "".join(f" {part.text!r}: {part.reason}." for part in parsed.ignored)
            raise QueryError(
                f"The query asks for nothing.{reasons}",
                mend="Type some words, or choose a filter to list its documents by date.",
                subject=request.text,
            )
        return _Asked(request, parsed, filters)

    def similar(self, doc_id: str, embedding: NDArray[np.float32], k: int) -> tuple[Hit, ...]:
        """Return the ``k`` hits nearest in meaning to a document, without its own card.

        ``embedding`` is the document's vector. Documents of the same passage are left out too.
        """
        found = self._layer.run("", embedding, signals="vector", graph="off")
        cards = [card for card in found.cards if doc_id not in related_ids(card)]
        return self._cards.make(cards[:k], self._cards.read(cards[:k]), found, "", 1)

    def _undated(self, asked: _Asked) -> list[str]:
        """Say how many documents a date filter hides because nobody knows their date."""
        query = SearchQuery("", None, asked.filters, 1, asked.request.tier)
        hidden = self._layer.backend.count_undated(query)
        return [f"{hidden} without a known date were left out."] if hidden else []

    def _retrieve(self, asked: _Asked, notes: list[str]) -> Retrieval:
        def embedding() -> NDArray[np.float32] | None:
            try:
                vector, cut = self._embed(asked.words)
            except ModelError as error:
                # A remote encoder may be away; words alone still find what was said in them.
                notes.append(f"Meaning was not searched: {error.message}")
                return None
            if cut:
                notes.append(
                    "The query is longer than the model takes; meaning used its beginning."
                )
            return vector

        return self._layer.run(
            asked.words,
            embedding,
            filters=asked.filters,
            tier=asked.request.tier,
            graph=asked.request.graph,
        )

    def _page(
        self,
        asked: _Asked,
        found: Retrieval,
        notes: list[str],
        timings: dict[str, float],
    ) -> SearchResponse:
        started = time.perf_counter()
        request, words = asked.request, asked.words
        cards = _sorted(found.cards, request.sort)
        page = cards[request.offset : request.offset + request.k]
        tail = found.rescued_cards if request.offset == 0 else ()
        counted = count_facets(found.base)
        counted_ids = (key for field in ("show", "person", "topic") for key, _ in counted[field])
        names = self._cards.read([*page, *tail], counted_ids)
        hits = self._cards.make(page, names, found, words, request.offset + 1)
        connected = self._cards.make(tail, names, found, words, 1)
        timings = {
            **timings,
            **found.timings_ms,
            "cards": round((time.perf_counter() - started) * 1000, 3),
        }
        return SearchResponse(
            query=request.text,
            intent=found.intent,
            gate=found.gate,
            lanes=found.lanes,
            hits=hits,
            connected=connected,
            ignored=tuple(Ignored(part.text, part.reason) for part in asked.parsed.ignored),
            did_you_mean=corrected_query(
                request.text, words, self._layer.backend.did_you_mean(words), self._is_word
            ),
            facets=label_facets(counted, names.labels),
            total=len(cards),
            timings_ms=timings,
            generation=self._generation,
            degraded=any(note.startswith("Meaning was not searched") for note in notes),
            notes=tuple(notes),
        )


def _sorted(cards: Sequence[Card], order: str) -> list[Card]:
    if order != "date":
        return list(cards)
    return sorted(cards, key=_published, reverse=True)


def _published(card: Card) -> str:
    payload = card.insight.payload if isinstance(card, CompoundResult) else card.payload
    return payload["published"] or ""
