"""The knapsack: hand-computed picks, an exhaustive oracle, and its laws."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podcast_scraper.errors import ColumnError, ConfigurationError
from podcast_scraper.search.rescue.packer import Packer
from podcast_scraper.search.rescue.records import Candidate
from podcast_scraper.search.rescue.words import words


def text(count: int, word: str = "w") -> str:
    """``count`` words, of which no other text shares any unless the word is the same."""
    return " ".join(f"{word}{number}" for number in range(count))


def candidate(name: str, tokens: int, relevance: float, **metadata: Any) -> Candidate:
    return Candidate(name, None, text(tokens, name), metadata, relevance)


def ids(packed: Any) -> list[str]:
    return [one.id for one in packed.candidates]


def test_marginal_value_per_token_decides_by_hand() -> None:
    # Values 1.0, 0.9, 0.5; per token 0.1, 0.18, 0.25: c, b, a.
    pool = [candidate("a", 10, 2.0), candidate("b", 5, 1.8), candidate("c", 2, 1.0)]
    packed = Packer().pack(pool, 17)
    assert ids(packed) == ["c", "b", "a"]
    assert packed.tokens == 17


def test_redundancy_lowers_what_is_alike_by_hand() -> None:
    # All ten tokens long. After a (1.0): b is worth 0.9 − 0.5·1.0 = 0.4, c 0.5 − 0 = 0.5.
    pool = [
        candidate("a", 10, 1.0, redundancy={"b": 1.0, "c": 0.0}),
        candidate("b", 10, 0.9, redundancy={"a": 1.0, "c": 0.0}),
        candidate("c", 10, 0.5, redundancy={"a": 0.0, "b": 0.0}),
    ]
    assert ids(Packer().pack(pool, 20)) == ["a", "c"]
    assert ids(Packer(redundancy_weight=0.0).pack(pool, 20)) == ["a", "b"]


def test_lexical_jaccard_where_no_map_is_given_by_hand() -> None:
    # a and b share 2 of 6 distinct words: 0.9 − 0.5·(1/3) = 0.733 > 0.7.
    pool = [
        Candidate("a", 1.0, "red green blue grey"),
        Candidate("b", 0.9, "red green pink teal"),
        Candidate("c", 0.7, "one two three four"),
    ]
    assert ids(Packer().pack(pool, 8)) == ["a", "b"]
    # With λ = 0.9 it is 0.9 − 0.3 = 0.6 < 0.7.
    assert ids(Packer(redundancy_weight=0.9).pack(pool, 8)) == ["a", "c"]


def test_peak_centrality_is_a_value_by_hand() -> None:
    pool = [
        candidate("a", 10, 1.0),
        candidate("b", 10, 0.8, kg_node_ids=["x", "y"], kg_node_centrality=[0.1, 1.0]),
    ]
    assert ids(Packer().pack(pool, 10)) == ["b"]  # 0.8 + 0.25 > 1.0
    assert ids(Packer(centrality_weight=0.1).pack(pool, 10)) == ["a"]  # 0.9 < 1.0


def test_stop_leaves_budget_and_backfill_spends_it_after_the_same_picks() -> None:
    same = dict.fromkeys("abc", 1.0)
    pool = [candidate(name, 10, 0.5, redundancy=same) for name in "abc"]
    # After two picks the third is worth 1 − 0.5·2 = 0.
    stopped = Packer(fill="stop").pack(pool, 40)
    filled = Packer(fill="backfill").pack(pool, 40)
    assert ids(stopped) == ["a", "b"]
    assert ids(filled) == ["a", "b", "c"]
    assert (stopped.tokens, filled.tokens) == (20, 30)


def test_budget_zero_and_an_item_larger_than_the_budget() -> None:
    pool = [candidate("large", 50, 1.0), candidate("small", 5, 0.1)]
    assert ids(Packer().pack(pool, 0)) == []
    assert Packer().pack(pool, 0).tokens == 0
    assert ids(Packer().pack(pool, 20)) == ["small"]
    assert ids(Packer().pack([], 20)) == []


@pytest.mark.parametrize("budget", [-1, 2.5, True])
def test_impossible_budgets_are_refused(budget: Any) -> None:
    with pytest.raises(ConfigurationError, match="budget"):
        Packer().pack([], budget)


def test_a_candidate_without_text_is_never_chosen() -> None:
    pool = [Candidate("empty", 1.0, ""), Candidate("dots", 1.0, "…"), candidate("a", 3, 0.5)]
    assert ids(Packer().pack(pool, 10)) == ["a"]


@pytest.mark.parametrize("bad", [float("nan"), -0.1, 1.1, float("inf"), "0.5 or so"])
def test_a_redundancy_out_of_range_is_refused(bad: object) -> None:
    pool = [candidate("a", 3, 1.0, redundancy={"b": bad}), candidate("b", 3, 1.0)]
    with pytest.raises(ColumnError, match="redundancy of candidate 'a'"):
        Packer().pack(pool, 10)


def test_redundancy_that_is_no_map_is_refused() -> None:
    with pytest.raises(ColumnError, match="not a map"):
        Packer().pack([candidate("a", 3, 1.0, redundancy=[0.5])], 10)


@pytest.mark.parametrize(
    "maps", [({"b": 0.0}, {"a": 1.0}), ({"b": 1.0}, {"a": 0.0}), ({"b": 1.0}, {})]
)
def test_of_an_asymmetric_redundancy_the_larger_counts(maps: tuple[dict[str, float], ...]) -> None:
    pool = [
        candidate("a", 10, 1.0, redundancy=maps[0]),
        candidate("b", 10, 0.9, redundancy=maps[1]),
        candidate("c", 10, 0.5),
    ]
    assert ids(Packer().pack(pool, 20)) == ["a", "c"]


def test_equal_candidates_go_by_id() -> None:
    pool = [candidate(name, 10, 1.0) for name in ("z", "m", "a")]
    assert ids(Packer().pack(pool, 20)) == ["a", "m"]


POOLS = st.lists(
    st.tuples(st.integers(0, 12), st.floats(0, 1), st.floats(0, 1)), min_size=0, max_size=9
).map(
    lambda rows: [
        candidate(f"d{place}", size, value, kg_node_centrality=[peak])
        for place, (size, value, peak) in enumerate(rows)
    ]
)


@given(pool=POOLS, budget=st.integers(0, 60), order=st.randoms(use_true_random=False))
def test_never_over_budget_and_order_of_input_is_nothing(
    pool: list[Candidate], budget: int, order: random.Random
) -> None:
    packed = Packer().pack(pool, budget)
    assert packed.tokens == sum(len(words(one.text)) for one in packed.candidates) <= budget
    assert len(set(ids(packed))) == len(packed.candidates)
    shuffled = list(pool)
    order.shuffle(shuffled)
    assert Packer().pack(shuffled, budget) == packed


@given(pool=POOLS, budget=st.integers(0, 60))
def test_backfill_only_appends(pool: list[Candidate], budget: int) -> None:
    stopped = ids(Packer(fill="stop").pack(pool, budget))
    assert ids(Packer(fill="backfill").pack(pool, budget))[: len(stopped)] == stopped


@settings(max_examples=40)
@given(
    sizes=st.lists(st.integers(1, 10), min_size=1, max_size=7),
    seed=st.integers(0, 2**16),
    budget=st.integers(5, 30),
)
def test_never_better_than_the_exhaustive_optimum(sizes: list[int], seed: int, budget: int) -> None:
    chance = random.Random(seed)
    names = [f"d{place}" for place in range(len(sizes))]
    value = {name: chance.random() for name in names}
    alike = {pair: chance.random() for pair in itertools.combinations(names, 2)}
    pool = [
        candidate(
            name,
            size,
            value[name],
            redundancy={
                other: alike[min(name, other), max(name, other)] for other in names if other != name
            },
        )
        for name, size in zip(names, sizes, strict=True)
    ]
    largest = max(value.values())

    def worth(chosen: tuple[str, ...]) -> float:
        pairs = itertools.combinations(sorted(chosen), 2)
        return sum(value[n] / largest for n in chosen) - 0.5 * sum(alike[p] for p in pairs)

    size_of = dict(zip(names, sizes, strict=True))
    feasible = [
        chosen
        for count in range(len(names) + 1)
        for chosen in itertools.combinations(names, count)
        if sum(size_of[name] for name in chosen) <= budget
    ]
    optimum = max(map(worth, feasible))
    greedy = tuple(ids(Packer(fill="stop").pack(pool, budget)))
    assert tuple(sorted(greedy)) in {tuple(sorted(chosen)) for chosen in feasible}
    assert worth(greedy) <= optimum + 1e-9


@given(values=st.lists(st.floats(0.01, 1), min_size=1, max_size=8), count=st.integers(1, 8))
def test_optimal_where_sizes_are_equal_and_nothing_is_alike(
    values: list[float], count: int
) -> None:
    pool = [candidate(f"d{place}", 4, value) for place, value in enumerate(values)]
    best = sorted(values, reverse=True)[:count]
    chosen = Packer(fill="stop").pack(pool, 4 * count).candidates
    assert [one.selection_score for one in chosen] == best
