"""ETags: an answer that a client already holds is not sent, and often not even computed, again."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

from flask import Response, request

import podcast_scraper

if TYPE_CHECKING:
    from flask import Flask

    from podcast_scraper.corpus import Corpus

# What these answer depends on the index generation, on people's decisions and on the URL alone.
_PURE: Final = ("/api/search", "/api/suggest", "/api/similar", "/api/episodes", "/api/shows")
_BY_BODY: Final = ("text/html", "application/json")


def install_conditional(app: Flask, corpus: Corpus) -> None:
    """Give GET answers an ETag and answer 304 to a client that has it."""

    @app.before_request
    def known_already() -> Response | None:
        if request.method == "GET" and _is_pure(request.path) and request.if_none_match:
            tag = _tag(corpus)
            if request.if_none_match.contains_weak(tag):
                answer = Response(status=304)
                answer.set_etag(tag, weak=True)
                return answer
        return None

    @app.after_request
    def add_tag(response: Response) -> Response:
        if request.method != "GET" or response.status_code != 200 or response.is_streamed:
            return response
        response.cache_control.no_cache = True
        if _is_pure(request.path):
            response.set_etag(_tag(corpus), weak=True)
        elif response.mimetype in _BY_BODY:
            response.add_etag()
            response.make_conditional(request)
        return response


def _is_pure(path: str) -> bool:
    return path.startswith(_PURE)


def _tag(corpus: Corpus) -> str:
    index, decisions = corpus.index, corpus.ledger.history()
    parts = (
        podcast_scraper.__version__,
        f"{index.name}.{index.backend.revision}",
        str([(decision.uid, decision.undone_at) for decision in decisions]),
        request.full_path,
    )
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]
