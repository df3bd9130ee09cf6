"""Feeds of a saved search: its hits by date, as RSS 2.0 and JSON Feed 1.1."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl

from werkzeug.datastructures import MultiDict

from podcast_scraper.clock import clock
from podcast_scraper.server.exports import absolute
from podcast_scraper.server.links import episode_path
from podcast_scraper.server.parameters import (
    SEARCH_PARAMETERS,
    refuse_unknown,
    search_request,
)

if TYPE_CHECKING:
    from podcast_scraper.corpus import Corpus
    from podcast_scraper.search.request import SearchRequest
    from podcast_scraper.search.results import Hit
    from podcast_scraper.storage.kept import Kept

ITEMS: Final = 50


@dataclass(frozen=True, slots=True)
class Feed:
    """A saved search with its newest hits."""

    kept: Kept
    url: str
    hits: tuple[Hit, ...]


def request_of(query: str) -> SearchRequest:
    """Return the search that a query string asks for. Raises UsageError."""
    arguments: MultiDict[str, str] = MultiDict(parse_qsl(query, keep_blank_values=False))
    refuse_unknown(arguments, SEARCH_PARAMETERS)
    return search_request(arguments)


def feed_of(corpus: Corpus, kept: Kept, url: str) -> Feed:
    """Run a saved search and return its hits, those of the newest episodes first."""
    wanted = replace(request_of(kept.query), sort="date", k=ITEMS, offset=0)
    return Feed(kept, url, corpus.run(wanted).hits)


def to_rss(feed: Feed) -> bytes:
    """Return the feed as RSS 2.0."""
    root = ET.Element("rss", version="2.0")
    channel = ET.SubElement(root, "channel")
    _text(channel, "title", feed.kept.name)
    _text(channel, "link", absolute(f"/?{feed.kept.query}") or "")
    _text(channel, "description", f"New hits of the saved search “{feed.kept.name}”")
    for hit in feed.hits:
        item = ET.SubElement(channel, "item")
        _text(item, "title", _title(hit))
        _text(item, "link", _link(hit))
        _text(item, "description", hit.text)
        guid = ET.SubElement(item, "guid", isPermaLink="false")
        guid.text = hit.id
        if hit.episode.date:
            _text(item, "pubDate", format_datetime(_noon(hit.episode.date)))
    ET.indent(root)
    made: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return made


def to_json_feed(feed: Feed) -> dict[str, Any]:
    """Return the feed as JSON Feed 1.1."""
    return {
        "version": "https://jsonfeed.org/version/1.1",
        "title": feed.kept.name,
        "home_page_url": absolute(f"/?{feed.kept.query}"),
        "feed_url": feed.url,
        "items": [
            {
                "id": hit.id,
                "url": _link(hit),
                "title": _title(hit),
                "content_text": hit.text,
                "authors": [{"name": speaker.name} for speaker in hit.speakers],
                **(
                    {"date_published": _noon(hit.episode.date).isoformat()}
                    if hit.episode.date
                    else {}
                ),
            }
            for hit in feed.hits
        ],
    }


def _title(hit: Hit) -> str:
    at = f" at {clock(hit.start)}" if hit.start is not None else ""
    return f"{hit.show.title}: {hit.episode.title}{at}"


def _link(hit: Hit) -> str:
    return absolute(episode_path(hit.episode.id, hit.start)) or ""


def _noon(day: str) -> datetime:
    # A day has no hour: noon in UTC is that day nearly everywhere.
    return datetime.fromisoformat(day).replace(hour=12, tzinfo=UTC)


# XML cannot hold control characters, not even escaped.
_FORBIDDEN: Final = {code: None for code in range(32) if code not in (9, 10, 13)} | {
    0xFFFE: None,
    0xFFFF: None,
    **dict.fromkeys(range(0xD800, 0xE000)),
}


def _text(parent: ET.Element, name: str, text: str) -> None:
    ET.SubElement(parent, name).text = text.translate(_FORBIDDEN)
