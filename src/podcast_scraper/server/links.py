"""Links between the pages: the state of a search lives in its URL."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from flask import request, url_for

if TYPE_CHECKING:
    from werkzeug.datastructures import MultiDict

    from podcast_scraper.search.results import Hit

_PAGES = {
    "person": "entities.person",
    "org": "entities.organisation",
    "topic": "entities.topic",
    "concept": "entities.topic",
}


def episode_path(episode_id: str, seconds: float | None = None) -> str:
    """Return the page of an episode, at a time where one is known."""
    page = _page(request.script_root, "episode.episode", "episode_id", episode_id)
    return page if seconds is None else f"{page}?t={max(0.0, seconds):g}"


def episode_url(hit: Hit) -> str:
    """Return the episode page of a hit, at its time where one is known."""
    return episode_path(hit.episode.id, hit.start)


def entity_path(entity_id: str) -> str:
    """Return the page of a person, organisation, topic or show."""
    page = _PAGES.get(entity_id.partition(":")[0], "entities.show")
    return _page(request.script_root, page, "entity_id", entity_id)


def search_path(arguments: MultiDict[str, str], **changes: Any) -> str:
    """Return a search with parameters set anew (None or [] leaves one out), from its first card."""
    kept: dict[str, Any] = {
        name: [value for value in values if value]
        for name, values in arguments.lists()
        if name not in ("offset", "format")
    }
    kept.update(changes)
    base = _page(request.script_root, "search.search")
    query = urlencode({name: value for name, value in kept.items() if value}, doseq=True)
    return f"{base}?{query}" if query else base


@lru_cache(maxsize=20_000)
def _page(script_root: str, endpoint: str, name: str = "", value: str = "") -> str:
    # A results page has some hundred links; building one takes Flask as long as a small query.
    values: dict[str, Any] = {name: value} if name else {}
    return url_for(endpoint, **values)


def toggled(arguments: MultiDict[str, str], name: str, value: str) -> str:
    """Return a search with one value of a repeatable parameter added, or taken away if it is on."""
    values = [other for other in arguments.getlist(name) if other]
    values = [v for v in values if v != value] if value in values else [*values, value]
    return search_path(arguments, **{name: values})
