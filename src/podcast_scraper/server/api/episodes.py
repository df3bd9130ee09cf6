"""``/api/episodes``: the list, and one episode with its transcript and insights."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from flask import Blueprint, jsonify

from podcast_scraper.server.api.schemas import array, record, schema_of
from podcast_scraper.server.endpoint import endpoint
from podcast_scraper.storage.catalog import EpisodeInfo, InsightInfo, SegmentInfo

if TYPE_CHECKING:
    from flask import Response

    from podcast_scraper.corpus import Corpus

_EPISODE = schema_of(EpisodeInfo)
_DETAIL = record(
    {
        **_EPISODE["properties"],
        "media_url": schema_of(str | None),
        "speakers": schema_of(dict[str, str]),
        "segments": array(schema_of(SegmentInfo)),
        "text": schema_of(str | None),
        "insights": array(schema_of(InsightInfo)),
    }
)


def create_blueprint(corpus: Corpus) -> Blueprint:
    """Return the episode API over one corpus."""
    blueprint = Blueprint("api_episodes", __name__, url_prefix="/api")

    @blueprint.get("/episodes")
    @endpoint("Every episode, newest first", answer=record({"episodes": array(_EPISODE)}))
    def episodes() -> Response:
        listed = corpus.catalog.episodes().values()
        return jsonify({"episodes": [asdict(episode) for episode in listed]})

    @blueprint.get("/episodes/<episode_id>")
    @endpoint("An episode with its transcript and insights", answer=_DETAIL)
    def episode(episode_id: str) -> Response:
        return jsonify(episode_json(corpus, episode_id))

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
