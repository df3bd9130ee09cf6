"""OPML: lists of feeds, as podcast apps export them."""

from __future__ import annotations

from urllib.parse import urlsplit

from podcast_scraper.errors import IngestError
from podcast_scraper.ingest.feeds.rss import tag_of
from podcast_scraper.ingest.feeds.xml import elements, xml_text
from podcast_scraper.ingest.transcripts.records import RepairLog


def parse_opml(data: bytes) -> tuple[str, ...]:
    """Return the addresses of the feeds in an OPML list, each once, in the list's order."""
    log = RepairLog()
    found: dict[str, None] = {}
    root = ""
    for event, element in elements(xml_text(data, None, log), log):
        root = root or tag_of(element)
        if event == "end" and tag_of(element) == "outline":
            attributes = {name.lower(): value.strip() for name, value in element.attrib.items()}
            url = attributes.get("xmlurl") or attributes.get("url") or ""
            if urlsplit(url).scheme in ("http", "https"):
                found[url] = None
    if root != "opml":
        raise IngestError(f"The list is no OPML document (it is {root or 'not XML'}).")
    return tuple(found)
