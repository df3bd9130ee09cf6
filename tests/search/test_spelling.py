"""Completions and corrections over a small dictionary."""

from __future__ import annotations

import pytest

from podcast_scraper.search.spelling import complete, corrected_query, did_you_mean

FREQUENCIES = {
    "ferries": 9,
    "ferry": 4,
    "fermentation": 3,
    "ferment": 1,
    "for": 50,
    "harbour": 7,
    "harbor": 1,
    "master": 2,
    "the": 90,
    "cafe": 3,
}
STEMS = {"ferri", "ferment", "harbour", "harbor", "master", "cafe"}


class Terms:
    def terms_with_prefix(self, prefix: str, limit: int | None = None) -> list[tuple[str, int]]:
        found = [(term, n) for term, n in FREQUENCIES.items() if term.startswith(prefix)]
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))[:limit]

    def document_frequency(self, term: str, *, stem: bool = False) -> int:
        return int(term in STEMS) if stem else FREQUENCIES.get(term, 0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fer", ["ferries", "ferry", "fermentation", "ferment"]),
        ("Old Harbour FERM", ["Old Harbour fermentation", "Old Harbour ferment"]),
        ("f", ["ferries", "ferry", "fermentation", "ferment"]),
        ("ferries ", []),
        ("ferries,", []),
        ("zzz", []),
        ("", []),
        ("Caf", ["cafe"]),
    ],
)
def test_completions(text: str, expected: list[str]) -> None:
    assert complete(Terms(), text, 8) == expected
    assert complete(Terms(), text, 1) == expected[:1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("harbuor", "harbour"),
        ("The Harbous, mastre!", "The harbour, master!"),
        ("fermenttaion", "fermentation"),
        ("fremenattion", "fermentation"),
        ("eferries", "ferries"),
        ("harbour master", None),
        ("ferried", None),
        ("fery", "ferry"),
        ("xqzw 1234 the", None),
        ("", None),
        ("🙂", None),
    ],
)
def test_corrections(text: str, expected: str | None) -> None:
    assert did_you_mean(Terms(), text) == expected


def test_a_corrected_query_keeps_its_fields_and_quotes() -> None:
    typed = 'speaker:ida "harbor mastr" -ice mastr'
    assert (
        corrected_query(typed, "harbor mastr mastr", "harbor master master")
        == 'speaker:ida "harbor master" -ice master'
    )
    assert corrected_query(typed, "harbor", None) is None
    known = {"mastr"}.__contains__
    assert corrected_query("fery mastr", "fery mastr", "ferry master", known) == "ferry mastr"
    assert corrected_query("mastr", "mastr", "master", known) is None
