"""The graph explorer: a drawing where scripts run, and its table everywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flask import Blueprint, render_template, request

from podcast_scraper.search.graph.neighbourhood import DRAWN_TYPES
from podcast_scraper.server.api.graph import PARAMETERS, asked_neighbourhood
from podcast_scraper.server.parameters import integer, refuse_unknown

if TYPE_CHECKING:
    from podcast_scraper.corpus import Corpus

BEGINNINGS: Final = 12

TYPE_NAMES: Final = {
    "person": "Person",
    "org": "Organisation",
    "topic": "Topic",
    "insight": "Insight",
    "episode": "Episode",
    "podcast": "Show",
}
EDGE_NAMES: Final = {
    "STATES": "said",
    "SPOKEN_BY": "spoken by",
    "SUPPORTED_BY": "rests on",
    "ABOUT": "is about",
    "MENTIONS": "mentions",
    "MENTIONS_PERSON": "mentions",
    "MENTIONS_ORG": "mentions",
    "HAS_INSIGHT": "has the insight",
    "HAS_EPISODE": "has the episode",
    "SPOKE_IN": "spoke in",
    "RELATED_TO": "is related to",
}


def create_blueprint(corpus: Corpus) -> Blueprint:
    """Return the graph page."""
    blueprint = Blueprint("graph", __name__)

    @blueprint.get("/graph")
    def index() -> str:
        refuse_unknown(request.args, tuple(parameter.name for parameter in PARAMETERS))
        node_id = request.args.get("id", "")
        if not node_id:
            entities = list(corpus.index.resolver.registry)
            entities.sort(key=lambda entry: (-corpus.graph.centrality(entry.id), entry.id))
            return render_template("graph_start.html", entities=entities[:BEGINNINGS])
        around = asked_neighbourhood(corpus, node_id)
        return render_template(
            "graph.html",
            middle=around.nodes[0],
            around=around,
            nodes={node.id: node for node in around.nodes},
            types=request.args.getlist("type") or list(DRAWN_TYPES),
            hops=integer(request.args, "hops", 1),
            type_names=TYPE_NAMES,
            edge_names=EDGE_NAMES,
        )

    return blueprint
