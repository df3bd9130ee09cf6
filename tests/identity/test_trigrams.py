"""Trigram neighbours against a plain computation."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from podcast_scraper.identity.trigrams import RAREST, TrigramIndex

NAMES = st.text(alphabet="abcé李 ", min_size=0, max_size=8)


def grams(name: str) -> set[str]:
    padded = f"  {name} "
    return {padded[i : i + 3] for i in range(len(padded) - 2)}


@settings(max_examples=60)
@given(st.lists(NAMES, max_size=20), NAMES)
def test_order_is_jaccard_over_trigrams(names: list[str], query: str) -> None:
    wanted = grams(query)
    assert len(wanted) <= RAREST
    overlap = {i: len(wanted & grams(n)) / len(wanted | grams(n)) for i, n in enumerate(names)}
    expected = sorted((i for i in overlap if overlap[i] > 0), key=lambda i: (-overlap[i], i))
    assert TrigramIndex(names).nearest(query) == expected


def test_nothing_in_common_is_nothing() -> None:
    assert TrigramIndex([]).nearest("abc") == []
    assert TrigramIndex(["xyz"]).nearest("") == []
    assert TrigramIndex(["aa", "ab", "ac"]).nearest("aa", limit=1) == [0]
