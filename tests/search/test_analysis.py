"""The analyzer: forms, equality with tantivy's index, and highlights in code points."""

from __future__ import annotations

import itertools
import unicodedata
from concurrent.futures import ThreadPoolExecutor

import pytest
import tantivy
from hypothesis import given, settings
from hypothesis import strategies as st

from podcast_scraper.search.analysis import (
    QueryTerms,
    analyze,
    analyze_prose,
    exact_analyzer,
    exact_terms,
    highlight,
    normal,
    query_terms,
    stem_analyzer,
)

ACUTE = "\N{COMBINING ACUTE ACCENT}"


@pytest.mark.parametrize(
    ("text", "stems"),
    [
        ("Running runners ran", ["run", "runner", "ran"]),
        ("What did they say about organizations?", ["say", "organiz"]),
        ("Ann's naïve CAFÉ, cafe" + ACUTE, ["ann", "naiv", "cafe", "cafe"]),
        ("don't it's we’re Don", ["don"]),
        ("GPT-4 in 2023: $1,000", ["gpt", "4", "2023", "1", "000"]),
        ("İstanbul straße Ｗide", ["istanbul", "strass", "wide"]),
        ("東京 and ice", ["ice"]),
        ("", []),
    ],
)
def test_stems(text: str, stems: list[str]) -> None:
    assert analyze(text) == stems


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("To be, or not to BE", ["to", "be", "or", "not", "to", "be"]),
        ("Ann’s cafés", ["ann", "s", "cafes"]),
        ("don’t", ["don't"]),
        ("東京タワー42階", ["東", "京", "タ", "ワ", "ー", "42", "階"]),
        ("हिन्दी Ёлка", ["हिन्दी", "ёлка"]),
    ],
)
def test_exact_terms(text: str, terms: list[str]) -> None:
    assert exact_terms(text) == terms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the ferries", QueryTerms(("ferri",), ("ferries",), ())),
        ("to be", QueryTerms((), ("to", "be"), ())),
        ("ice ice", QueryTerms(("ice",), ("ice",), ())),
        ("東京の ice", QueryTerms(("ice",), ("ice",), (("東", "京"), ("京", "の")))),
        ("港 氷", QueryTerms((), (), (("港",), ("氷",)))),
        ("🙂 ?", QueryTerms((), (), ())),
    ],
)
def test_query_terms(text: str, expected: QueryTerms) -> None:
    assert query_terms(text) == expected
    assert bool(expected) == any((expected.stems, expected.exact, expected.pairs))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.sampled_from(["Ann's", "e" + ACUTE, "wild-caught", "don't", "東京", "running"])
    ).map(" ".join)
    | st.text(max_size=40)
)
def test_remembered_pieces_give_the_same_stems(text: str) -> None:
    assert list(analyze_prose(text)) == analyze(text)


@settings(max_examples=30, deadline=None)
@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=80))
def test_python_tokens_are_those_of_the_index(text: str) -> None:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("stem", tokenizer_name="stem")
    builder.add_text_field("exact", tokenizer_name="exact")
    index = tantivy.Index(builder.build())
    index.register_tokenizer("stem", stem_analyzer())
    index.register_tokenizer("exact", exact_analyzer())
    writer = index.writer(15_000_000, 1)
    writer.add_document(tantivy.Document(stem=normal(text), exact=normal(text)))
    writer.commit()
    index.reload()
    dictionary = index.searcher().terms_with_prefix
    assert {term for term, _ in dictionary("stem", "")} == set(analyze(text))
    assert {term for term, _ in dictionary("exact", "")} == set(exact_terms(text))


def test_analysis_is_the_same_from_many_threads() -> None:
    texts = [f"Ferries number {n} weren't running" for n in range(200)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(analyze, texts)) == [
            ["ferri", "number", str(n), "run"] for n in range(200)
        ]


@pytest.mark.parametrize(
    ("text", "query", "phrases", "marked"),
    [
        ("A ferry, two Ferries’ bells", "ferries", (), ["ferry", "Ferries"]),
        ("naïve 🙂 café au lait", "cafe", (), ["café"]),
        (f"🙂 cafe{ACUTE} and café", "CAFÉ", (), [f"cafe{ACUTE}", "café"]),
        ("To be or not", "the", (), []),
        ("To be or not", "be", (), ["be"]),
        ("the thin ice of ice", "cold", ("thin ice",), ["thin ice"]),
        ("the thin ice of ice", "ice", ("thin ice",), ["thin ice", "ice"]),
        ("東京の港は凍った", "港は", (), ["港は"]),
        ("東京の港は凍った", "の港は", (), ["の港は"]),
        ("nothing", "", (), []),
    ],
)
def test_highlights(text: str, query: str, phrases: tuple[str, ...], marked: list[str]) -> None:
    assert [text[start:end] for start, end in highlight(text, query, phrases)] == marked


@given(st.text(max_size=60), st.text(max_size=10))
def test_highlights_lie_in_the_text_in_order(text: str, query: str) -> None:
    text, query = (t.encode("utf-8", "replace").decode() for t in (text, query))
    ranges = highlight(text, query + " " + text[:9], (text[3:12],))
    assert all(0 <= start < end <= len(text) for start, end in ranges)
    assert all(one[1] <= other[0] for one, other in itertools.pairwise(ranges))
    if unicodedata.is_normalized("NFC", text):
        for start, end in ranges:
            assert exact_terms(text[start:end])
