"""Relational queries over an open corpus: ``corpus.relational.positions_of("person:ada")``."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from podcast_scraper.errors import UsageError
from podcast_scraper.search import relational_queries as queries
from podcast_scraper.search.request import MAX_QUERY_CHARACTERS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from podcast_scraper.open_index import OpenIndex
    from podcast_scraper.search.relational_queries import Profile, Relation
    from podcast_scraper.search.relations.paging import Scorer


class Relational:
    """The relational layer bound to a corpus.

    Every function of :mod:`podcast_scraper.search.relational_queries` is an attribute without its
    ``graph`` argument; :meth:`run` calls one by its public name.
    """

    def __init__(self, index: Callable[[], OpenIndex]) -> None:
        self._index = index

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if not any(query.function.__name__ == name for query in queries.QUERIES.values()):
            raise AttributeError(f"There is no relational query {name!r}.")
        return partial(getattr(queries, name), self._index().graph)

    def run(
        self,
        name: str,
        subject: str,
        other: str | None = None,
        *,
        per_show: int | None = None,
        k: int = 20,
        offset: int = 0,
        q: str | None = None,
    ) -> Relation | Profile:
        """Run a query by name; a query text ``q`` re-orders its rows by hybrid relevance."""
        index = self._index()
        return queries.run(
            index.graph,
            name,
            subject,
            other=other,
            per_show=per_show,
            k=k,
            offset=offset,
            scorer=relevance(index, q) if q else None,
        )

    def to_json(self, name: str, result: Relation | Profile) -> dict[str, Any]:
        """Return a result in the shape that the command line and the HTTP API share."""
        return queries.to_json(self._index().graph, name, result)


def relevance(index: OpenIndex, text: str) -> Scorer:
    """Return a scorer by hybrid retrieval; what retrieval does not return has no score.

    Raises UsageError for a text of more than 10 000 characters.
    """
    if len(text) > MAX_QUERY_CHARACTERS:
        raise UsageError(
            f"q has {len(text)} characters.", mend=f"Shorten it to {MAX_QUERY_CHARACTERS}."
        )

    def scores(ids: Sequence[str]) -> dict[str, float]:
        embedding, _ = index.embed(text)
        found = index.layer.run(text, embedding, tier="insight")
        wanted = set(ids)
        return {hit.doc_id: hit.score for hit in found.base if hit.doc_id in wanted}

    return scores
