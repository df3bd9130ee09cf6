"""The search page: home, results, and the part of it that scripts ask for while one types."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from flask import Blueprint, make_response, render_template, request
from sqlalchemy.exc import SQLAlchemyError

from podcast_scraper.errors import PodcastScraperError, UsageError
from podcast_scraper.search.analysis import exact_terms
from podcast_scraper.server import exports
from podcast_scraper.server.links import entity_path, search_path
from podcast_scraper.server.pages.saved import query_string, shown
from podcast_scraper.server.parameters import SEARCH_PARAMETERS, refuse_unknown, search_request
from podcast_scraper.server.views import narrowing

if TYPE_CHECKING:
    from flask import Response

    from podcast_scraper.corpus import Corpus
    from podcast_scraper.search.request import SearchRequest

FRAGMENT_HEADER = "X-Fragment"
MAX_REMEMBERED = 4_000


def create_blueprint(corpus: Corpus) -> Blueprint:
    """Return the search pages over one corpus."""
    blueprint = Blueprint("search", __name__)

    @blueprint.get("/")
    def search() -> Response:
        whole = request.headers.get(FRAGMENT_HEADER) != "results"
        if not any(request.args.values()):
            page = _home(corpus, "home.html" if whole else "_home.html")
        else:
            page = _results(corpus, "results.html" if whole else "_results.html")
        response = make_response(page)
        response.vary.add(FRAGMENT_HEADER)
        if whole and request.args.get("q", "").strip():
            # Noted once the answer is sent: nobody waits for the disk.
            made = query_string(request.args)[:MAX_REMEMBERED]
            response.call_on_close(lambda: _remember(corpus, made))
        return response

    @blueprint.get("/export")
    def export() -> Response:
        refuse_unknown(request.args, (*SEARCH_PARAMETERS, "format"))
        name = exports.wanted_format(request.args) or "ndjson"
        return exports.export_search(corpus, search_request(request.args), name)

    @blueprint.get("/similar")
    def similar() -> str:
        refuse_unknown(request.args, ("id",))
        doc_id = request.args.get("id", "")
        document = corpus.index.backend.fetch([doc_id]).get(doc_id)
        return render_template("similar.html", hits=corpus.similar(doc_id), document=document)

    return blueprint


def _home(corpus: Corpus, template: str) -> str:
    dates = [e.date for e in corpus.catalog.episodes().values() if e.date]
    return render_template(
        template,
        shows=corpus.catalog.shows(),
        counts=corpus.catalog.counts(),
        years=(min(dates)[:4], max(dates)[:4]) if dates else None,
        suggestions=corpus.suggested_queries(),
        recent=[shown(kept) for kept in corpus.searches.recent()[:8]],
    )


def _remember(corpus: Corpus, made: str) -> None:
    """Note a search that was sent, not one that is still being typed."""
    # A state file that cannot be written must not keep anyone from searching.
    with contextlib.suppress(PodcastScraperError, SQLAlchemyError, OSError):
        corpus.searches.remember(made)


def _results(corpus: Corpus, template: str) -> str:
    shown: dict[str, Any] = {"wanted": None, "found": None, "error": None}
    try:
        refuse_unknown(request.args, SEARCH_PARAMETERS)
        wanted = search_request(request.args)
        shown = {**shown, **_answer(corpus, wanted)}
    except UsageError as error:
        shown["error"] = error
    return render_template(template, **shown)


def _answer(corpus: Corpus, wanted: SearchRequest) -> dict[str, Any]:
    found = corpus.run(wanted)
    arguments = request.args
    labels = corpus.catalog.labels(narrowing.chosen_ids(arguments))
    return {
        "wanted": wanted,
        "found": found,
        "milliseconds": sum(found.timings_ms.values()),
        "facets": narrowing.facets_of(found, arguments),
        "chips": narrowing.chips_of(arguments, labels),
        "tiers": narrowing.tabs_of(arguments, "tier", narrowing.TIERS),
        "sorts": narrowing.tabs_of(arguments, "sort", narrowing.SORTS),
        "known": [] if found.query == "" else _known(corpus, found.query),
        "corrected": search_path(arguments, q=found.did_you_mean) if found.did_you_mean else None,
        "previous": _page(wanted, -1),
        "export_arguments": {
            name: values for name, values in arguments.lists() if name not in ("k", "offset")
        },
        "nearest": [] if found.hits else _nearest(corpus, found.query),
        "following": _page(wanted, 1) if wanted.offset + wanted.k < found.total else None,
    }


def _known(corpus: Corpus, query: str) -> list[Any]:
    """Return the entities that a query names without doubt, each once."""
    resolver = corpus.index.resolver
    ids = dict.fromkeys(m.id for m in resolver.mentions(query[:500]) if m.id is not None)
    return [entry for key in ids if (entry := resolver.registry.get(key)) is not None][:4]


def _nearest(corpus: Corpus, query: str) -> list[tuple[str, str]]:
    """Return names and words near those of a query that found nothing, each with its search."""
    found: dict[str, str] = {}
    for word in exact_terms(query)[:8]:
        offered = corpus.suggest(word[: max(3, len(word) - 2)])
        found.update((entity.name, entity_path(entity.id)) for entity in offered.entities[:2])
        found.update((term, search_path(request.args, q=term)) for term in offered.terms[:2])
    return list(found.items())[:8]


def _page(wanted: SearchRequest, step: int) -> str | None:
    """Return the search at the next or previous page; None before the first."""
    offset = wanted.offset + step * wanted.k
    if offset < 0 and wanted.offset == 0:
        return None
    return search_path(request.args, offset=max(0, offset) or None)
