"""Links between the pages: the state of a search lives in its URL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flask import url_for

if TYPE_CHECKING:
    from werkzeug.datastructures import MultiDict

    from podcast_scraper.search.results import Hit

_LABELS = {
    "show": "the show",
    "episode": "the episode",
    "person": "the speaker",
    "mentions": "the mention",
    "topic": "the topic",
    "type": "the insight type",
    "since": "the first day",
    "until": "the last day",
    "tier": "the tier",
}


def episode_url(hit: Hit) -> str:
    """Return the episode page of a hit, at its time where one is known."""
    anchor = f"t{int(hit.start)}" if hit.start is not None else None
    return url_for("pages.episode", episode_id=hit.episode.id, _anchor=anchor)


def page_url(arguments: MultiDict[str, str], offset: int) -> str:
    """Return the same search at another offset."""
    kept: dict[str, Any] = {k: v for k, v in arguments.lists() if k != "offset"}
    return url_for("pages.search", **kept, offset=max(0, offset) or None)


def without_filters(arguments: MultiDict[str, str]) -> list[tuple[str, str]]:
    """Return, for each filter of a search, its name and the same search without it."""
    links = []
    for name, label in _LABELS.items():
        if arguments.get(name):
            kept: dict[str, Any] = {k: v for k, v in arguments.lists() if k not in (name, "offset")}
            if any(any(values) for values in kept.values()):
                links.append((label, url_for("pages.search", **kept)))
    return links
