"""One JSON request with a deadline over the whole exchange, not over each read."""

from __future__ import annotations

import json
import time
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from podcast_scraper.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping

_MAX_BYTES = 64 * 2**20
_CHUNK = 64 * 2**10


def post_json(url: str, body: Mapping[str, Any], *, key: str | None, seconds: float) -> Any:
    """Return the decoded JSON answer to a ``POST``; redirects are not followed.

    ``ModelError`` after ``seconds``, for a status other than 200, more than 64 MiB, or no JSON.
    """
    try:
        status, answer = _post(url, json.dumps(body).encode(), key, time.monotonic() + seconds)
    except TimeoutError as error:
        raise ModelError(
            f"{url} gave no whole answer within {seconds:g} s.",
            mend="Try again, or name a packaged model.",
            subject=url,
        ) from error
    except (OSError, HTTPException, ValueError) as error:
        raise ModelError(
            f"{url} cannot be asked: {error}",
            mend="Check the address and that the endpoint runs.",
            subject=url,
        ) from error
    if status != 200:
        raise ModelError(
            f"{url} answered {status}: {answer[:300].decode('utf-8', 'replace').strip()}",
            mend="Check the model's name and the key.",
            subject=url,
        )
    try:
        return json.loads(answer)
    except ValueError as error:
        raise ModelError(f"{url} did not answer with JSON.", subject=url) from error


def _post(url: str, body: bytes, key: str | None, deadline: float) -> tuple[int, bytes]:
    parts = urlsplit(url)
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=_left(deadline))
    try:
        connection.connect()
        # The connection forgets its socket once an answer without keep-alive has begun.
        sock = connection.sock
        sock.settimeout(_left(deadline))
        path = f"{parts.path}?{parts.query}" if parts.query else parts.path
        connection.request("POST", path, body, headers)
        sock.settimeout(_left(deadline))
        response = connection.getresponse()
        pieces: list[bytes] = []
        size = 0
        while not response.isclosed():
            sock.settimeout(_left(deadline))
            piece = response.read1(_CHUNK)
            if not piece:
                break
            pieces.append(piece)
            size += len(piece)
            if size > _MAX_BYTES:
                raise ValueError(f"the answer is larger than {_MAX_BYTES >> 20} MiB")
        return response.status, b"".join(pieces)
    finally:
        connection.close()


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left
