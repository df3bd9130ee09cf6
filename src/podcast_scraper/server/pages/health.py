"""The index and its health: what is in it, what was left out and why, how it was built."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, render_template, request

from podcast_scraper.server.parameters import refuse_unknown

if TYPE_CHECKING:
    from podcast_scraper.corpus import Corpus


def create_blueprint(corpus: Corpus) -> Blueprint:
    """Return the health page."""
    blueprint = Blueprint("health", __name__)

    @blueprint.get("/health")
    def index() -> str:
        refuse_unknown(request.args, ())
        return render_template(
            "health.html", health=corpus.health(), report=corpus.catalog.build_report()
        )

    return blueprint
