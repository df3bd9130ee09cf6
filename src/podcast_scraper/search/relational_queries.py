"""The relational layer (RFC-094): who said what, about what, with whom, and how it changed.

Every query is read-only, bounded by ``k``, deterministic and paged by ``offset``; every row carries
its provenance. An unknown id gives an empty result with suggestions, an id of the wrong type an
empty one with a note. A ``scorer`` (ids → relevance) re-orders rows without dropping any.

``QUERIES`` names them for the command line and the HTTP API; :func:`run` calls one by name.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from podcast_scraper.errors import UsageError
from podcast_scraper.search.relations.entities import (
    co_speakers,
    entities_in,
    entities_in_topic,
    related_topics,
    shared_topics,
    topics_of,
    topics_of_insight,
)
from podcast_scraper.search.relations.insights import (
    cross_show_synthesis,
    episode_related_insights,
    episodes_of,
    insight_detail,
    insights_about,
    positions_of,
    related_insights,
    who_said,
)
from podcast_scraper.search.relations.narrative import Profile, position_arc, profile, trace
from podcast_scraper.search.relations.paging import page
from podcast_scraper.search.relations.pairs import agreements, tensions
from podcast_scraper.search.relations.rows import (
    Named,
    RelatedNode,
    RelatedQuote,
    Relation,
    Speaker,
    named_to_json,
    row_to_json,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from podcast_scraper.search.corpus_graph import CorpusGraph
    from podcast_scraper.search.relations.paging import Scorer

__all__ = [
    "QUERIES",
    "Named",
    "Profile",
    "RelatedNode",
    "RelatedQuote",
    "Relation",
    "Speaker",
    "agreements",
    "co_speakers",
    "cross_show_synthesis",
    "entities_in",
    "entities_in_topic",
    "episode_related_insights",
    "episodes_of",
    "insight_detail",
    "insights_about",
    "position_arc",
    "positions_of",
    "profile",
    "related_insights",
    "related_topics",
    "run",
    "shared_topics",
    "tensions",
    "to_json",
    "topics_of",
    "topics_of_insight",
    "trace",
    "who_said",
]


@dataclass(frozen=True, slots=True)
class Query:
    """A query by its public name. ``subject`` says which id it takes, ``other`` the second one."""

    name: str
    function: Callable[..., Relation | Profile]
    subject: str
    other: str | None = None

    @property
    def help(self) -> str:
        """The first sentence of the function's documentation."""
        return (inspect.getdoc(self.function) or "").partition("\n")[0]


_ALL: Final = (
    Query("positions", positions_of, "person"),
    Query("who-said", who_said, "topic"),
    Query("insights-about", insights_about, "person, org or topic"),
    Query("entities-in", entities_in, "insight"),
    Query("topic-entities", entities_in_topic, "topic"),
    Query("episodes", episodes_of, "podcast"),
    Query("topics", topics_of, "person"),
    Query("insight-topics", topics_of_insight, "insight"),
    Query("co-speakers", co_speakers, "person"),
    Query("shared-topics", shared_topics, "person", "person"),
    Query("related-topics", related_topics, "topic"),
    Query("related-insights", related_insights, "insight"),
    Query("episode-insights", episode_related_insights, "episode"),
    Query("cross-show", cross_show_synthesis, "topic"),
    Query("insight-detail", insight_detail, "insight"),
    Query("position-arc", position_arc, "person", "topic"),
    Query("trace", trace, "topic, person or org"),
    Query("tensions", tensions, "topic"),
    Query("agreements", agreements, "topic"),
    Query("profile", profile, "person"),
)

QUERIES: Final = {query.name: query for query in _ALL}

# The functions' own names are understood too: `positions_of`, `positions-of`, `who_said`, …
_BY_NAME: Final = {
    **{query.function.__name__.replace("_", "-"): query for query in _ALL},
    **QUERIES,
}


def find_query(name: str) -> Query:
    """Return a query by its public name or its function's. Raises UsageError."""
    query = _BY_NAME.get(name.lower().replace("_", "-"))
    if query is None:
        raise UsageError(
            f"There is no relational query {name!r}.",
            mend=f"Use one of: {', '.join(QUERIES)}.",
            subject=name,
        )
    return query


def run(
    graph: CorpusGraph,
    name: str,
    subject: str,
    *,
    other: str | None = None,
    per_show: int | None = None,
    k: int = 20,
    offset: int = 0,
    scorer: Scorer | None = None,
) -> Relation | Profile:
    """Run a query by name. Options that the query does not have are an error, not ignored.

    Raises UsageError for an unknown name, a missing or superfluous option, or a negative number.
    """
    query = find_query(name)
    page(0, k, offset)  # a bad page is a mistake whatever the id
    known = inspect.signature(query.function).parameters
    if (other is not None) != (query.other is not None):
        raise UsageError(
            f"{query.name} needs a second id ({query.other})."
            if query.other
            else f"{query.name} takes one id.",
            mend="Give it as `other`." if query.other else "Leave out `other`.",
        )
    given: dict[str, Any] = {"k": k}
    for option, value, default in (("offset", offset, 0), ("per_show", per_show, None)):
        if option in known and value is not None:
            given[option] = value
        elif value != default:
            raise UsageError(f"{query.name} has no option {option}.", subject=option)
    if "scorer" in known:
        given["scorer"] = scorer
    ids = [subject] if other is None else [subject, other]
    return query.function(graph, *ids, **given)


def to_json(graph: CorpusGraph, name: str, result: Relation | Profile) -> dict[str, Any]:
    """Return a result in the shape that ``relational --json`` and the HTTP API share."""
    relation = result.positions if isinstance(result, Profile) else result
    subject = relation.subject
    made: dict[str, Any] = {
        "query": find_query(name).name,
        "subject": None
        if subject is None
        else {**named_to_json(subject), "type": graph.node_type(subject.id)},
        "rows": [row_to_json(row) for row in relation.rows],
        "total": relation.total,
        "suggestions": [named_to_json(named) for named in relation.suggestions],
    }
    if relation.note is not None:
        made["note"] = relation.note
    if isinstance(result, Profile):
        made["profile"] = _profile_json(result)
    return made


def _profile_json(profile: Profile) -> dict[str, Any]:
    return {
        "spoke": profile.spoke,
        "mentioned": profile.mentioned,
        "shows": [{**named_to_json(show), "episodes": n} for show, n in profile.shows],
        "topics": [row_to_json(row) for row in profile.topics],
        "co_speakers": [row_to_json(row) for row in profile.co_speakers],
        "timeline": [
            {"month": month, "spoke": spoke, "mentioned": mentioned}
            for month, spoke, mentioned in profile.timeline
        ],
    }
