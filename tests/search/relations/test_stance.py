"""Stances counted by hand."""

from __future__ import annotations

import pytest

from podcast_scraper.search.relations.stance import Statement, agreeing, opposed


@pytest.mark.parametrize(
    ("text", "stance"),
    [
        ("Rents should be frozen.", 1),
        ("Rents should not be frozen.", 0),
        ("It is useless and nobody gains.", -1),
        ("They don't help", 0),
        ("Nothing of the kind.", -1),
        ("", 0),
        ("shoulder blades", 0),
    ],
)
def test_stance_is_words_for_minus_words_against(text: str, stance: int) -> None:
    assert Statement.of(text, "rents").stance == stance


def test_the_topics_own_words_are_not_shared() -> None:
    assert Statement.of("A rent freeze protects tenants.", "Rent freeze").stems == {
        "protect",
        "tenant",
    }


def test_candidates_need_shared_words_and_sides() -> None:
    good = Statement(1, frozenset({"wall", "quay"}))
    bad = Statement(-2, frozenset({"quay", "wall"}))
    elsewhere = Statement(-2, frozenset({"marsh"}))
    neutral = Statement(0, frozenset({"quay", "wall"}))
    assert opposed(good, bad)
    assert not opposed(good, elsewhere)
    assert not opposed(neutral, bad)
    assert agreeing(neutral, bad)
    assert not agreeing(good, bad)
    assert not agreeing(good, Statement(1, frozenset({"quay"})))
