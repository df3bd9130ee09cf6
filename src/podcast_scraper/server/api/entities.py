"""``/api/people``, ``/api/organisations``, ``/api/topics``, ``/api/shows``: lists and records."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from flask import Blueprint, jsonify, request

from podcast_scraper.server.api.schemas import array, record, schema_of
from podcast_scraper.server.endpoint import Parameter, endpoint
from podcast_scraper.server.listing import entity_page, find_entity, find_show
from podcast_scraper.server.parameters import integer
from podcast_scraper.storage.catalog import EpisodeInfo, ShowInfo

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Response

    from podcast_scraper.corpus import Corpus
    from podcast_scraper.identity.registry import RegistryEntry

_LISTS: Final = {"people": "person", "organisations": "org", "topics": "topic"}
_ENTITY: Final = record(
    {
        "id": {"type": "string"},
        "type": {"type": "string"},
        "name": {"type": "string"},
        "aliases": array({"type": "string"}),
        "episodes": array({"type": "string"}),
        "shows": array({"type": "string"}),
    }
)
_SHOW: Final = schema_of(ShowInfo)
_MAX: Final = 500


def create_blueprint(corpus: Corpus) -> Blueprint:
    """Return the entity API over one corpus."""
    blueprint = Blueprint("api_entities", __name__, url_prefix="/api")
    for name, entity_type in _LISTS.items():
        blueprint.add_url_rule(f"/{name}", name, _list_view(corpus, name, entity_type))
        blueprint.add_url_rule(
            f"/{name}/<entity_id>", f"one_of_{name}", _one_view(corpus, name, entity_type)
        )

    @blueprint.get("/shows")
    @endpoint("Every show", answer=record({"shows": array(_SHOW)}))
    def shows() -> Response:
        return jsonify({"shows": [asdict(show) for show in corpus.catalog.shows()]})

    @blueprint.get("/shows/<show_id>")
    @endpoint(
        "A show with its episodes, newest first",
        answer=record({**_SHOW["properties"], "episode_list": array(schema_of(EpisodeInfo))}),
    )
    def show(show_id: str) -> Response:
        found = find_show(corpus, show_id)
        episodes = corpus.catalog.episodes(show_id=found.id).values()
        return jsonify({**asdict(found), "episode_list": [asdict(e) for e in episodes]})

    return blueprint


def _list_view(corpus: Corpus, name: str, entity_type: str) -> Callable[[], Response]:
    @endpoint(
        f"The {name} of the corpus, those of most episodes first",
        Parameter("q", "What a name or alias must hold."),
        Parameter("k", "How many a page.", {"type": "integer", "minimum": 1, "maximum": _MAX}),
        Parameter("page", "Which page, from 1.", {"type": "integer", "minimum": 1}),
        answer=record({name: array(_ENTITY), "total": {"type": "integer"}}),
    )
    def view() -> Response:
        page = entity_page(
            corpus,
            entity_type,
            request.args.get("q", ""),
            integer(request.args, "page", 1, low=1, high=1_000_000),
            integer(request.args, "k", 100, low=1, high=_MAX),
        )
        rows = [entity_json(entry) for entry in page.entries]
        return jsonify({name: rows, "total": page.total})

    return view


def _one_view(corpus: Corpus, name: str, entity_type: str) -> Callable[[str], Response]:
    @endpoint(f"One of the {name}", answer=_ENTITY)
    def view(entity_id: str) -> Response:
        return jsonify(entity_json(find_entity(corpus, entity_id, entity_type)))

    return view


def entity_json(entry: RegistryEntry) -> dict[str, Any]:
    """Return an entity with its names and where it occurs."""
    return {
        "id": entry.id,
        "type": entry.type,
        "name": entry.name,
        "aliases": list(entry.aliases),
        "episodes": sorted(entry.episodes),
        "shows": sorted(entry.shows),
    }
