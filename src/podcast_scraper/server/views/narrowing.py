"""Facets, chips and tabs of a results page: every choice is a link."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

from podcast_scraper.server.links import search_path, toggled

if TYPE_CHECKING:
    from collections.abc import Mapping

    from werkzeug.datastructures import MultiDict

    from podcast_scraper.search.results import FacetValue, SearchResponse

SHOWN_AT_ONCE: Final = 6
TIERS: Final = {"all": "Both", "insight": "Insights", "segment": "Transcript"}
SORTS: Final = {"relevance": "Best match", "date": "Newest"}

# Facet → its heading and the parameter that chooses one of its values.
_FACETS: Final = {
    "show": ("Show", "show"),
    "person": ("Speaker", "person"),
    "topic": ("Topic", "topic"),
    "year": ("Year", "year"),
    "insight_type": ("Kind of insight", "type"),
}
_CHIPS: Final = {
    "show": "show",
    "episode": "episode",
    "person": "speaker",
    "mentions": "mentions",
    "topic": "topic",
    "type": "kind",
    "since": "from",
    "until": "to",
    "tier": "in",
    "ads": "advertisements",
}


@dataclass(frozen=True, slots=True)
class Choice:
    """A link that changes the search; ``chosen`` where it is in force."""

    label: str
    url: str
    chosen: bool
    count: int | None = None


@dataclass(frozen=True, slots=True)
class Facet:
    """A facet with the values seen at once and those behind "more"."""

    label: str
    first: tuple[Choice, ...]
    more: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class Chip:
    """A filter in force: what it says, and the same search without it."""

    field: str
    label: str
    url: str


def facets_of(found: SearchResponse, arguments: MultiDict[str, str]) -> list[Facet]:
    """Return the facets that have something to choose."""
    made = []
    here = search_path(arguments)
    for field, (label, parameter) in _FACETS.items():
        choices = [
            _choice(parameter, value, arguments, here) for value in found.facets.get(field, ())
        ]
        if len(choices) > 1 or any(choice.chosen for choice in choices):
            choices.sort(key=lambda choice: not choice.chosen)
            made.append(
                Facet(label, tuple(choices[:SHOWN_AT_ONCE]), tuple(choices[SHOWN_AT_ONCE:]))
            )
    return made


def _choice(parameter: str, value: FacetValue, arguments: MultiDict[str, str], here: str) -> Choice:
    if parameter == "year":
        first, last = f"{value.id}-01-01", f"{value.id}-12-31"
        chosen = arguments.get("since") == first and arguments.get("until") == last
        days = (None, None) if chosen else (first, last)
        url = search_path(arguments, since=days[0], until=days[1])
        return Choice(value.label, url, chosen, value.count)
    chosen = value.id in arguments.getlist(parameter)
    url = (
        toggled(arguments, parameter, value.id)
        if chosen
        else f"{here}{'&' if '?' in here else '?'}{urlencode({parameter: value.id})}"
    )
    return Choice(value.label, url, chosen, value.count)


def chips_of(arguments: MultiDict[str, str], labels: Mapping[str, str]) -> list[Chip]:
    """Return one chip for each filter value that was chosen beside the query's text."""
    chips = []
    for name, field in _CHIPS.items():
        for value in dict.fromkeys(v for v in arguments.getlist(name) if v):
            if (name, value) in (("tier", "all"), ("ads", "include")):
                continue
            label = TIERS.get(value, value) if name == "tier" else labels.get(value, value)
            chips.append(Chip(field, label, toggled(arguments, name, value)))
    return chips


def tabs_of(arguments: MultiDict[str, str], name: str, values: Mapping[str, str]) -> list[Choice]:
    """Return the choices of a parameter with one value; the first one is the default."""
    default = next(iter(values))
    now = arguments.get(name) or default
    return [
        Choice(
            label,
            search_path(arguments, **{name: None if value == default else value}),
            value == now,
        )
        for value, label in values.items()
    ]


def chosen_ids(arguments: MultiDict[str, str]) -> list[str]:
    """Return the ids among the filters, for their names."""
    return [
        v for n in ("show", "episode", "person", "mentions", "topic") for v in arguments.getlist(n)
    ]
