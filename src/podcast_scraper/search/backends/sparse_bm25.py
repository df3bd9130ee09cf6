"""BM25 as an inner product of sparse vectors, scored as the embedded lexical engine scores.

An engine that computes BM25 itself counts document frequencies where its rows lie, so the ranking
changes with the number of its shards. Here a document's vector holds what its own words contribute,
``tf (k1 + 1) / (tf + k1 (1 - b + b dl / avgdl))``, a query's vector the inverse document
frequencies, ``ln(1 + (N - df + 0.5) / (df + 0.5))``: their inner product is BM25 (Robertson and
Zaragoza, 2009; Lin et al., arXiv:2106.14807, on BM25 as sparse vectors), whichever machine
multiplies. ``N``, ``df`` and ``avgdl`` come from :mod:`.term_statistics`.

Fields, weights and the rounding of lengths are those of :mod:`.lexical_queries` and tantivy, so a
corpus keeps its ranking when it moves from one engine to the other.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import math
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from podcast_scraper.search.analysis import analyze, exact_terms, neighbour_pairs
from podcast_scraper.search.backends.lexical_queries import CONTEXT_WEIGHT, EXACT_WEIGHT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from podcast_scraper.search.analysis import QueryTerms
    from podcast_scraper.search.documents import Document

K1: Final = 1.2
B: Final = 0.75

# Pairs are found in the exact form, and are as long as it.
_LENGTH_OF: Final = {"pair": "exact"}
_PAIR_JOINT: Final = " "

# A vector may not be empty (Milvus refuses it); no term has this dimension.
NOTHING: Final = 0
_DIMENSIONS: Final = 2**32 - 3

MOST_TEXT: Final = 65_535  # characters that Milvus takes in one field
_CODE_LENGTH: Final = 10  # with the space after it

Term = tuple[str, str]
"""A field and a term in it."""


@dataclass(frozen=True, slots=True)
class DocumentTerms:
    """The terms of one document: how often each occurs, and the number of tokens of each field."""

    frequencies: Mapping[Term, int]
    lengths: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class CorpusStatistics:
    """What a query needs to know of a corpus: its size, and the df of the query's terms."""

    documents: int
    frequencies: Mapping[Term, int]

    def idf(self, term: Term) -> float:
        """Return the inverse document frequency of a term; above 0 for every term."""
        frequency = self.frequencies.get(term, 0)
        return math.log(1 + (self.documents - frequency + 0.5) / (frequency + 0.5))


def document_terms(document: Document) -> DocumentTerms:
    """Count the terms of a document."""
    by_field = {
        "stem": analyze(document.text),
        "exact": exact_terms(document.text),
        "context": analyze(document.context),
    }
    frequencies = Counter((field, term) for field, terms in by_field.items() for term in terms)
    frequencies.update(("pair", _PAIR_JOINT.join(pair)) for pair in neighbour_pairs(document.text))
    return DocumentTerms(frequencies, {field: len(terms) for field, terms in by_field.items()})


def document_vector(terms: DocumentTerms, average_lengths: Mapping[str, float]) -> dict[int, float]:
    """Return dimension → saturated frequency; never empty."""
    damping = {
        field: K1 * (1 - B + B * rounded_length(length) / (average_lengths.get(field) or 1.0))
        for field, length in terms.lengths.items()
    }
    vector: dict[int, float] = {}
    for (field, term), frequency in terms.frequencies.items():
        place = dimension(field, term)
        value = frequency * (K1 + 1) / (frequency + damping[_LENGTH_OF.get(field, field)])
        vector[place] = max(value, vector.get(place, 0.0))
    return vector or {NOTHING: 1.0}


def document_text(terms: DocumentTerms) -> str:
    """Return what an engine that computes BM25 itself is given: each term as often as it occurs.

    Where that does not fit into one field, repetitions are left out first.
    """
    codes = {_code(dimension(*term)): count for term, count in terms.frequencies.items()}
    again = (code for code, count in codes.items() for _ in range(count - 1))
    return " ".join(itertools.islice(itertools.chain(codes, again), MOST_TEXT // _CODE_LENGTH))


def query_text(vector: Mapping[int, float]) -> str:
    """Return the terms of a query vector as such an engine takes them; it has its own weights."""
    return " ".join(map(_code, vector))


def _code(place: int) -> str:
    return f"t{place:08x}"


def wanted_terms(terms: QueryTerms) -> list[Term]:
    """Return the terms whose document frequencies :func:`query_vector` needs."""
    return list(dict.fromkeys(term for term, _, parts in _clauses(terms) for term in parts))


def query_vector(terms: QueryTerms, statistics: CorpusStatistics) -> dict[int, float]:
    """Return dimension → weighted idf; empty where no document holds a term of the query."""
    vector: dict[int, float] = {}
    for term, weight, parts in _clauses(terms):
        # A pair scores as a phrase does: with the idf of both its words.
        idf = sum(statistics.idf(part) for part in parts)
        if all(statistics.frequencies.get(part) for part in parts):
            place = dimension(*term)
            vector[place] = vector.get(place, 0.0) + weight * idf
    return vector


def shares(
    terms: QueryTerms,
    statistics: CorpusStatistics,
    document: DocumentTerms,
    average_lengths: Mapping[str, float],
) -> dict[str, float]:
    """Return what each term of a query adds to the score of a document, where it adds anything.

    Terms are named as the embedded engine names them: ``stem:term``, ``context:…``, ``exact:…``.
    """
    vector = document_vector(document, average_lengths)
    found: dict[str, float] = {}
    for (field, term), weight, parts in _clauses(terms):
        if (field, term) in document.frequencies:
            idf = sum(statistics.idf(part) for part in parts)
            name = f"{_LENGTH_OF.get(field, field)}:{term.replace(_PAIR_JOINT, '')}"
            found[name] = weight * idf * vector[dimension(field, term)]
    return found


def _clauses(terms: QueryTerms) -> Iterable[tuple[Term, float, tuple[Term, ...]]]:
    """Yield each scored term with its weight and the terms that make its idf."""
    for stem in terms.stems:
        yield ("stem", stem), 1.0, (("stem", stem),)
        yield ("context", stem), CONTEXT_WEIGHT, (("context", stem),)
    for word in terms.exact:
        yield ("exact", word), EXACT_WEIGHT if terms.stems else 1.0, (("exact", word),)
    for pair in terms.pairs:
        parts = tuple(("exact", one) for one in pair)
        if len(pair) == 1:
            yield parts[0], 1.0, parts
        else:
            yield ("pair", _PAIR_JOINT.join(pair)), 1.0, parts


@functools.lru_cache(maxsize=1 << 17)
def dimension(field: str, term: str) -> int:
    """Return the dimension of a term, from 1 to 2³² - 3: a hash, so that no one hands out ids.

    Of ten million terms about one in 400 shares its dimension with another.
    """
    digest = hashlib.blake2b(f"{field}\0{term}".encode(), digest_size=8).digest()
    return 1 + int.from_bytes(digest, "little") % _DIMENSIONS


def _length(code: int) -> int:
    """Return the length that tantivy and Lucene mean by one byte: exact to 40, then 3 bits."""
    exponent, mantissa = divmod(code - 24, 8)
    if exponent < 1:
        return code
    return 24 + ((8 + mantissa) << (exponent - 1))


_KNOWN_LENGTHS: Final = tuple(_length(code) for code in range(256))


def rounded_length(length: int) -> int:
    """Return the largest length of tantivy's one-byte scale that is not above ``length``."""
    return _KNOWN_LENGTHS[bisect_right(_KNOWN_LENGTHS, length) - 1]
