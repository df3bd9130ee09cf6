"""Chain of evidence: hand-computed gains and the fill of the base."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podcast_scraper.errors import ConfigurationError
from podcast_scraper.search.rescue import coe
from podcast_scraper.search.rescue.records import Candidate, HyperedgeSignal, HypergraphSignals

if TYPE_CHECKING:
    import random


def rescued(name: str, text: str) -> Candidate:
    return Candidate(name, None, text, {"rescued": True})


def hyperedge(name: str, nodes: str, *documents: str) -> HyperedgeSignal:
    return HyperedgeSignal(name, tuple(nodes), 1.0, documents)


BASE = [
    Candidate("b1", 1.0, "one two three four"),
    Candidate("b2", 0.5, "five six seven eight nine ten"),
    Candidate("b3", 0.4, "eleven twelve"),
]


def ids(packed: coe.Packed) -> list[str]:
    return [one.id for one in packed.candidates]


def test_gains_by_hand() -> None:
    union = [
        *BASE,
        rescued("r1", "aa bb cc dd"),
        rescued("r2", "ee ff gg hh"),
        rescued("r3", "aa bb cc ii"),
    ]
    signals = HypergraphSignals(
        {"p": 1.0, "q": 0.5},
        (
            hyperedge("h1", "px", "r1"),
            hyperedge("h2", "qy", "r2"),
            hyperedge("h3", "px", "r3"),
        ),
    )
    # First: h1 and h3 gain 1.0 / 4 each, h1 by its id. Then h2: 0.5 / 4. Then h3: nothing new,
    # both nodes in the chain 0.5 · 1, overlap with r1 3/5: (0.5 − 0.3) / 4 > 0.
    assert ids(coe.select(union, signals, 12)) == ["r1", "r2", "r3"]
    assert ids(coe.select(union, signals, 8)) == ["r1", "r2"]
    assert ids(coe.select(union, signals, 4)) == ["r1"]
    # What is left goes to the base, in rank order, which stands first.
    packed = coe.select(union, signals, 18)
    assert ids(packed) == ["b1", "b3", "r1", "r2", "r3"]
    assert packed.tokens == 18


def test_it_stops_where_nothing_is_gained() -> None:
    union = [*BASE, rescued("r1", "aa bb"), rescued("r2", "aa bb")]
    signals = HypergraphSignals(
        {"p": 1.0}, (hyperedge("h1", "px", "r1"), hyperedge("h2", "xyzw", "r2"))
    )
    # h2: share 1/4 → 0.125, overlap 1 → −0.5.
    assert ids(coe.select(union, signals, 100)) == ["b1", "b2", "b3", "r1"]


def test_without_signals_the_base_fills_the_budget() -> None:
    union = [*BASE, rescued("r1", "aa bb")]
    for signals in (None, HypergraphSignals({}, ())):
        assert ids(coe.select(union, signals, 100)) == ["b1", "b2", "b3"]
        assert ids(coe.select(union, signals, 6)) == ["b1", "b3"]


def test_budget_zero_missing_text_and_an_item_larger_than_the_budget() -> None:
    union = [Candidate("b0", 1.0, ""), *BASE, rescued("r1", ""), rescued("r2", "a b c d e f g")]
    signals = HypergraphSignals(
        {"p": 1.0}, (hyperedge("h1", "p", "r1"), hyperedge("h2", "p", "r2"))
    )
    assert coe.select(union, signals, 0).candidates == ()
    assert ids(coe.select(union, signals, 6)) == ["b1", "b3"]
    assert ids(coe.select(union, signals, 9)) == ["b3", "r2"]
    with pytest.raises(ConfigurationError):
        coe.select(union, signals, -1)


@st.composite
def inputs(draw: st.DrawFn) -> tuple[list[Candidate], HypergraphSignals]:
    text = st.lists(st.sampled_from("abcdefgh"), max_size=6).map(" ".join)
    base = [Candidate(f"b{n}", 1.0 / (n + 1), draw(text)) for n in range(draw(st.integers(0, 4)))]
    tail = [rescued(f"r{n}", draw(text)) for n in range(draw(st.integers(0, 4)))]
    names = st.lists(st.sampled_from([one.id for one in tail] or ["x"]), max_size=3, unique=True)
    edges = tuple(
        hyperedge(f"h{n}", draw(st.sampled_from(["pq", "p", "xyz", "qz"])), *draw(names))
        for n in range(draw(st.integers(0, 5)))
    )
    return [*base, *tail], HypergraphSignals({"p": 1.0, "q": 0.5}, edges)


@given(data=inputs(), budget=st.integers(0, 40), order=st.randoms(use_true_random=False))
def test_within_budget_base_in_rank_order_first(
    data: tuple[list[Candidate], HypergraphSignals], budget: int, order: random.Random
) -> None:
    union, signals = data
    packed = coe.select(union, signals, budget)
    assert packed.tokens == sum(len(one.text.split()) for one in packed.candidates) <= budget
    chosen = ids(packed)
    base = [name for name in chosen if name.startswith("b")]
    assert base == sorted(base)
    assert chosen[: len(base)] == base
    edges = list(signals.hyperedges)
    order.shuffle(edges)
    assert coe.select(union, HypergraphSignals(signals.seeds, tuple(edges)), budget) == packed
