"""``/api/saved``: saved searches, and a feed of new hits for each."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Final

from flask import Blueprint, Response, jsonify, request

from podcast_scraper.errors import UsageError
from podcast_scraper.server.api.schemas import array, record, schema_of
from podcast_scraper.server.endpoint import endpoint
from podcast_scraper.server.feeds import feed_of, request_of, to_json_feed, to_rss
from podcast_scraper.storage.kept import Kept

if TYPE_CHECKING:
    from podcast_scraper.corpus import Corpus

_TEXT: Final = {"type": "string"}
_KEPT: Final = schema_of(Kept)
_BODY: Final = record({"name": _TEXT, "query": _TEXT})
RSS: Final = "application/rss+xml"
JSON_FEED: Final = "application/feed+json"


def create_blueprint(corpus: Corpus) -> Blueprint:
    """Return the API of saved searches over one corpus."""
    blueprint = Blueprint("api_saved", __name__, url_prefix="/api/saved")

    @blueprint.get("")
    @endpoint("The saved searches, by name", answer=record({"saved": array(_KEPT)}))
    def saved() -> Response:
        return jsonify({"saved": [asdict(kept) for kept in corpus.searches.saved()]})

    @blueprint.post("")
    @endpoint(
        "Save a search: a name, and the query string of /api/search", answer=_KEPT, body=_BODY
    )
    def save() -> Response:
        body = request.get_json()
        if not isinstance(body, dict) or not all(
            isinstance(body.get(name), str) for name in ("name", "query")
        ):
            raise UsageError("The body is no object with name and query as text.")
        unknown = sorted(set(body) - {"name", "query"})
        if unknown:
            raise UsageError(f"Unknown field: {', '.join(unknown)}.", subject=unknown)
        request_of(body["query"])
        return jsonify(asdict(corpus.searches.save(body["name"], body["query"])))

    @blueprint.delete("/<uid>")
    @endpoint("Forget a saved search", answer=record({"ok": {"const": True}}))
    def remove(uid: str) -> Response:
        corpus.searches.remove(uid)
        return jsonify({"ok": True})

    @blueprint.get("/<uid>/feed.rss")
    @endpoint("New hits of a saved search as RSS 2.0", media_types=(RSS,))
    def rss(uid: str) -> Response:
        feed = feed_of(corpus, corpus.searches.one(uid), request.base_url)
        return Response(to_rss(feed), content_type=f"{RSS}; charset=utf-8")

    @blueprint.get("/<uid>/feed.json")
    @endpoint("New hits of a saved search as JSON Feed 1.1", media_types=(JSON_FEED,))
    def json_feed(uid: str) -> Response:
        feed = feed_of(corpus, corpus.searches.one(uid), request.base_url)
        response = jsonify(to_json_feed(feed))
        response.mimetype = JSON_FEED
        return response

    return blueprint
