"""BM25 by sparse vectors against a plain reference of the formula, and against tantivy."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podcast_scraper.search.analysis import query_terms
from podcast_scraper.search.backend import Filters
from podcast_scraper.search.backends.lexical import LexicalIndex
from podcast_scraper.search.backends.sparse_bm25 import (
    CorpusStatistics,
    DocumentTerms,
    dimension,
    document_terms,
    document_vector,
    query_vector,
    rounded_length,
    wanted_terms,
)
from podcast_scraper.search.documents import Document

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

WORDS = (
    *("ice", "harbour", "ferries", "ferry", "the", "be", "to", "or", "not", "running", "runs"),
    *("café", "batteries", "quiet", "don't", "Ann's", "1999", "港", "は", "東京", "İstanbul"),
)
QUERIES = (
    "ice harbour ferry",
    "to be or not to be",
    "港は 東京",
    "cafe running batteries",
    "don't",
    "港",
    "unknown ice",
    "Ann 1999 istanbul",
)


def means(documents: Sequence[DocumentTerms]) -> dict[str, float]:
    return {
        field: sum(terms.lengths[field] for terms in documents) / len(documents)
        for field in ("stem", "exact", "context")
    }


def scores(documents: Sequence[Document], text: str) -> dict[int, float]:
    """Rank documents by the inner product of sparse vectors, as an engine does."""
    counted = [document_terms(document) for document in documents]
    asked = query_terms(text)
    frequencies = {
        term: sum(term in one.frequencies for one in counted) for term in wanted_terms(asked)
    }
    query = query_vector(asked, CorpusStatistics(len(documents), frequencies))
    averages = means(counted)
    found = {}
    for number, terms in enumerate(counted):
        vector = document_vector(terms, averages)
        score = math.fsum(weight * vector.get(place, 0.0) for place, weight in query.items())
        if score > 0:
            found[number] = score
    return found


def documents_of(seed: int, count: int = 80) -> list[Document]:
    random = np.random.default_rng(seed)
    longest = (5, 60, 400)

    def text(most: int) -> str:
        return " ".join(random.choice(WORDS, size=random.integers(0, most)))

    return [
        Document(f"d{n}", "segment", text(longest[n % 3]), "e", "s", context=text(8))
        for n in range(count)
    ]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("text", QUERIES)
def test_ranking_and_scores_are_those_of_tantivy(seed: int, text: str, tmp_path: Path) -> None:
    documents = documents_of(seed)
    index = LexicalIndex.create(tmp_path)
    index.add(enumerate(documents))
    index.commit()
    theirs = dict(index.search(text, Filters(), "all", len(documents)))
    ours = scores(documents, text)
    assert ours == pytest.approx(theirs, rel=1e-5)
    assert ranked(ours) == ranked(theirs)


def ranked(found: Mapping[int, float]) -> list[int]:
    """Order by score, ties and what float32 cannot tell apart by number."""
    return sorted(found, key=lambda number: (-round(found[number], 4), number))


def reference(texts: Sequence[Sequence[str]], query: Sequence[str]) -> list[float]:
    """BM25 of tokenised texts, straight from the formula (Robertson and Zaragoza, 2009)."""
    k1, b = 1.2, 0.75
    average = sum(map(len, texts)) / len(texts)
    containing = Counter(word for text in texts for word in set(text))
    found = []
    for text in texts:
        score = 0.0
        for word in set(query):
            idf = math.log((len(texts) - containing[word] + 0.5) / (containing[word] + 0.5) + 1)
            tf = text.count(word)
            norm = k1 * (1 - b + b * len(text) / average) if average else k1
            score += idf * tf * (k1 + 1) / (tf + norm)
        found.append(score)
    return found


PLAIN = ("abbey", "boat", "cargo", "dune", "eagle", "fjord")  # their own stems


@settings(max_examples=60)
@given(
    st.lists(st.lists(st.sampled_from(PLAIN), max_size=40), min_size=1, max_size=8),
    st.lists(st.sampled_from((*PLAIN, "glacier")), min_size=1, max_size=5),
)
def test_scores_equal_the_reference_to_the_last(texts: list[list[str]], query: list[str]) -> None:
    """Stems and exact terms are the same here, so a score is 1.5 times that of one field."""
    documents = [
        Document(f"d{n}", "segment", " ".join(words), "e", "s") for n, words in enumerate(texts)
    ]
    ours = scores(documents, " ".join(query))
    for number, score in enumerate(reference(texts, query)):
        assert ours.get(number, 0.0) == pytest.approx(1.5 * score, rel=1e-12)


@given(st.integers(0, 10_000))
def test_short_lengths_are_exact_and_long_ones_lose_an_eighth_at_most(length: int) -> None:
    rounded = rounded_length(length)
    assert rounded <= length
    assert rounded == length if length <= 40 else length - rounded < length / 8


def test_fields_have_dimensions_of_their_own_within_32_bits() -> None:
    terms = [(field, f"w{n}") for field in ("stem", "exact", "context") for n in range(2000)]
    places = {dimension(*term) for term in terms}
    assert len(places) == len(terms)
    assert min(places) >= 1
    assert max(places) < 2**32 - 1


def test_a_document_without_words_has_a_vector_that_no_query_meets() -> None:
    terms = document_terms(Document("d", "segment", "?!", "e", "s"))
    assert document_vector(terms, {}) == {0: 1.0}
    assert query_vector(query_terms("ice"), CorpusStatistics(1, {})) == {}
