"""Insights and quotes of one episode: attribution, grounding, places, times."""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean
from typing import TYPE_CHECKING

from podcast_scraper.artifacts.canon import canonical_reference
from podcast_scraper.artifacts.quotes import Place, QuoteLocator
from podcast_scraper.artifacts.speakers import name_index
from podcast_scraper.identity.canonical import is_voice, type_of
from podcast_scraper.identity.slugify import slugify

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from podcast_scraper.artifacts.catalog import Catalog
    from podcast_scraper.artifacts.merging import Draft
    from podcast_scraper.artifacts.records import Node, Segment


def attribute_quotes(draft: Draft, catalog: Catalog) -> None:
    """Give quotes without SPOKEN_BY the person that their ``speaker_id`` names, never a voice."""
    spoken = {edge.source for edge in draft.of_edge_type("SPOKEN_BY")}
    listed = {speaker.id: speaker.name for speaker in catalog.speakers if speaker.id}
    index = name_index({node.id: names_of(node) for node in draft.of_type("person")})
    for quote in draft.of_type("quote"):
        stated = quote.properties.get("speaker_id")
        if quote.id in spoken or not stated:
            continue
        person = canonical_reference(stated)
        if stated in listed:
            person = index.get(slugify(listed[stated]), person)
        if type_of(person) != "person" or is_voice(person):
            continue
        draft.derive_node(person, "person", {"name": _readable(person)})
        draft.derive_edge("SPOKEN_BY", quote.id, person)


def names_of(node: Node) -> list[str]:
    """Return the name of a person or organisation and its aliases."""
    name = node.properties.get("name")
    return [*([name] if name else []), *node.properties.get("aliases", ())]


def _readable(person: str) -> str:
    return person.partition(":")[2].replace("-", " ").title()


def finish_statements(
    draft: Draft, text: str, segments: Sequence[Segment], duration: float | None
) -> dict[str, Place]:
    """Locate the quotes, check ``grounded``, derive HAS_INSIGHT and ``position_hint``.

    Returns the place of each quote.
    """
    places = _locate(draft, QuoteLocator(text, segments, duration))
    path = draft.planned.path_of("gi")
    support: dict[str, list[str]] = defaultdict(list)
    for edge in draft.of_edge_type("SUPPORTED_BY"):
        support[edge.source].append(edge.target)
    owned = {edge.target for edge in draft.of_edge_type("HAS_INSIGHT")}
    for insight in draft.of_type("insight"):
        if insight.id not in owned:
            draft.derive_edge("HAS_INSIGHT", draft.episode_node, insight.id)
        grounded = any(target in places for target in support[insight.id])
        if insight.properties.get("grounded") is not grounded:
            mismatch = "false but has a" if grounded else "true but has no"
            draft.issues.repair(path, "grounded", f"{insight.id} says {mismatch} SUPPORTED_BY edge")
        draft.update(
            insight.id,
            grounded=grounded,
            position_hint=_position(insight, support[insight.id], places, duration),
        )
    return places


def _locate(draft: Draft, locator: QuoteLocator) -> dict[str, Place]:
    path = draft.planned.path_of("gi")
    places: dict[str, Place] = {}
    for quote in draft.of_type("quote"):
        place, repairs = locator.locate(quote.properties)
        for repair in repairs:
            draft.issues.repair(path, "quote time", f"{quote.id}: {repair}")
        places[quote.id] = place
        draft.update(
            quote.id,
            located=place.located,
            char_start=place.char_start,
            char_end=place.char_end,
            start_ms=place.start_ms,
            end_ms=place.end_ms,
        )
    return places


def _position(
    insight: Node, quotes: Sequence[str], places: Mapping[str, Place], duration: float | None
) -> float | None:
    """Return the stated hint, else the mean start of the quotes as a share of the duration."""
    stated = insight.properties.get("position_hint")
    if isinstance(stated, float):
        return stated
    starts = [
        start / 1000
        for quote in quotes
        if quote in places and (start := places[quote].start_ms) is not None
    ]
    if not starts or not duration:
        return None
    return min(1.0, fmean(starts) / duration)
