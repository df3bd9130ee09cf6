"""RSS 2.0 with the podcast namespace and the iTunes tags."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin, urlsplit

from podcast_scraper.errors import IngestError
from podcast_scraper.ingest.feeds.dates import date_oddity, parse_date, parse_duration
from podcast_scraper.ingest.feeds.records import Feed, FeedItem, FeedPerson, TranscriptLink
from podcast_scraper.ingest.feeds.xml import elements, xml_text
from podcast_scraper.ingest.transcripts.markup import plain
from podcast_scraper.ingest.transcripts.records import RepairLog

if TYPE_CHECKING:
    from collections.abc import Iterable
    from xml.etree.ElementTree import Element

_PREFIXES: Final = (
    ("podcastindex", "podcast"),
    ("podcast-namespace", "podcast"),
    ("itunes.com", "itunes"),
    ("purl.org/dc", "dc"),
    ("rss/1.0/modules/content", "content"),
)
_DESCRIPTION_LIMIT: Final = 20_000


def tag_of(element: Element) -> str:
    """Return ``prefix:local`` by the namespace's address, or the bare local name of plain RSS."""
    uri, _, local = element.tag.rpartition("}")
    local = local.lower()
    if not uri:
        return local
    return next((f"{p}:{local}" for mark, p in _PREFIXES if mark in uri.lower()), f"?:{local}")


def parse_feed(data: bytes, url: str, charset: str | None = None) -> Feed:
    """Return the feed in ``data``; ``url`` is its address, against which relative ones resolve.

    Raises :class:`IngestError` where the document is no RSS feed or declares entities.
    """
    log = RepairLog()
    channel: dict[str, Element] = {}
    channel_people: list[FeedPerson] = []
    items: list[FeedItem] = []
    path: list[str] = []
    root = ""
    for event, element in elements(xml_text(data, charset, log), log):
        tag = tag_of(element)
        if event == "start":
            path.append(tag)
            root = root or tag
            continue
        path.pop()
        if tag == "item":
            items.append(_item(element, url, len(items) + 1, log))
            element.clear()
        elif path and path[-1] == "channel":
            if tag == "podcast:person":
                channel_people.extend(_people([element]))
            channel.setdefault(tag, element)
    if root not in ("rss", "rdf", "?:rdf"):
        raise IngestError(
            f"{url} is no RSS feed (the document is {root or 'not XML'}).",
            mend="Give the address of the feed itself; podcast directories show it as RSS.",
            subject=url,
        )
    return _feed(url, channel, tuple(channel_people), items, log)


def _feed(
    url: str,
    channel: dict[str, Element],
    people: tuple[FeedPerson, ...],
    items: list[FeedItem],
    log: RepairLog,
) -> Feed:
    image = channel.get("itunes:image")
    href = image.get("href") if image is not None else None
    if not href and "image" in channel:
        href = channel["image"].findtext("url")
    return Feed(
        url=url,
        title=_text(channel, "title", "itunes:title") or urlsplit(url).netloc or url,
        items=tuple(_with_people(item, people) for item in items),
        description=_text(channel, "description", "itunes:summary"),
        link=_link(_text(channel, "link"), url),
        image=_link(href, url),
        language=_text(channel, "language"),
        publisher=_text(channel, "itunes:author", "dc:creator"),
        people=people,
        notes=tuple(map(str, log.repairs())),
    )


def _with_people(item: FeedItem, people: tuple[FeedPerson, ...]) -> FeedItem:
    """An item's own list replaces the channel's (podcast namespace, ``person``)."""
    from dataclasses import replace

    return item if item.people else replace(item, people=people)


def _item(element: Element, url: str, ordinal: int, log: RepairLog) -> FeedItem:
    children: dict[str, Element] = {}
    for child in element:
        children.setdefault(tag_of(child), child)
    enclosure = children.get("enclosure")
    date = _text(children, "pubdate", "dc:date")
    if oddity := date_oddity(date):
        action, kind = oddity
        log.note(action, kind, ordinal)
    return FeedItem(
        guid=_text(children, "guid") or "",
        title=_text(children, "title", "itunes:title") or "",
        published=parse_date(date),
        duration=parse_duration(_text(children, "itunes:duration")),
        media_url=_link(enclosure.get("url") if enclosure is not None else None, url),
        link=_link(_text(children, "link"), url),
        description=_text(children, "description", "itunes:summary", "content:encoded"),
        transcripts=tuple(_transcripts(element, url)),
        people=tuple(_people(c for c in element if tag_of(c) == "podcast:person")),
    )


def _text(children: dict[str, Element], *tags: str) -> str | None:
    """Return the words of the first of the tags that has some, markup removed."""
    for tag in tags:
        if tag in children and (words := plain(children[tag].text or "")):
            return words[:_DESCRIPTION_LIMIT]
    return None


def _link(href: str | None, base: str) -> str | None:
    """Return an absolute http(s) URL, or None."""
    try:
        joined = urljoin(base, (href or "").strip())
        return joined if href and urlsplit(joined).scheme in ("http", "https") else None
    except ValueError:
        return None


def _transcripts(item: Element, url: str) -> Iterable[TranscriptLink]:
    for child in item:
        if tag_of(child) == "podcast:transcript":
            href = _link(child.get("url"), url)
            if href:
                yield TranscriptLink(href, child.get("type", ""), child.get("language"))


def _people(elements: Iterable[Element]) -> Iterable[FeedPerson]:
    for element in elements:
        if name := plain(element.text or ""):
            yield FeedPerson(name, (element.get("role") or "host").strip().lower())
