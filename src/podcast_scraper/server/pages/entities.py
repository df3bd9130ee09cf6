"""People, organisations, topics and shows: lists, and a page for each."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from flask import Blueprint, redirect, render_template, request

from podcast_scraper.search.relational_queries import QUERIES, Profile
from podcast_scraper.server.links import entity_path
from podcast_scraper.server.listing import entity_page, find_entity, find_show
from podcast_scraper.server.parameters import integer, refuse_unknown
from podcast_scraper.server.views.charts import arc_of, months_of, timeline_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from werkzeug.wrappers import Response

    from podcast_scraper.corpus import Corpus
    from podcast_scraper.identity.registry import RegistryEntry
    from podcast_scraper.search.relational_queries import RelatedNode
    from podcast_scraper.search.results import Hit

ROWS = 30
MANY = 1_000
# With fewer insights than this a page also shows where the name falls in the transcripts.
FEW = 4
PASSAGES = 8

_KINDS = {
    "people": ("person", "People"),
    "organisations": ("org", "Organisations"),
    "topics": ("topic", "Topics"),
}


def create_blueprint(corpus: Corpus) -> Blueprint:
    """Return the pages of entities and shows."""
    blueprint = Blueprint("entities", __name__)
    pages = _EntityPages(corpus)
    for rule, view in (
        ("/people", pages.people),
        ("/people/<entity_id>", pages.person),
        ("/people/<entity_id>/arc/<topic_id>", pages.arc),
        ("/organisations", pages.organisations),
        ("/organisations/<entity_id>", pages.organisation),
        ("/topics", pages.topics),
        ("/topics/<entity_id>", pages.topic),
        ("/shows", pages.shows),
        ("/shows/<entity_id>", pages.show),
    ):
        blueprint.add_url_rule(rule, view.__name__, view, methods=["GET"])
    return blueprint


class _EntityPages:
    """The views over one corpus."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    def _listing(self, kind: str) -> str:
        refuse_unknown(request.args, ("q", "page"))
        page = integer(request.args, "page", 1, low=1, high=10_000)
        entity_type, title = _KINDS[kind]
        return render_template(
            "entities.html",
            title=title,
            kind=kind,
            page=page,
            listed=entity_page(self._corpus, entity_type, request.args.get("q", ""), page),
        )

    def people(self) -> str:
        return self._listing("people")

    def organisations(self) -> str:
        return self._listing("organisations")

    def topics(self) -> str:
        return self._listing("topics")

    def person(self, entity_id: str) -> str | Response:
        refuse_unknown(request.args, ("page", "q"))
        entity = find_entity(self._corpus, entity_id, "person")
        if entity.id != entity_id:
            return redirect(entity_path(entity.id))
        page = integer(request.args, "page", 1, low=1, high=10_000)
        known = self._corpus.relational.profile(entity.id, k=ROWS)
        assert isinstance(known, Profile)
        positions = self._corpus.relational.run(
            "positions",
            entity.id,
            k=ROWS,
            offset=(page - 1) * ROWS,
            q=request.args.get("q") or None,
        )
        assert not isinstance(positions, Profile)
        about = self._corpus.relational.insights_about(entity.id, k=10)
        return render_template(
            "person.html",
            entity=entity,
            profile=known,
            positions=positions,
            about=about,
            spoken=self._spoken(entity, positions.total + about.total),
            page=page,
            pages=-(-positions.total // ROWS),
            timeline=timeline_of(known.timeline),
            **_places(self._corpus, [*positions, *about]),
        )

    def arc(self, entity_id: str, topic_id: str) -> str:
        refuse_unknown(request.args, ())
        who, topic = (
            find_entity(self._corpus, entity_id, "person"),
            find_entity(self._corpus, topic_id, "topic"),
        )
        rows = self._corpus.relational.position_arc(who.id, topic.id, k=MANY)
        episodes = [
            list(group) for _, group in groupby(enumerate(rows, 1), key=lambda r: r[1].episode_id)
        ]
        return render_template(
            "arc.html",
            person=who,
            topic=topic,
            rows=rows,
            episodes=episodes,
            arc=arc_of(rows),
            **_places(self._corpus, rows),
        )

    def organisation(self, entity_id: str) -> str | Response:
        refuse_unknown(request.args, ())
        entity = find_entity(self._corpus, entity_id, "org")
        if entity.id != entity_id:
            return redirect(entity_path(entity.id))
        about = self._corpus.relational.insights_about(entity.id, k=ROWS)
        trace = self._corpus.relational.trace(entity.id, k=MANY)
        return render_template(
            "organisation.html",
            entity=entity,
            about=about,
            spoken=self._spoken(entity, about.total),
            trace=trace,
            timeline=timeline_of(months_of(trace)),
            **_places(self._corpus, about),
        )

    def topic(self, entity_id: str) -> str | Response:
        refuse_unknown(request.args, ())
        entity = find_entity(self._corpus, entity_id, "topic")
        if entity.id != entity_id:
            return redirect(entity_path(entity.id))
        run = self._corpus.relational
        trace = run.trace(entity.id, k=MANY)
        said = run.who_said(entity.id, k=200)
        across = run.cross_show_synthesis(entity.id, k=12)
        tensions = run.tensions(entity.id, k=6) if "tensions" in QUERIES else ()
        return render_template(
            "topic.html",
            entity=entity,
            trace=trace,
            spread=[row for row in trace if row.details["new_speakers"]],
            timeline=timeline_of(months_of(trace)),
            said=[(group, list(rows)) for group, rows in groupby(said, key=lambda row: row.group)],
            said_total=said.total,
            spoken=self._spoken(entity, said.total),
            across=across,
            tensions=tensions,
            related=run.related_topics(entity.id, k=16),
            mentioned=run.entities_in_topic(entity.id, k=16),
            **_places(self._corpus, [*said, *across, *_sides(tensions)]),
        )

    def shows(self) -> str:
        refuse_unknown(request.args, ())
        return render_template("shows.html", shows=self._corpus.catalog.shows())

    def show(self, entity_id: str) -> str:
        refuse_unknown(request.args, ())
        found = find_show(self._corpus, entity_id)
        episodes = list(self._corpus.catalog.episodes(show_id=found.id).values())
        here = [e for e in self._corpus.index.resolver.registry if found.id in e.shows]
        ids = {e.id for e in episodes}
        here.sort(key=lambda e: (-len(e.episodes & ids), e.name))
        months = sorted({e.date[:7] for e in episodes if e.date})
        counts = [(m, sum((e.date or "")[:7] == m for e in episodes), 0) for m in months]
        return render_template(
            "show.html",
            show=found,
            episodes=episodes,
            people=[(e, len(e.episodes & ids)) for e in here if e.type == "person"][:16],
            topics=[(e, len(e.episodes & ids)) for e in here if e.type == "topic"][:16],
            timeline=timeline_of(counts),
            months=counts,
        )

    def _spoken(self, entity: RegistryEntry, insights: int) -> Sequence[Hit]:
        """Return passages in which the name falls, where there are few insights to show."""
        words = entity.name.replace('"', " ").strip()
        if insights >= FEW or not words:
            return ()
        # A name may read like an operator of the query language; between quotes it is a phrase.
        return self._corpus.search(f'"{words}"', k=PASSAGES, tier="segment", graph="off").hits


def _sides(tensions: Iterable[RelatedNode]) -> list[RelatedNode]:
    return [side for row in tensions if row.pair is not None for side in row.pair]


def _places(corpus: Corpus, rows: Iterable[RelatedNode]) -> dict[str, Any]:
    """Return what rows need of their episodes: duration, and the audio that plays them."""
    ids = {row.episode_id for row in rows if row.episode_id}
    found = corpus.catalog.episodes(ids)
    return {"episodes_of": found, "media_of": {k: corpus.media_url(e) for k, e in found.items()}}
