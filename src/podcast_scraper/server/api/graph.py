"""``/api/graph``: the surroundings of a node."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Final

from flask import Blueprint, jsonify, request

from podcast_scraper.errors import NotFoundError
from podcast_scraper.search.graph.neighbourhood import DRAWN_TYPES, Neighbourhood, neighbourhood
from podcast_scraper.server.api.schemas import schema_of
from podcast_scraper.server.endpoint import Parameter, endpoint
from podcast_scraper.server.parameters import integer, required

if TYPE_CHECKING:
    from flask import Response

    from podcast_scraper.corpus import Corpus

MAX_HOPS: Final = 2
MAX_NODES: Final = 200

PARAMETERS: Final = (
    Parameter("id", "Id of the node in the middle.", required=True),
    Parameter("hops", "How far.", {"type": "integer", "minimum": 1, "maximum": MAX_HOPS}),
    Parameter("limit", "At most this many nodes.", {"type": "integer", "maximum": MAX_NODES}),
    Parameter("type", "Node types to show.", {"enum": list(DRAWN_TYPES)}, many=True),
)


def create_blueprint(corpus: Corpus) -> Blueprint:
    """Return the graph API over one corpus."""
    blueprint = Blueprint("api_graph", __name__, url_prefix="/api")

    @blueprint.get("/graph")
    @endpoint("Nodes and edges around a node", *PARAMETERS, answer=schema_of(Neighbourhood))
    def graph() -> Response:
        return jsonify(asdict(asked_neighbourhood(corpus, required(request.args, "id"))))

    return blueprint


def asked_neighbourhood(corpus: Corpus, node_id: str) -> Neighbourhood:
    """Return the surroundings that the request asks for. Raises NotFoundError."""
    number = corpus.graph.number(node_id)
    if number is None:
        raise NotFoundError(
            f"The graph has no node {node_id[:200]!r}.",
            mend="/api/resolve finds the id of a name.",
            subject=node_id,
        )
    return neighbourhood(
        corpus.graph,
        corpus.graph.ids[number],
        hops=integer(request.args, "hops", 1, low=1, high=MAX_HOPS),
        limit=integer(request.args, "limit", 60, low=1, high=MAX_NODES),
        types=request.args.getlist("type") or DRAWN_TYPES,
    )
