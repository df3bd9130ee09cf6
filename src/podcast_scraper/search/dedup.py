"""Compound results: a passage and the insights grounded in it become one card (RFC-090).

This is the last step of retrieval: rerank, gate, rescue and selectors see single documents.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from podcast_scraper.identity.canonical import base_id
from podcast_scraper.search.backend import CompoundResult, ScoredResult

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Card = ScoredResult | CompoundResult


def deduplicate(results: Sequence[ScoredResult]) -> list[Card]:
    """Join linked segments and insights of a ranked list; the order of first appearance stays.

    Links come from the payloads: an insight's ``source_segment_id`` (or ``source_segment_ids``), a
    segment's ``linked_insight_ids``. A segment is consumed once. Its best-ranked insight is the
    headline; its other insights in the list stay attached to the card (``attached``).
    """
    return list(_cards({result.doc_id: result for result in results}))


def first_occurrences(results: Sequence[ScoredResult]) -> list[ScoredResult]:
    """Drop insights that repeat an earlier one of the list in another episode, word for word.

    An id that recurs (``id@episode``) is boilerplate. One card stands for all its occurrences by
    the same speakers; what different people said is never joined.
    """
    seen: set[tuple[str, frozenset[str]]] = set()
    kept = []
    for result in results:
        base = base_id(result.doc_id)
        if base != result.doc_id:
            statement = (base, frozenset(result.payload.get("speakers", ())))
            if statement in seen:
                continue
            seen.add(statement)
        kept.append(result)
    return kept


def _cards(by_id: dict[str, ScoredResult]) -> Iterator[Card]:
    insights_of = _links(by_id)
    segments_of: dict[str, list[str]] = {}
    for source, insights in insights_of.items():
        for insight in insights:
            segments_of.setdefault(insight, []).append(source)
    consumed: set[str] = set()
    for doc_id, result in by_id.items():
        if doc_id in consumed:
            continue
        segment: str | None = doc_id if doc_id in insights_of else None
        if segment is None:
            segment = next((s for s in segments_of.get(doc_id, ()) if s not in consumed), None)
        members = (
            [i for i in insights_of[segment] if i not in consumed] if segment is not None else []
        )
        if segment is None or not members:
            consumed.add(doc_id)
            yield result
            continue
        consumed.update((segment, *members))
        yield _compound(by_id[segment], [by_id[member] for member in members])


def _links(by_id: dict[str, ScoredResult]) -> dict[str, list[str]]:
    """Return segment id → ids of its insights, both present, in rank order."""
    pairs: set[tuple[str, str]] = set()
    for doc_id, result in by_id.items():
        payload = result.payload
        if result.source_tier == "insight":
            single = payload.get("source_segment_id")
            sources = payload.get("source_segment_ids") or ([single] if single else [])
            pairs.update((segment, doc_id) for segment in sources if segment in by_id)
        else:
            linked = payload.get("linked_insight_ids") or ()
            pairs.update((doc_id, insight) for insight in linked if insight in by_id)
    position = {doc_id: index for index, doc_id in enumerate(by_id)}
    links: dict[str, list[str]] = {}
    for segment, insight in sorted(pairs, key=lambda pair: (position[pair[0]], position[pair[1]])):
        links.setdefault(segment, []).append(insight)
    return links


def _compound(segment: ScoredResult, insights: list[ScoredResult]) -> CompoundResult:
    headline, *attached = insights
    members = (segment, *insights)
    return CompoundResult(
        doc_id=headline.doc_id,
        score=max(member.score for member in members),
        rank=min(member.rank for member in members),
        segment=segment,
        insight=headline,
        attached=tuple(attached),
    )
