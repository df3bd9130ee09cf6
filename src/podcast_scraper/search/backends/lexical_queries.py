"""The fields of the lexical index, and queries over them."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any, Final

import tantivy

from podcast_scraper.errors import UsageError
from podcast_scraper.search.analysis import exact_terms, normal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from podcast_scraper.search.analysis import QueryTerms
    from podcast_scraper.search.backend import Filters, Tier
    from podcast_scraper.search.documents import Document

# Of 0, 0.1, 0.25, 0.5 and 1 the best nDCG@10 on the mean of five judged sets: 1 to 14 % over stems
# alone on four of them, 1 % under on the fifth (`benchmarks/exact_weight.py`).
EXACT_WEIGHT: Final = 0.5
CONTEXT_WEIGHT: Final = 0.4

MUST, SHOULD, MUST_NOT = tantivy.Occur.Must, tantivy.Occur.Should, tantivy.Occur.MustNot

_SETS: Final = {
    "shows": "show",
    "episodes": "episode",
    "persons": "speaker",
    "mentions": "mention",
    "topics": "topic",
    "insight_types": "insight_type",
}


class QueryBuilder:
    """Composes tantivy queries for one index; no query text is ever parsed by tantivy."""

    def __init__(self, fields: Any) -> None:
        self._schema = fields

    def scored(self, terms: QueryTerms, filters: Filters, tier: Tier) -> Any:
        """Return the query that ranks what the filters allow by BM25."""
        scoring = tantivy.Query.boolean_query(
            [(SHOULD, clause) for _, clause in self.clauses(terms)]
        )
        restrictions = self.restrictions(filters, tier)
        if not restrictions:
            return scoring
        return tantivy.Query.boolean_query([(MUST, scoring), *restrictions])

    def clauses(self, terms: QueryTerms) -> Iterator[tuple[str, Any]]:
        """Yield the scored clauses with their names."""
        for stem in terms.stems:
            yield f"stem:{stem}", self._term("stem", stem)
            context = self._term("context", stem)
            yield f"context:{stem}", tantivy.Query.boost_query(context, CONTEXT_WEIGHT)
        # Exact forms nudge where stems match too; alone, they are all there is.
        weight = EXACT_WEIGHT if terms.stems else 1.0
        for word in terms.exact:
            clause = self._term("exact", word)
            yield f"exact:{word}", tantivy.Query.boost_query(clause, weight)
        for pair in terms.pairs:
            yield f"exact:{''.join(pair)}", self._sequence(pair)

    def restrictions(self, filters: Filters, tier: Tier) -> list[tuple[Any, Any]]:
        """Return what a document must and must not match; these clauses score nothing."""
        clauses: list[tuple[Any, Any]] = []
        if tier != "all":
            clauses.append((MUST, unscored(self._term("tier", tier))))
        for name, field in _SETS.items():
            values = getattr(filters, name)
            if values:
                found = tantivy.Query.term_set_query(self._schema, field, list(values))
                clauses.append((MUST, unscored(found)))
        if filters.since is not None or filters.until is not None:
            clauses.append((MUST, unscored(self._between(filters.since, filters.until))))
        if filters.ads == "exclude":
            clauses.append((MUST_NOT, self._term("kind", "ad")))
        for phrase in filters.phrases:
            if (query := self.phrase(phrase, described=True)) is not None:
                clauses.append((MUST, unscored(query)))
        for phrase in filters.excluded:
            if (query := self.phrase(phrase, described=False)) is not None:
                clauses.append((MUST_NOT, query))
        return clauses

    def phrase(self, text: str, *, described: bool) -> Any | None:
        """Return the query for consecutive words, said (or ``described``); None without words."""
        words = exact_terms(text)
        if not words:
            return None
        if not described:
            return self._sequence(words)
        places = [(SHOULD, self._sequence(words, field)) for field in ("exact", "described")]
        return tantivy.Query.boolean_query(places)

    def _term(self, field: str, value: str) -> Any:
        return tantivy.Query.term_query(self._schema, field, value, "freq")

    def _sequence(self, words: Sequence[str], field: str = "exact") -> Any:
        if len(words) == 1:
            return self._term(field, words[0])
        return tantivy.Query.phrase_query(self._schema, field, list(words))

    def _between(self, since: str | None, until: str | None) -> Any:
        return tantivy.Query.range_query(
            self._schema,
            "day",
            tantivy.FieldType.Integer,
            day_number(since) if since is not None else None,
            day_number(until) if until is not None else None,
        )


def day_number(day: str) -> int:
    """Return a day (``YYYY-MM-DD``) as a count of days since 0001-01-01; UsageError otherwise."""
    try:
        return datetime.date.fromisoformat(day).toordinal()
    except (TypeError, ValueError) as error:
        raise UsageError(
            f"{day!r} is not a day.", mend="Write days as YYYY-MM-DD.", subject=day
        ) from error


def schema() -> Any:
    """Return the fields of the index."""
    builder = tantivy.SchemaBuilder()
    # Signed: a delete by the value of an unsigned field silently removes nothing (tantivy 0.27).
    builder.add_integer_field("key", indexed=True, fast=True)
    builder.add_text_field("stem", tokenizer_name="stem", index_option="freq")
    builder.add_text_field("exact", tokenizer_name="exact", index_option="position")
    builder.add_text_field("context", tokenizer_name="stem", index_option="freq")
    builder.add_text_field("described", tokenizer_name="exact", index_option="position")
    builder.add_integer_field("day", indexed=True, fast=True)
    for field in ("tier", "kind", *_SETS.values()):
        builder.add_text_field(field, tokenizer_name="raw", index_option="basic")
    return builder.build()


def indexed(fields_of: Any, key: int, document: Document) -> Any:
    """Return a document in the form that tantivy takes; nothing of it is stored."""
    fields: dict[str, Any] = {
        "key": key,
        "tier": document.tier,
        "kind": document.kind,
        "show": document.show_id,
        "episode": document.episode_id,
        "speaker": list(document.speakers),
        "mention": list(document.mentions),
        "topic": list(document.topics),
    }
    text = normal(document.text)
    fields |= {"stem": text, "exact": text}
    if document.context:
        context = normal(document.context)
        fields |= {"context": context, "described": context}
    if document.insight_type is not None:
        fields["insight_type"] = document.insight_type
    if document.published is not None:
        fields["day"] = day_number(document.published)
    return tantivy.Document.from_dict(fields, fields_of)


def unscored(query: Any) -> Any:
    """Return a query that restricts and adds nothing to a score."""
    return tantivy.Query.const_score_query(query, 0.0)


def all_of(clauses: Sequence[tuple[Any, Any]]) -> Any:
    """Return the query for every document that satisfies the clauses."""
    # tantivy answers a query of exclusions alone with nothing.
    return tantivy.Query.boolean_query([(MUST, tantivy.Query.all_query()), *clauses])
