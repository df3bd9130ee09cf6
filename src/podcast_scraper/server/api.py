"""``/api``: search, episodes, health."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from flask import Blueprint, jsonify, request

from podcast_scraper.server.parameters import refuse_unknown, search_request

if TYPE_CHECKING:
    from flask import Response

    from podcast_scraper.corpus import Corpus


def create_blueprint(corpus: Corpus) -> Blueprint:
    """Return the API over one corpus."""
    blueprint = Blueprint("api", __name__, url_prefix="/api")

    @blueprint.get("/search")
    def search() -> Response:
        return jsonify(corpus.run(search_request(request.args)).to_json())

    @blueprint.get("/episodes")
    def episodes() -> Response:
        refuse_unknown(request.args, ())
        listed = corpus.catalog.episodes().values()
        return jsonify({"episodes": [asdict(episode) for episode in listed]})

    @blueprint.get("/episodes/<episode_id>")
    def episode(episode_id: str) -> Response:
        refuse_unknown(request.args, ())
        return jsonify(episode_json(corpus, episode_id))

    @blueprint.get("/health")
    def health() -> Response:
        refuse_unknown(request.args, ())
        return jsonify(corpus.health())

    return blueprint


def episode_json(corpus: Corpus, episode_id: str) -> dict[str, Any]:
    """Return an episode with its transcript, insights and speakers' names."""
    catalog = corpus.catalog
    info = catalog.episode(episode_id)
    text, segments = catalog.transcript(info.id)
    insights = catalog.insights(info.id)
    people = {s.speaker_id for s in segments if s.speaker_id}
    people |= {q.speaker_id for i in insights for q in i.quotes if q.speaker_id}
    return {
        **asdict(info),
        "media_url": corpus.media_url(info),
        "speakers": catalog.labels(people),
        "segments": [asdict(segment) for segment in segments],
        "text": text if not segments else None,
        "insights": [asdict(insight) for insight in insights],
    }
