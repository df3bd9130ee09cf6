"""Reading request parameters: typed, bounded, and unknown ones are errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from podcast_scraper.errors import UsageError
from podcast_scraper.search.request import SearchRequest

if TYPE_CHECKING:
    from collections.abc import Collection

    from werkzeug.datastructures import MultiDict

SEARCH_PARAMETERS: Final = (
    "q",
    "k",
    "offset",
    "tier",
    "sort",
    "graph",
    "ads",
    "show",
    "episode",
    "person",
    "mentions",
    "topic",
    "type",
    "since",
    "until",
)


def refuse_unknown(arguments: MultiDict[str, str], known: Collection[str]) -> None:
    """Raise UsageError that names every unknown parameter at once."""
    unknown = sorted(set(arguments) - set(known))
    if unknown:
        raise UsageError(
            f"Unknown parameter: {', '.join(unknown)}.",
            mend=f"Known are: {', '.join(known)}." if known else "None is taken here.",
            subject=unknown,
        )


def integer(
    arguments: MultiDict[str, str],
    name: str,
    default: int,
    *,
    low: int | None = None,
    high: int | None = None,
) -> int:
    """Return a whole number parameter. Raises UsageError outside of ``low`` to ``high``."""
    value = arguments.get(name)
    if value is None or value == "":
        return default
    try:
        number = int(value)
    except ValueError:
        raise UsageError(
            f"{name} is {value!r}.", mend="Give a whole number.", subject=value
        ) from None
    if (low is not None and number < low) or (high is not None and number > high):
        raise UsageError(
            f"{name} is {number}.", mend=f"Give a {name} from {low} to {high}.", subject=value
        )
    return number


def required(arguments: MultiDict[str, str], name: str) -> str:
    """Return a parameter that cannot be left out. Raises UsageError."""
    value = arguments.get(name, "").strip()
    if not value:
        raise UsageError(f"{name} is missing.", mend=f"Give a {name}.", subject=name)
    return value


def search_request(arguments: MultiDict[str, str]) -> SearchRequest:
    """Return the search that the parameters ask for. An empty value counts as not given."""

    def many(name: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(value for value in arguments.getlist(name) if value))

    def one(name: str, default: str) -> str:
        return arguments.get(name) or default

    return SearchRequest(
        text=arguments.get("q", ""),
        k=integer(arguments, "k", 20),
        offset=integer(arguments, "offset", 0),
        tier=one("tier", "all"),  # type: ignore[arg-type]  # SearchRequest checks the value
        sort=one("sort", "relevance"),  # type: ignore[arg-type]
        graph=arguments.get("graph") or None,  # type: ignore[arg-type]
        ads=one("ads", "include"),  # type: ignore[arg-type]
        shows=many("show"),
        episodes=many("episode"),
        persons=many("person"),
        mentions=many("mentions"),
        topics=many("topic"),
        insight_types=many("type"),
        since=arguments.get("since") or None,
        until=arguments.get("until") or None,
    )
