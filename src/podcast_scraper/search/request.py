"""What may be asked of a search, checked once for the command line, the API and the pages."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Final, Literal, get_args

from podcast_scraper.errors import QueryError, UsageError
from podcast_scraper.search.backend import AdPolicy, Filters, Tier

Sort = Literal["relevance", "date"]
GraphMode = Literal["off", "auto", "force"]

MAX_QUERY_CHARACTERS: Final = 10_000
MAX_PAGE: Final = 100
MAX_OFFSET: Final = 1_000


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """One search: the query as typed, filters, and the page that is wanted.

    ``graph`` None means the configured mode. Raises UsageError for a value out of range and
    QueryError for a query that asks nothing.
    """

    text: str
    k: int = 20
    offset: int = 0
    tier: Tier = "all"
    sort: Sort = "relevance"
    graph: GraphMode | None = None
    ads: AdPolicy = "include"
    shows: tuple[str, ...] = ()
    episodes: tuple[str, ...] = ()
    persons: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    insight_types: tuple[str, ...] = ()
    since: str | None = None
    until: str | None = None

    def __post_init__(self) -> None:
        _within("k", self.k, 1, MAX_PAGE)
        _within("offset", self.offset, 0, MAX_OFFSET)
        _one_of("tier", self.tier, get_args(Tier))
        _one_of("sort", self.sort, get_args(Sort))
        _one_of("ads", self.ads, get_args(AdPolicy))
        if self.graph is not None:
            _one_of("graph", self.graph, get_args(GraphMode))
        if len(self.text) > MAX_QUERY_CHARACTERS:
            raise QueryError(
                f"The query has {len(self.text)} characters.",
                mend=f"Shorten it to {MAX_QUERY_CHARACTERS}.",
                subject=self.text[:100],
            )
        since, until = _day("since", self.since), _day("until", self.until)
        if since and until and since > until:
            raise UsageError(
                f"since {since} is after until {until}.", mend="Swap them.", subject=since
            )

    def filters(self) -> Filters:
        """Return the filters that were given beside the text."""
        return Filters(
            shows=self.shows,
            episodes=self.episodes,
            persons=self.persons,
            mentions=self.mentions,
            topics=self.topics,
            insight_types=self.insight_types,
            since=self.since,
            until=self.until,
            ads=self.ads,
        )


def _within(name: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        raise UsageError(
            f"{name} is {value}.", mend=f"Give a {name} between {low} and {high}.", subject=value
        )


def _one_of(name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise UsageError(
            f"{name} is {value!r}.", mend=f"Choose one of: {', '.join(known)}.", subject=value
        )


def _day(name: str, value: str | None) -> str | None:
    if value is None:
        return None
    try:
        return date.fromisoformat(value).isoformat()
    except ValueError:
        raise UsageError(
            f"{name} is {value!r}, which is no day.", mend="Write YYYY-MM-DD.", subject=value
        ) from None
