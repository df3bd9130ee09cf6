"""Words: what counts as one."""

from __future__ import annotations

import pytest

from podcast_scraper.search.rescue.words import UNICODE_WORDS, distinct_words, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What's new, Zoë?", ["what's", "new", "zoë"]),
        ("What’s new", ["what's", "new"]),
        ("cause-and-effect", ["cause", "and", "effect"]),
        ("Ｆｕｌｌ width", ["full", "width"]),
        ("Straße STRASSE", ["strasse", "strasse"]),
        ("検索 test", ["検", "索", "test"]),
        ("кошка и собака", ["кошка", "и", "собака"]),
        ("  … — !", []),
        ("", []),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_counts_and_sets_share_the_words() -> None:
    assert UNICODE_WORDS("one two two") == 3
    assert distinct_words("one two Two") == {"one", "two"}
