"""Document frequencies and lengths of a generation, kept beside its records.

Frequencies follow every change. The mean lengths that document vectors were made with stay as they
were (:meth:`StoredStatistics.freeze`): with other ones, every vector would have to be made anew.
How far the corpus has moved from them since is its :meth:`~StoredStatistics.drift`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol

import sqlalchemy as sa

from podcast_scraper.identity.slugify import bounded
from podcast_scraper.search.backends.side_tables import FIELD_LENGTHS, TERM_FREQUENCIES
from podcast_scraper.search.backends.sparse_bm25 import CorpusStatistics
from podcast_scraper.storage.listed import among, listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from podcast_scraper.search.backends.sparse_bm25 import DocumentTerms, Term

LENGTH_FIELDS: Final = ("stem", "exact", "context")
_AFTER_ALL: Final = "\U0010ffff"


class TermStatistics(Protocol):
    """What scoring and spelling ask of a generation's terms."""

    def of_terms(self, terms: Sequence[Term]) -> CorpusStatistics:
        """Return the size of the corpus and the document frequencies of these terms."""
        ...

    def average_lengths(self) -> Mapping[str, float]:
        """Return the mean number of tokens of each field that vectors are made with."""
        ...

    def terms_with_prefix(self, prefix: str, limit: int | None = None) -> list[tuple[str, int]]: ...

    def document_frequency(self, term: str, *, stem: bool = False) -> int: ...


@dataclass(slots=True)
class TermCounts:
    """The statistics of some documents, to be added to or taken from those of a corpus."""

    documents: int = 0
    frequencies: Counter[Term] = field(default_factory=Counter)
    tokens: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, documents: Iterable[DocumentTerms]) -> TermCounts:
        """Count documents."""
        counts = cls()
        for terms in documents:
            counts.documents += 1
            counts.frequencies.update(terms.frequencies.keys())
            counts.tokens.update(terms.lengths)
        return counts


class StoredStatistics:
    """:class:`TermStatistics` in two tables."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine

    def of_terms(self, terms: Sequence[Term]) -> CorpusStatistics:
        """Return the size of the corpus and the document frequencies of these terms."""
        keys = {_key(*term): term for term in terms}
        with self._engine.connect() as connection:
            documents = connection.execute(_SIZE).scalar() or 0
            rows = connection.execute(_FREQUENCIES, listed(keys)).all()
        return CorpusStatistics(documents, {keys[key]: count for key, count in rows})

    def average_lengths(self) -> Mapping[str, float]:
        """Return the frozen mean lengths; the present ones where none were frozen yet."""
        return {
            name: frozen if frozen is not None else _mean(tokens, documents)
            for name, documents, tokens, frozen in self._lengths()
        }

    def drift(self) -> float:
        """Return by how much a mean length differs from the frozen one: 0.05 is 5 %."""
        return max(
            (
                abs(_mean(tokens, documents) / frozen - 1)
                for _, documents, tokens, frozen in self._lengths()
                if frozen
            ),
            default=0.0,
        )

    def freeze(self, connection: sa.Connection) -> None:
        """Let vectors be made with the present mean lengths."""
        for name, documents, tokens, _ in connection.execute(sa.select(FIELD_LENGTHS)).all():
            statement = sa.update(FIELD_LENGTHS).where(FIELD_LENGTHS.c.field == name)
            connection.execute(statement.values(average=_mean(tokens, documents)))

    @property
    def frozen(self) -> bool:
        """Whether vectors have been made."""
        return any(row[3] is not None for row in self._lengths())

    def add(self, connection: sa.Connection, counts: TermCounts) -> None:
        """Add the statistics of new documents, in the transaction that writes them."""
        self._change(connection, counts, 1)

    def remove(self, connection: sa.Connection, counts: TermCounts) -> None:
        """Take away the statistics of documents that go."""
        self._change(connection, counts, -1)

    def terms_with_prefix(self, prefix: str, limit: int | None = None) -> list[tuple[str, int]]:
        """Return exact terms that begin with ``prefix``, the most frequent first."""
        start = _key("exact", prefix)
        values = {"start": start, "stop": start + _AFTER_ALL}
        with self._engine.connect() as connection:
            rows = connection.execute(_PREFIX.limit(limit), values).all()
        return [(term.partition(":")[2], count) for term, count in rows]

    def document_frequency(self, term: str, *, stem: bool = False) -> int:
        """Return in how many documents an exact term, or a stem, occurs."""
        key = ("stem" if stem else "exact", term)
        return self.of_terms([key]).frequencies.get(key, 0)

    def _lengths(self) -> list[tuple[str, int, int, float | None]]:
        with self._engine.connect() as connection:
            rows = connection.execute(sa.select(FIELD_LENGTHS)).all()
        return [(row[0], row[1], row[2], row[3]) for row in rows]

    @staticmethod
    def _change(connection: sa.Connection, counts: TermCounts, sign: int) -> None:
        if not counts.documents:
            return
        lengths = [
            {"field": name, "documents": sign * counts.documents, "tokens": sign * tokens}
            for name in LENGTH_FIELDS
            for tokens in (counts.tokens[name],)
        ]
        _accumulate(connection, FIELD_LENGTHS, lengths)
        # In one order always: two writers then wait for each other instead of dead-locking.
        rows = [
            {"term": _key(*term), "documents": sign * count}
            for term, count in sorted(counts.frequencies.items())
        ]
        _accumulate(connection, TERM_FREQUENCIES, rows)


def _accumulate(
    connection: sa.Connection, table: sa.Table, rows: Sequence[Mapping[str, object]]
) -> None:
    """Insert rows, adding their numbers to those of rows that have the same key."""
    from sqlalchemy.dialects import postgresql, sqlite

    if not rows:
        return
    insert = (postgresql if connection.dialect.name == "postgresql" else sqlite).insert(table)
    (key,) = table.primary_key
    sums = {name: table.c[name] + insert.excluded[name] for name in rows[0] if name != key.name}
    connection.execute(insert.on_conflict_do_update(index_elements=[key], set_=sums), rows)


def _key(name: str, term: str) -> str:
    return bounded(f"{name}:{term}")


def _mean(tokens: int, documents: int) -> float:
    return tokens / documents if documents else 0.0


_SIZE: Final = sa.select(sa.func.max(FIELD_LENGTHS.c.documents))
_FREQUENCIES: Final = sa.select(TERM_FREQUENCIES.c.term, TERM_FREQUENCIES.c.documents).where(
    among(TERM_FREQUENCIES.c.term), TERM_FREQUENCIES.c.documents > 0
)
_PREFIX: Final = (
    sa.select(TERM_FREQUENCIES.c.term, TERM_FREQUENCIES.c.documents)
    .where(
        TERM_FREQUENCIES.c.term >= sa.bindparam("start"),
        TERM_FREQUENCIES.c.term < sa.bindparam("stop"),
        TERM_FREQUENCIES.c.documents > 0,
    )
    .order_by(TERM_FREQUENCIES.c.documents.desc(), TERM_FREQUENCIES.c.term)
)
