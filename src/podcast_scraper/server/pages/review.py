"""Who is who: pairs that may be one, and what people decided, with its undoing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, redirect, render_template, request, url_for

from podcast_scraper.errors import UsageError
from podcast_scraper.server.parameters import integer, refuse_unknown

if TYPE_CHECKING:
    from werkzeug.datastructures import ImmutableMultiDict
    from werkzeug.wrappers import Response

    from podcast_scraper.corpus import Corpus
    from podcast_scraper.identities import Identities

PER_PAGE = 20
DEFAULT_AUTHOR = "local"


def create_blueprint(corpus: Corpus) -> Blueprint:
    """Return the review pages."""
    blueprint = Blueprint("review", __name__)

    @blueprint.get("/review")
    def index() -> str:
        refuse_unknown(request.args, ("id", "page"))
        page = integer(request.args, "page", 1, low=1, high=10_000)
        registry = corpus.index.resolver.registry
        asked = request.args.get("id", "")
        entity = registry.get(asked)
        names = {entry.id: entry.name for entry in registry}
        queue = corpus.identities.review(k=1_000)
        rows = queue.rows
        if asked:
            wanted = {asked, entity.id if entity is not None else asked}
            rows = [r for r in rows if wanted & {r["subject"]["id"], r["into"]["id"]}]
        start = (page - 1) * PER_PAGE
        history = corpus.identities.history(asked or None)
        return render_template(
            "review.html",
            entity=entity,
            names=names,
            rows=rows[start : start + PER_PAGE],
            total=len(rows),
            page=page,
            pages=max(1, -(-len(rows) // PER_PAGE)),
            history=list(reversed(history)),
            merged=[d for d in history if d.kind == "merge" and d.undone_at is None],
            episodes=corpus.catalog.episodes(sorted(entity.episodes)) if entity else {},
        )

    @blueprint.post("/review")
    def decide() -> Response:
        _decide(corpus.identities, request.form)
        return redirect(url_for(".index", id=request.form.get("id") or None), 303)

    return blueprint


def _decide(made: Identities, form: ImmutableMultiDict[str, str]) -> None:
    author, reason = form.get("author") or DEFAULT_AUTHOR, form.get("reason", "")
    match form.get("action"):
        case "merge":
            made.merge(form["subject"], form["into"], author=author, reason=reason)
        case "not-same":
            made.not_same(form["subject"], form["into"], author=author, reason=reason)
        case "alias":
            made.alias(form["subject"], form["name"], author=author, reason=reason)
        case "split":
            episodes = form.getlist("episode")
            made.split(form["subject"], episodes=episodes, author=author, reason=reason)
        case "undo":
            made.undo(form["uid"], author=author, reason=reason)
        case action:
            raise UsageError(f"There is no action {action!r}.", subject=action)
