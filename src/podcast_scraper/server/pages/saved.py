"""Saved and recent searches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlencode

from flask import Blueprint, redirect, render_template, request, url_for

from podcast_scraper.server.feeds import request_of
from podcast_scraper.server.parameters import SEARCH_PARAMETERS, refuse_unknown

if TYPE_CHECKING:
    from werkzeug.datastructures import MultiDict
    from werkzeug.wrappers import Response

    from podcast_scraper.corpus import Corpus
    from podcast_scraper.storage.kept import Kept

_FILTERS = ("show", "episode", "person", "mentions", "topic", "type", "since", "until", "tier")


@dataclass(frozen=True, slots=True)
class ShownSearch:
    """A search as a link: its words, or how many filters it has."""

    label: str
    filters: int
    url: str
    kept: Kept


def create_blueprint(corpus: Corpus) -> Blueprint:
    """Return the pages of saved searches."""
    blueprint = Blueprint("saved", __name__)

    @blueprint.get("/saved")
    def index() -> str:
        refuse_unknown(request.args, ("save", *SEARCH_PARAMETERS))
        pending = query_string(request.args)
        if pending:
            request_of(pending)
        return render_template(
            "saved.html",
            saved=[shown(kept) for kept in corpus.searches.saved()],
            recent=[shown(kept) for kept in corpus.searches.recent()],
            pending=pending,
            suggested=request.args.get("q", ""),
        )

    @blueprint.post("/saved")
    def save() -> Response:
        query = request.form.get("query", "")
        request_of(query)
        corpus.searches.save(request.form.get("name", ""), query)
        return redirect(url_for(".index"), 303)

    @blueprint.post("/saved/<uid>/remove")
    def remove(uid: str) -> Response:
        corpus.searches.remove(uid)
        return redirect(url_for(".index"), 303)

    @blueprint.post("/recent/forget")
    def forget() -> Response:
        corpus.searches.forget_recent()
        return redirect(url_for(".index"), 303)

    return blueprint


def query_string(arguments: MultiDict[str, str]) -> str:
    """Return the parameters of a search that matter when it is made again."""
    pairs = [
        (name, value)
        for name in SEARCH_PARAMETERS
        if name not in ("k", "offset")
        for value in arguments.getlist(name)
        if value.strip()
    ]
    return urlencode(pairs)


def shown(kept: Kept) -> ShownSearch:
    """Return a search as a link."""
    parts = parse_qs(kept.query)
    filters = sum(len(parts.get(name, [])) for name in _FILTERS)
    label = " ".join(parts.get("q", [])) or "every word"
    return ShownSearch(label, filters, f"{url_for('search.search')}?{kept.query}", kept)
