"""Filters as expressions: they say what they should, and nothing that an id says."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podcast_scraper.errors import UsageError
from podcast_scraper.search.backend import Filters
from podcast_scraper.search.backends.milvus_expressions import code_of, expression, values_in

ids = st.lists(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1), min_size=1, max_size=3
).map(tuple)
OURS = re.compile(
    r"(show|episode|insight_type|speakers|mentions|topics|day|ad|key"
    r"|array_contains_any|in|and|false|[\[\](),]|==|>=|<=|>|-?\d+|\s)*"
)


def test_every_field_is_said() -> None:
    filters = Filters(
        shows=("a", "b"),
        persons=("p",),
        insight_types=("claim",),
        since="2024-01-01",
        until="2024-12-31",
        ads="exclude",
    )
    assert expression(filters, keys=[1, 2]) == (
        f"show in [{code_of('a')}, {code_of('b')}]"
        f" and insight_type in [{code_of('claim')}]"
        f" and array_contains_any(speakers, [{code_of('p')}])"
        " and day >= 738886 and day <= 739251 and day > 0"
        " and ad == false and key in [1, 2]"
    )


def test_nothing_asked_is_nothing_said() -> None:
    assert expression(Filters()) == ""
    assert expression(Filters(), keys=[]) == "key in []"


@given(ids, ids, ids, ids, ids, ids)
def test_no_id_leaves_its_place(
    shows: tuple[str, ...],
    episodes: tuple[str, ...],
    persons: tuple[str, ...],
    mentions: tuple[str, ...],
    topics: tuple[str, ...],
    types: tuple[str, ...],
) -> None:
    filters = Filters(shows, episodes, persons, mentions, topics, types)
    said = expression(filters)
    assert OURS.fullmatch(said)
    assert said.count("[") == 6
    assert len(re.findall(r"\d+", said)) == values_in(filters)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_codes_are_positive_and_fit_64_bits(value: str) -> None:
    assert 0 < code_of(value) < 2**63


def test_a_day_that_is_none_is_refused() -> None:
    with pytest.raises(UsageError, match="YYYY-MM-DD"):
        expression(Filters(since="2024-01-01 or 1 == 1"))
