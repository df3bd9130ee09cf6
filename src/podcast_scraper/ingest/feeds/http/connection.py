"""One request over one connection to a checked address, within size and time limits."""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
import zlib
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import SplitResult, urlsplit

from podcast_scraper.errors import IngestError
from podcast_scraper.ingest.feeds.http.addresses import resolve

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_CHUNK: Final = 65_536
CONNECT_SECONDS: Final = 15.0


@dataclass(frozen=True, slots=True)
class Limits:
    """``size`` bounds the decoded body in bytes, ``seconds`` a whole request, ``redirects`` hops,
    ``tries`` the attempts at one address."""

    size: int = 64 * 1024 * 1024
    seconds: float = 120.0
    redirects: int = 8
    tries: int = 4


@dataclass(frozen=True, slots=True)
class RawResponse:
    """An answer. ``headers`` have lower-case names; ``complete`` is false for a cut-off body."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    complete: bool


class TemporaryFailure(Exception):
    """The request may succeed when it is repeated."""


class _Pinned(http.client.HTTPConnection):
    """Connects to a given address; TLS is checked against the name in the URL."""

    def __init__(self, parts: SplitResult, address: tuple[str, int], timeout: float) -> None:
        super().__init__(parts.hostname or "", address[1], timeout=timeout)
        self._address = address
        self._tls = ssl.create_default_context() if parts.scheme == "https" else None

    def connect(self) -> None:
        self.sock = socket.create_connection(self._address, self.timeout)
        if self._tls is not None:
            self.sock = self._tls.wrap_socket(self.sock, server_hostname=self.host)


def request(
    url: str, headers: Mapping[str, str], limits: Limits, allow_private: bool
) -> RawResponse:
    """Send one GET and return the answer; redirects are answers too.

    Raises :class:`IngestError` for what will not change and :class:`TemporaryFailure` for what may.
    """
    parts = _checked(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    addresses = resolve(parts.hostname or "", port, allow_private)
    connection = _Pinned(parts, addresses[0], min(CONNECT_SECONDS, limits.seconds))
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    with _deadline(connection, limits.seconds) as expired:
        try:
            connection.request("GET", target, headers=dict(headers))
            response = connection.getresponse()
            names = {name.lower(): value for name, value in response.getheaders()}
            body, complete = _body(response, names, limits.size)
        except ssl.SSLCertVerificationError as error:
            raise IngestError(
                f"The certificate of {parts.hostname} is not valid.", subject=url
            ) from error
        except (OSError, http.client.HTTPException, zlib.error) as error:
            why = "took too long" if expired.is_set() else type(error).__name__
            raise TemporaryFailure(why) from error
        if expired.is_set():
            raise TemporaryFailure("took too long")
        return RawResponse(response.status, names, body, complete)


def _checked(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if not usable or any(c <= " " or c == "\x7f" for c in url) or not url.isascii():
        raise IngestError(f"{url!r} is no http(s) address.", subject=url)
    return parts


@contextmanager
def _deadline(connection: http.client.HTTPConnection, seconds: float) -> Iterator[threading.Event]:
    """Cut the connection after ``seconds``, however slowly the other side drips."""
    expired = threading.Event()

    def cut() -> None:
        expired.set()
        if connection.sock is not None:
            with suppress(OSError):  # closed already
                connection.sock.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(seconds, cut)
    timer.daemon = True
    timer.start()
    try:
        yield expired
    finally:
        timer.cancel()
        connection.close()


def _body(
    response: http.client.HTTPResponse, headers: Mapping[str, str], limit: int
) -> tuple[bytes, bool]:
    """Read and decompress a body up to the limit; a bomb is refused before it is unpacked."""
    if headers.get("content-type", "").lower().startswith(("audio/", "video/", "image/")):
        raise IngestError(f"The answer is {headers['content-type']}, not text.")
    encoding = headers.get("content-encoding", "").lower().strip()
    if encoding not in ("", "identity", "gzip", "x-gzip"):
        raise IngestError(f"The answer is encoded as {encoding}, which was not asked for.")
    unpack = zlib.decompressobj(wbits=31) if "gzip" in encoding else None
    parts: list[bytes] = []
    size, complete = 0, True
    while True:
        try:
            chunk = response.read1(_CHUNK)
        except http.client.IncompleteRead as error:
            chunk, complete = error.partial, False
        if not chunk:
            break
        piece = unpack.decompress(chunk, limit + 1 - size) if unpack else chunk
        size += len(piece)
        if size > limit or (unpack and unpack.unconsumed_tail):
            raise IngestError(
                f"The answer is larger than the limit of {limit} bytes.",
                mend="Raise the limit if the file is really that large.",
            )
        parts.append(piece)
    stated = response.length
    if stated or (unpack is not None and not unpack.eof and parts):
        complete = False
    return b"".join(parts), complete
