"""Figures by a field of the queries: what each group holds, and that groups are tested apart."""

from __future__ import annotations

import pytest

from podcast_scraper.errors import UsageError
from podcast_scraper.evaluate.groups import field_values, grouped
from podcast_scraper.evaluate.sets import SetItem

KINDS = {"q1": "tag", "q2": "tag", "q3": "speaker", "q4": "speaker"}
VALUES = {
    "base": {"P@1": {"q1": 0.0, "q2": 1.0, "q3": 0.0, "q4": 0.0}},
    "mine": {"P@1": {"q1": 0.0, "q2": 0.0, "q3": 1.0, "q4": 1.0}},
}


def test_groups_have_their_own_means_and_tests() -> None:
    groups = grouped(VALUES, KINDS, "base")
    assert list(groups) == ["speaker", "tag"]
    assert groups["speaker"].queries == 2
    assert groups["speaker"].estimates["mine"]["P@1"].mean == 1.0
    assert groups["tag"].estimates["base"]["P@1"].mean == 0.5
    (speaker,), (tag,) = groups["speaker"].comparisons, groups["tag"].comparisons
    assert (speaker.test.difference, tag.test.difference) == (1.0, -0.5)
    # Two moved queries: of the four sign flips two are as extreme.
    assert (speaker.test.p, speaker.test.exact) == (0.5, True)
    assert tag.losers == ("q2",)


def test_without_a_baseline_nothing_is_compared() -> None:
    assert grouped(VALUES, KINDS, None)["tag"].comparisons == ()


def test_a_field_is_named_with_or_without_meta() -> None:
    queries = [SetItem("q1", "one", {"kind": "tag"}), SetItem("q2", "two", {"kind": 3})]
    assert field_values(queries, "meta.kind") == field_values(queries, "kind")
    assert field_values(queries, "kind") == {"q1": "tag", "q2": "3"}
    with pytest.raises(UsageError, match=r"2 of 2 queries have no meta\.show"):
        field_values(queries, "meta.show")
