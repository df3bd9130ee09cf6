"""The HTTP client against a server that misbehaves."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest

from podcast_scraper.errors import IngestError
from podcast_scraper.ingest.feeds.http import Client, Limits
from podcast_scraper.ingest.feeds.http.addresses import is_public
from tests.ingest.feeds.server import Handler, Server, serving

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
def client(waits: list[float]) -> Client:
    limits = Limits(size=100_000, seconds=5.0, redirects=4, tries=3)
    return Client(limits, allow_private=True, wait=waits.append)


def test_plain_answer(server: Server, client: Client) -> None:
    url = server.page("/a", "héllo", Content_Type="text/xml; charset=utf-8", ETag='"x"')
    fetched = client.get(url)
    assert (fetched.body, fetched.charset, fetched.etag) == ("héllo".encode(), "utf-8", '"x"')
    assert "podcast-scraper/" in server.asked[0][1]["user-agent"]


def test_conditional_get(server: Server, client: Client) -> None:
    def answer(handler: Handler) -> None:
        same = handler.headers.get("If-None-Match") == '"v1"'
        handler.give(304) if same else handler.give(200, b"new", ETag='"v1"')

    server.answers["/a"] = answer
    first = client.get(server.url("/a"))
    assert first.body == b"new"
    assert client.get(server.url("/a"), etag=first.etag).body is None
    client.get(server.url("/a"), last_modified="Mon, 01 Jan 2024 00:00:00 GMT")
    assert server.asked[-1][1]["if-modified-since"] == "Mon, 01 Jan 2024 00:00:00 GMT"


def test_gzip(server: Server, client: Client) -> None:
    url = server.page("/a", gzip.compress(b"words " * 50), Content_Encoding="gzip")
    assert client.get(url).body == b"words " * 50


def test_gzip_bomb_is_refused(server: Server, client: Client) -> None:
    bomb = gzip.compress(b"\0" * 50_000_000)
    url = server.page("/a", bomb, Content_Encoding="gzip")
    with pytest.raises(IngestError, match="larger than the limit"):
        client.get(url)
    assert len(server.asked) == 1


def test_endless_body_is_refused(server: Server, client: Client) -> None:
    def endless(handler: Handler) -> None:
        handler.begin(200)
        while not server.over.is_set():
            handler.wfile.write(b"x" * 65_536)

    server.answers["/a"] = endless
    with pytest.raises(IngestError, match="larger than the limit"):
        client.get(server.url("/a"))


def test_slow_server_is_cut_off(server: Server, waits: list[float]) -> None:
    def drip(handler: Handler) -> None:
        handler.begin(200, Content_Length="1000")
        handler.wfile.write(b"x")
        handler.wfile.flush()
        server.over.wait()

    server.answers["/a"] = drip
    client = Client(Limits(seconds=0.2, tries=2), allow_private=True, wait=waits.append)
    with pytest.raises(IngestError, match="after 2 attempts"):
        client.get(server.url("/a"))
    assert len(server.asked) == 2


def test_silent_server_is_cut_off(server: Server, waits: list[float]) -> None:
    server.answers["/a"] = lambda handler: bool(server.over.wait()) and None
    client = Client(Limits(seconds=0.2, tries=1), allow_private=True, wait=waits.append)
    with pytest.raises(IngestError, match="after 1 attempts"):
        client.get(server.url("/a"))


def test_temporary_failures_are_retried_with_growing_pauses(
    server: Server, client: Client, waits: list[float]
) -> None:
    statuses = iter([503, 500, 200])
    server.answers["/a"] = lambda handler: handler.give(next(statuses), b"at last")
    assert client.get(server.url("/a")).body == b"at last"
    assert waits == [1.0, 2.0]


def test_retry_after_is_kept(server: Server, client: Client, waits: list[float]) -> None:
    statuses = iter([429, 200])
    server.answers["/a"] = lambda handler: handler.give(next(statuses), b"ok", Retry_After="7")
    assert client.get(server.url("/a")).body == b"ok"
    assert waits == [7.0]


def test_permanent_failures_are_not_retried(server: Server, client: Client) -> None:
    with pytest.raises(IngestError, match="status 404"):
        client.get(server.url("/missing"))
    assert len(server.asked) == 1


BODY = b"0123456789" * 100


def test_truncated_answer_is_resumed_by_range(server: Server, client: Client) -> None:
    def answer(handler: Handler) -> None:
        wanted = handler.headers.get("Range")
        if wanted is None:
            handler.begin(200, Content_Length=str(len(BODY)), ETag='"e"')
            handler.wfile.write(BODY[:300])
            return
        start = int(wanted.removeprefix("bytes=").rstrip("-"))
        assert handler.headers["If-Range"] == '"e"'
        ranged = f"bytes {start}-{len(BODY) - 1}/{len(BODY)}"
        handler.give(206, BODY[start:], Content_Range=ranged)

    server.answers["/a"] = answer
    assert client.get(server.url("/a")).body == BODY
    assert server.asked[1][1]["range"] == "bytes=300-"


def test_truncated_answer_without_etag_starts_again(server: Server, client: Client) -> None:
    def answer(handler: Handler) -> None:
        handler.begin(200, Content_Length=str(len(BODY)))
        handler.wfile.write(BODY if len(server.asked) == 2 else BODY[:300])

    server.answers["/a"] = answer
    assert client.get(server.url("/a")).body == BODY
    assert "range" not in server.asked[1][1]


def test_truncated_chunks_and_gzip_are_noticed(server: Server, client: Client) -> None:
    def chunks(handler: Handler) -> None:
        handler.begin(200, Transfer_Encoding="chunked")
        handler.wfile.write(b"5\r\nhello\r\n")

    server.answers["/a"] = chunks
    server.page("/b", gzip.compress(BODY)[:-8], Content_Encoding="gzip")
    for path in ("/a", "/b"):
        with pytest.raises(IngestError, match="broke off"):
            client.get(server.url(path))


def test_redirects(server: Server, client: Client) -> None:
    server.page("/a", b"", status=301, Location="/b")
    server.page("/b", b"", status=308, Location=server.url("/c"))
    server.page("/c", b"here")
    server.page("/t", b"", status=302, Location="/c")
    assert client.get(server.url("/a")).moved == server.url("/c")
    fetched = client.get(server.url("/t"))
    assert (fetched.url, fetched.moved) == (server.url("/c"), None)


def test_redirect_loops_end(server: Server, client: Client) -> None:
    server.page("/a", b"", status=302, Location="/b")
    server.page("/b", b"", status=302, Location="/a")
    with pytest.raises(IngestError, match="in a circle"):
        client.get(server.url("/a"))
    for n in range(9):
        server.page(f"/r{n}", b"", status=302, Location=f"/r{n + 1}")
    with pytest.raises(IngestError, match="too many redirects"):
        client.get(server.url("/r0"))


@pytest.mark.parametrize("location", ["file:///etc/passwd", "ftp://x/y", "//", "http://[::"])
def test_redirects_to_other_schemes_are_refused(
    server: Server, client: Client, location: str
) -> None:
    server.page("/a", b"", status=302, Location=location)
    with pytest.raises(IngestError):
        client.get(server.url("/a"))


def test_audio_is_not_downloaded(server: Server, client: Client) -> None:
    url = server.page("/a", b"\xff" * 1000, Content_Type="audio/mpeg")
    with pytest.raises(IngestError, match="not text"):
        client.get(url)


def test_private_addresses_are_refused_on_every_hop(server: Server) -> None:
    url = server.page("/a", b"secret")
    with pytest.raises(IngestError, match="private address"):
        Client().get(url)
    assert server.asked == []


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("93.184.216.34", True),
        ("2606:4700::1111", True),
        ("127.0.0.1", False),
        ("10.1.2.3", False),
        ("172.16.0.1", False),
        ("192.168.1.1", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("0.0.0.0", False),
        ("224.0.0.1", False),
        ("::1", False),
        ("fe80::1%eth0", False),
        ("fc00::1", False),
        ("::ffff:127.0.0.1", False),
        ("64:ff9b::7f00:1", False),
        ("2002:7f00:1::", False),
        ("nonsense", False),
    ],
)
def test_public_addresses(address: str, public: bool) -> None:
    assert is_public(address) is public


@pytest.mark.parametrize(
    "url", ["", "x", "file:///etc/passwd", "http://", "http://a b/", "http://a:x/"]
)
def test_addresses_that_are_none(client: Client, url: str) -> None:
    with pytest.raises(IngestError, match=r"no http\(s\) address"):
        client.get(url)
