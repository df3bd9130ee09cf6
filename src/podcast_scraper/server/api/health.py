"""``/api/health`` and ``/api/openapi.json``: the service about itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, current_app, jsonify

from podcast_scraper.server.api.document import openapi_document
from podcast_scraper.server.api.schemas import record
from podcast_scraper.server.endpoint import endpoint

if TYPE_CHECKING:
    from flask import Response

    from podcast_scraper.corpus import Corpus

_HEALTH = record(
    {
        "ok": {"type": "boolean"},
        "corpus": {"type": "string"},
        "counts": {"type": "object", "additionalProperties": {"type": "integer"}},
        "documents": {"type": "object", "additionalProperties": {"type": "integer"}},
        "degraded": {"type": "boolean"},
        "reasons": {"type": "array", "items": {"type": "string"}},
        "index": {"type": "object"},
        "index_lag": {"type": "integer"},
        "followers": {"type": "array", "items": {"type": "object"}},
    }
)


def create_blueprint(corpus: Corpus) -> Blueprint:
    """Return health and the API's own description."""
    blueprint = Blueprint("api_health", __name__, url_prefix="/api")

    @blueprint.get("/health")
    @endpoint("State of the index: counts, model, generation, what is wrong", answer=_HEALTH)
    def health() -> Response:
        return jsonify(corpus.health())

    @blueprint.get("/openapi.json")
    @endpoint("This API as an OpenAPI 3.1 document")
    def document() -> Response:
        return jsonify(openapi_document(current_app))

    return blueprint
