"""RSS and OPML documents, whole and broken."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podcast_scraper.errors import IngestError
from podcast_scraper.ingest.feeds import FeedPerson, parse_feed, parse_opml

URL = "https://shows.example/feeds/one.xml"
XMLNS = (
    'xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" '
    'xmlns:podcast="https://podcastindex.org/namespace/1.0"'
)


def rss(
    channel: str, head: str = '<?xml version="1.0" encoding="UTF-8"?>', xmlns: str = XMLNS
) -> bytes:
    return f'{head}<rss version="2.0" {xmlns}><channel>{channel}</channel></rss>'.encode()


ITEM = """<item><title>One &amp; two</title><guid>g1</guid>
<pubDate>Fri, 2 May 2014 10:10 GMT</pubDate><itunes:duration>22:38</itunes:duration>
<enclosure url="../audio/1.mp3?x=1" type="audio/mpeg"/>
<description><![CDATA[<p>Bees &amp; <b>hives</b></p>]]></description>
<podcast:transcript url="/t/1.vtt" type="text/vtt" language="en"/>
<podcast:transcript url="javascript:x" type="text/vtt"/></item>"""


def test_a_whole_feed() -> None:
    feed = parse_feed(
        rss(
            "<title>The Show</title><language>en-GB</language><link>https://shows.example</link>"
            '<itunes:author>Ada</itunes:author><itunes:image href="/i.png"/>'
            f"<podcast:person>Ada Byron</podcast:person>{ITEM}"
        ),
        URL,
    )
    (item,) = feed.items
    assert (feed.title, feed.language, feed.publisher) == ("The Show", "en-GB", "Ada")
    assert feed.image == "https://shows.example/i.png"
    assert feed.people == (FeedPerson("Ada Byron", "host"),)
    assert feed.notes == ()
    assert (item.title, item.guid, item.duration) == ("One & two", "g1", 1358.0)
    assert item.published is not None
    assert item.published.isoformat() == "2014-05-02T10:10:00+00:00"
    assert item.media_url == "https://shows.example/audio/1.mp3?x=1"
    assert item.description == "Bees & hives"
    assert [(t.url, t.type, t.language) for t in item.transcripts] == [
        ("https://shows.example/t/1.vtt", "text/vtt", "en")
    ]
    assert item.people == feed.people


def test_odd_dates_are_noted_by_item() -> None:
    dates = ("Fri, 2 May 2014 10:10 GMT", "soon", "2014-05-02", "whenever")
    items = "".join(f"<item><title>x</title><pubDate>{date}</pubDate></item>" for date in dates)
    assert parse_feed(rss(items), URL).notes == (
        "dropped: date that cannot be read ×2 (at 2, 4)",
        "guessed: date without a zone, read as UTC ×1 (at 3)",
    )


def test_people_of_an_item_replace_those_of_the_channel() -> None:
    item = '<item><title>x</title><podcast:person role="Guest">Bob</podcast:person></item>'
    feed = parse_feed(rss(f"<podcast:person>Ada</podcast:person>{item}"), URL)
    assert feed.items[0].people == (FeedPerson("Bob", "guest"),)


@pytest.mark.parametrize(
    ("document", "title"),
    [
        (rss("<title>A &nbsp;&eacute; &copy;</title>"), "A é ©"),
        (rss("<title>Q&A and AT&T</title>"), "Q&A and AT&T"),
        (rss("<title>x</title><itunes:author>y</itunes:author>", xmlns=""), "x"),
        ("<rss><channel><title>caf\xe9</title></channel></rss>".encode("latin-1"), "café"),
        (
            '<?xml version="1.0" encoding="ISO-8859-1"?><rss><channel><title>caf\xe9</title>'
            "</channel></rss>".encode("latin-1"),
            "café",
        ),
        (rss("<title>café</title>").decode().encode("utf-16"), "café"),
        (b"\xef\xbb\xbf\n  " + rss("<title>x</title>"), "x"),
        (rss("<title>a\x0bb\x00</title>"), "ab"),
        (
            b"<!DOCTYPE rss PUBLIC '-//X//Y' 'http://x.example/r.dtd'>"
            + rss("<title>x</title>", ""),
            "x",
        ),
    ],
)
def test_broken_documents_are_read(document: bytes, title: str) -> None:
    assert parse_feed(document, URL).title == title


def test_a_feed_that_breaks_off_keeps_its_whole_items() -> None:
    feed = parse_feed(rss(f"<title>x</title>{ITEM}{ITEM}")[:-200], URL)
    assert len(feed.items) == 1
    assert any("after an XML error" in note for note in feed.notes)


BOMB = b"""<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">
<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]><rss><channel><title>&c;</title></channel></rss>"""
OUTSIDE = b"""<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>
<rss><channel><title>&a;</title></channel></rss>"""


@pytest.mark.parametrize("document", [BOMB, OUTSIDE])
def test_entities_are_refused(document: bytes) -> None:
    with pytest.raises(IngestError, match="declares entities"):
        parse_feed(document, URL)


@pytest.mark.parametrize(
    "document", [b"", b"hello", b"<html><p>x</p></html>", b'{"a": 1}', b"\xff\xd8"]
)
def test_other_documents_are_no_feed(document: bytes) -> None:
    with pytest.raises(IngestError, match="no RSS feed"):
        parse_feed(document, URL)


@given(st.one_of(st.binary(max_size=200), st.integers(0, 900).map(lambda n: rss(ITEM)[:n])))
@settings(max_examples=150, deadline=None)
def test_any_bytes_are_a_feed_or_an_import_error(document: bytes) -> None:
    with contextlib.suppress(IngestError):
        parse_feed(document, URL)


def test_opml() -> None:
    listing = b"""<?xml version="1.0"?><opml version="1.1"><body><outline text="all">
    <outline type="rss" xmlUrl="https://a.example/f?x=1&amp;y=2"/><outline xmlurl="http://b.example/"/>
    <outline type="rss" xmlUrl="https://a.example/f?x=1&y=2"/><outline xmlUrl="file:///x"/>
    </outline></body></opml>"""
    assert parse_opml(listing) == ("https://a.example/f?x=1&y=2", "http://b.example/")
    with pytest.raises(IngestError, match="no OPML"):
        parse_opml(b"<rss/>")
