"""The pages: search and episode. Complete without JavaScript; the state is in the URL."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from flask import Blueprint, abort, render_template, request, send_file

from podcast_scraper.errors import UsageError
from podcast_scraper.server.api import episode_json
from podcast_scraper.server.parameters import search_request

if TYPE_CHECKING:
    from flask import Response

    from podcast_scraper.corpus import Corpus


def create_blueprint(corpus: Corpus) -> Blueprint:
    """Return the pages over one corpus."""
    blueprint = Blueprint("pages", __name__)

    @blueprint.get("/")
    def search() -> str:
        if not any(request.args.values()):
            return render_template(
                "home.html", shows=corpus.catalog.shows(), suggestions=corpus.suggested_queries()
            )
        try:
            wanted = search_request(request.args)
            found = corpus.run(wanted)
        except UsageError as error:
            return render_template("results.html", wanted=None, found=None, error=error)
        return render_template("results.html", wanted=wanted, found=found, error=None)

    @blueprint.get("/episodes/<episode_id>")
    def episode(episode_id: str) -> str:
        return render_template("episode.html", episode=episode_json(corpus, episode_id))

    @blueprint.get("/media/<episode_id>")
    def media(episode_id: str) -> Response:
        path = corpus.media_path(corpus.catalog.episode(episode_id))
        if path is None:
            abort(404, "No audio of this episode is known here.")
        return send_file(Path(path).absolute(), conditional=True)

    return blueprint
