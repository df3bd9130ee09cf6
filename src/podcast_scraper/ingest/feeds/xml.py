"""Hardened XML: no entities, no external references, and a second try on mended text."""

from __future__ import annotations

import html.entities
import io
import re
from typing import TYPE_CHECKING, Final

from podcast_scraper.errors import IngestError
from podcast_scraper.ingest.transcripts.decode import decode

if TYPE_CHECKING:
    from collections.abc import Iterator
    from xml.etree.ElementTree import Element

    from podcast_scraper.ingest.transcripts.records import RepairLog

_DECLARATION = re.compile(r"^\s*<\?xml\b[^<>]{0,300}\?>")
_ENCODING = re.compile(rb"^\s*<\?xml\b[^<>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9._-]{1,40})")
_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_REFERENCE = re.compile(r"&(?:#\d{1,7};|#[xX][0-9A-Fa-f]{1,6};|([A-Za-z][A-Za-z0-9]{0,30});|)")
_BUILT_IN: Final = frozenset(("amp", "lt", "gt", "quot", "apos"))
_NAMESPACES: Final = {
    "itunes": "http://www.itunes.com/dtds/podcast-1.0.dtd",
    "podcast": "https://podcastindex.org/namespace/1.0",
    "content": "http://purl.org/rss/1.0/modules/content/",
    "atom": "http://www.w3.org/2005/Atom",
    "dc": "http://purl.org/dc/elements/1.1/",
    "media": "http://search.yahoo.com/mrss/",
    "googleplay": "http://www.google.com/schemas/play-podcasts/1.0",
}


def xml_text(data: bytes, charset: str | None, log: RepairLog) -> str:
    """Decode an XML document: its declaration, the transport's charset, else UTF-8 with repair."""
    match = _ENCODING.match(data)
    for name in (match[1].decode("ascii") if match else None, charset):
        if name and name.lower().replace("_", "-") not in ("utf-8", "utf8"):
            try:
                return data.decode(name).replace("\r\n", "\n")
            except (LookupError, UnicodeDecodeError):
                log.guessed("charset")
    return decode(data, log)


def elements(text: str, log: RepairLog) -> Iterator[tuple[str, Element]]:
    """Yield (``start`` or ``end``, element) of a document.

    A document that breaks off yields what stands before the break, with a note. Entity
    declarations and external references raise :class:`IngestError`.
    """
    body = _DECLARATION.sub("", text, count=1).lstrip()
    try:
        _check(body)
    except SyntaxError:
        body = mended(body)
        log.fixed("XML that is not well-formed")
    try:
        yield from _events(body)
    except SyntaxError:
        log.dropped("everything after an XML error")


def _check(body: str) -> None:
    for _, element in _events(body):
        element.clear()


def _events(body: str) -> Iterator[tuple[str, Element]]:
    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import iterparse

    source = io.BytesIO(body.encode("utf-8", "replace"))
    try:
        yield from iterparse(source, events=("start", "end"), forbid_external=True)
    except DefusedXmlException as error:
        raise IngestError(
            "The XML declares entities or refers to outside files, and is refused.",
            mend="A feed needs neither; ask its publisher.",
            subject=str(error),
        ) from error


def mended(body: str) -> str:
    """Return XML with bare ampersands escaped, HTML's entities resolved, prefixes declared."""
    body = _REFERENCE.sub(_resolved, _ILLEGAL.sub("", body))
    missing = [
        f' xmlns:{prefix}="{uri}"'
        for prefix, uri in _NAMESPACES.items()
        if f"<{prefix}:" in body and f"xmlns:{prefix}" not in body
    ]
    return re.sub(r"<(rss|opml|feed)\b", rf"<\1{''.join(missing)}", body, count=1)


def _resolved(match: re.Match[str]) -> str:
    name = match[1]
    if match[0] == "&":
        return "&amp;"
    if name is None or name in _BUILT_IN:
        return match[0]
    return html.entities.html5.get(f"{name};", f"&amp;{name};")
