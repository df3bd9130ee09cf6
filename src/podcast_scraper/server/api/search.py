"""``/api/search``, ``/api/suggest``, ``/api/similar``: what the search page asks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flask import Blueprint, jsonify, request

from podcast_scraper.search.request import MAX_PAGE, MAX_QUERY_CHARACTERS
from podcast_scraper.search.results import Hit, SearchResponse
from podcast_scraper.search.suggestions import Suggestions
from podcast_scraper.server import exports
from podcast_scraper.server.api.schemas import array, record, schema_of
from podcast_scraper.server.endpoint import JSON, Parameter, endpoint
from podcast_scraper.server.parameters import integer, required, search_request

if TYPE_CHECKING:
    from flask import Response

    from podcast_scraper.corpus import Corpus

_DAY: Final = {"type": "string", "format": "date"}


def _choice(*values: str) -> dict[str, object]:
    return {"type": "string", "enum": list(values)}


def _count(high: int, default: int) -> dict[str, object]:
    return {"type": "integer", "minimum": 1, "maximum": high, "default": default}


SEARCH: Final = (
    Parameter(
        "q",
        'Words, "phrases", -exclusions and fields such as speaker:, show:, topic:, after:.',
        {"type": "string", "maxLength": MAX_QUERY_CHARACTERS},
    ),
    Parameter("k", "Cards a page.", _count(MAX_PAGE, 20)),
    Parameter("offset", "Cards to skip.", {"type": "integer", "minimum": 0, "maximum": 1000}),
    Parameter("tier", "Insights, transcript or both.", _choice("all", "insight", "segment")),
    Parameter("sort", "Order of the cards.", _choice("relevance", "date")),
    Parameter("graph", "Mode of graph rescue.", _choice("off", "auto", "force")),
    Parameter("ads", "Whether advertisements are searched.", _choice("include", "exclude")),
    Parameter("show", "Id of a show.", many=True),
    Parameter("episode", "Id of an episode.", many=True),
    Parameter("person", "Id of a person who speaks.", many=True),
    Parameter("mentions", "Id of a person or organisation that is mentioned.", many=True),
    Parameter("topic", "Id of a topic.", many=True),
    Parameter("type", "Insight type.", many=True),
    Parameter("since", "First day.", _DAY),
    Parameter("until", "Last day.", _DAY),
)
_OF_INDEX: Final = ("generation", "degraded", "index_lag")
_ANSWER: Final = {
    **(_base := schema_of(SearchResponse)),
    "properties": {
        **{k: v for k, v in _base["properties"].items() if k not in _OF_INDEX},
        "index": record({name: _base["properties"][name] for name in _OF_INDEX}),
    },
    "required": [k for k in _base["required"] if k not in _OF_INDEX] + ["index"],
}


def create_blueprint(corpus: Corpus) -> Blueprint:
    """Return the search API over one corpus."""
    blueprint = Blueprint("api_search", __name__, url_prefix="/api")

    @blueprint.get("/search")
    @endpoint(
        "Search what was said",
        *SEARCH,
        exports.PARAMETER,
        answer=_ANSWER,
        media_types=(JSON, *exports.FORMATS.values()),
    )
    def search() -> Response:
        wanted = search_request(request.args)
        name = exports.wanted_format(request.args)
        if name is not None:
            return exports.export_search(corpus, wanted, name)
        return jsonify(corpus.run(wanted).answer())

    @blueprint.get("/suggest")
    @endpoint(
        "Complete a half-typed query",
        Parameter("q", "The text so far.", required=True),
        answer=schema_of(Suggestions),
    )
    def suggest() -> Response:
        return jsonify(corpus.suggest(request.args.get("q", "")))

    @blueprint.get("/similar")
    @endpoint(
        "Hits nearest in meaning to a document",
        Parameter("id", "Id of a hit's document.", required=True),
        Parameter("k", "How many.", _count(MAX_PAGE, 10)),
        answer=record({"hits": array(schema_of(Hit))}),
    )
    def similar() -> Response:
        k = integer(request.args, "k", 10, low=1, high=MAX_PAGE)
        hits = corpus.similar(required(request.args, "id"), k=k)
        return jsonify({"hits": hits})

    return blueprint
