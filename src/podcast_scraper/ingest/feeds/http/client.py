"""A polite HTTP client for feeds and transcripts: conditional, patient, bounded."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin

import podcast_scraper
from podcast_scraper.errors import IngestError
from podcast_scraper.ingest.feeds.http.connection import (
    Limits,
    RawResponse,
    TemporaryFailure,
    request,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_REDIRECTS: Final = frozenset((301, 302, 303, 307, 308))
_RETRIED: Final = frozenset((408, 425, 429, 500, 502, 503, 504))
LONGEST_WAIT: Final = 60.0


@dataclass(frozen=True, slots=True)
class Fetched:
    """What an address gave. ``url`` is the one after redirects; ``moved`` the new permanent one.

    ``body`` is None where the server says that nothing changed (304).
    """

    url: str
    body: bytes | None
    charset: str | None = None
    etag: str | None = None
    last_modified: str | None = None
    moved: str | None = None


class Client:
    """Fetches addresses one at a time.

    ``wait`` is called with seconds between attempts. Every hop of a redirect is checked against
    private addresses anew.
    """

    def __init__(
        self,
        limits: Limits | None = None,
        allow_private: bool = False,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self._limits = limits or Limits()
        self._allow_private = allow_private
        self._wait = wait

    def get(self, url: str, etag: str | None = None, last_modified: str | None = None) -> Fetched:
        """Return what is at ``url``; with validators, None as body where it is unchanged.

        Raises :class:`IngestError` after the last attempt, with what went wrong.
        """
        headers = {
            "User-Agent": f"podcast-scraper/{podcast_scraper.__version__}",
            "Accept": "*/*",
            "Accept-Encoding": "gzip",
            "Connection": "close",
        }
        if etag:
            headers["If-None-Match"] = etag
        if last_modified:
            headers["If-Modified-Since"] = last_modified
        permanent: str | None = None
        steady = True
        seen = {url}
        for _ in range(self._limits.redirects + 1):
            answer = self._patiently(url, headers)
            if answer.status not in _REDIRECTS:
                return self._fetched(url, answer, permanent)
            target = _target(url, answer.headers.get("location", ""))
            if target in seen:
                raise IngestError(f"{url} redirects in a circle.", subject=url)
            seen.add(target)
            steady = steady and answer.status in (301, 308)
            permanent = target if steady else permanent
            url = target
        raise IngestError(f"{url} is behind too many redirects.", subject=url)

    def _patiently(self, url: str, headers: Mapping[str, str]) -> RawResponse:
        """Repeat what may succeed, with growing pauses; go on from a body that was cut off."""
        problem = ""
        partial: RawResponse | None = None
        for attempt in range(self._limits.tries):
            if attempt:
                self._wait(min(LONGEST_WAIT, self._pause(attempt, partial)))
            try:
                answer = request(
                    url, {**headers, **_range(partial)}, self._limits, self._allow_private
                )
            except TemporaryFailure as failure:
                problem = str(failure)
                continue
            if answer.status in _RETRIED:
                problem = f"status {answer.status}"
                partial = answer if "retry-after" in answer.headers else None
                continue
            answer = _joined(partial, answer)
            if answer.complete:
                return answer
            problem, partial = "the answer broke off", answer
        raise IngestError(
            f"{url} cannot be read after {self._limits.tries} attempts: {problem}.", subject=url
        )

    def _pause(self, attempt: int, partial: RawResponse | None) -> float:
        stated = (partial.headers.get("retry-after", "") if partial else "").strip()
        return float(stated) if stated.isdecimal() and len(stated) < 6 else 0.5 * 2.0**attempt

    def _fetched(self, url: str, answer: RawResponse, moved: str | None) -> Fetched:
        if answer.status == 304:
            return Fetched(url, None, moved=moved)
        if answer.status not in (200, 206):
            mend = "The show may have moved or ended." if answer.status in (404, 410) else None
            raise IngestError(f"{url} answers with status {answer.status}.", mend=mend, subject=url)
        content_type = answer.headers.get("content-type", "")
        charset = content_type.partition("charset=")[2].split(";")[0].strip(" \"'") or None
        return Fetched(
            url,
            answer.body,
            charset,
            answer.headers.get("etag"),
            answer.headers.get("last-modified"),
            moved,
        )


def _target(url: str, location: str) -> str:
    """Resolve a redirect; one without an address goes nowhere, which is a circle."""
    try:
        return urljoin(url, location)
    except ValueError as error:
        raise IngestError(f"{url} redirects to no http(s) address.", subject=location) from error


def _range(partial: RawResponse | None) -> dict[str, str]:
    """Ask for the rest of a cut-off body, if the server can tell that it is still the same.

    Only plain bodies: an offset into a compressed one means nothing after unpacking.
    """
    if partial is None or partial.status not in (200, 206) or not partial.body:
        return {}
    tag = partial.headers.get("etag", "")
    if not tag or tag.startswith("W/") or partial.headers.get("content-encoding"):
        return {}
    return {
        "Range": f"bytes={len(partial.body)}-",
        "If-Range": tag,
        "Accept-Encoding": "identity",
    }


def _joined(partial: RawResponse | None, answer: RawResponse) -> RawResponse:
    """Put the rest behind what was read before; a whole answer (200) replaces it."""
    if answer.status != 206 or partial is None:
        return answer
    start = answer.headers.get("content-range", "").removeprefix("bytes ").partition("-")[0]
    if start.strip() != str(len(partial.body)):
        return RawResponse(answer.status, partial.headers, partial.body, False)
    body = partial.body + answer.body
    return RawResponse(200, {**answer.headers, **_validators(partial)}, body, answer.complete)


def _validators(partial: RawResponse) -> dict[str, str]:
    return {k: v for k, v in partial.headers.items() if k in ("etag", "content-type")}
