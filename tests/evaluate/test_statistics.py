"""Statistics against enumeration, closed forms and scikit-learn."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podcast_scraper.errors import EvaluationError
from podcast_scraper.evaluate.statistics import (
    RESAMPLES,
    estimate,
    holm,
    paired_test,
    weighted_kappa,
)

grades = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=2, max_size=40).filter(
    lambda pairs: len({grade for pair in pairs for grade in pair}) > 1
)


def enumerated_p(difference: list[float]) -> float:
    """Two-sided p of the sign-flip test by trying every assignment of signs."""
    observed = abs(sum(difference))
    flips = list(itertools.product((1, -1), repeat=len(difference)))
    extreme = sum(
        abs(sum(s * d for s, d in zip(signs, difference, strict=True))) >= observed - 1e-12
        for signs in flips
    )
    return extreme / len(flips)


def test_few_queries_are_tested_exactly() -> None:
    system = [0.9, 0.4, 0.7, 0.8, 0.5, 0.61]
    baseline = [0.5, 0.5, 0.4, 0.2, 0.5, 0.6]
    test = paired_test(system, baseline)
    moved = [0.4, -0.1, 0.3, 0.6, 0.01]
    assert test.exact
    assert test.resamples == 32
    assert test.p == pytest.approx(enumerated_p(moved))
    assert (test.win, test.tie, test.loss) == (4, 1, 1)
    assert test.difference == pytest.approx(sum(moved) / 6)


def test_many_queries_are_sampled_and_agree_with_the_normal_law() -> None:
    rng = np.random.default_rng(5)
    difference = rng.normal(0.03, 0.3, 400)
    test = paired_test(list(difference), [0.0] * 400)
    # Under sign flips the sum has variance Σ d²; with 400 terms it is nearly normal.
    z = abs(difference.sum()) / math.sqrt((difference**2).sum())
    assert not test.exact
    assert test.resamples == RESAMPLES
    assert test.p == pytest.approx(math.erfc(z / math.sqrt(2)), abs=0.015)


def test_interval_agrees_with_the_standard_error() -> None:
    values = list(np.random.default_rng(7).uniform(0, 1, 500))
    found = estimate(values)
    error = np.std(values, ddof=1) / math.sqrt(500)
    assert found.mean == pytest.approx(float(np.mean(values)))
    assert found.low == pytest.approx(found.mean - 1.96 * error, abs=0.15 * error)
    assert found.high == pytest.approx(found.mean + 1.96 * error, abs=0.15 * error)


def test_same_values_give_the_same_figures() -> None:
    values = list(np.random.default_rng(8).uniform(0, 1, 50))
    assert estimate(values) == estimate(values)
    assert paired_test(values, values[::-1]) == paired_test(values, values[::-1])


def test_equal_systems_do_not_differ() -> None:
    test = paired_test([0.1, 0.2, 0.3], [0.1, 0.2, 0.3])
    assert (test.p, test.low, test.high, test.tie) == (1.0, 0.0, 0.0, 3)


def test_nan_empty_and_unpaired_values_are_errors() -> None:
    with pytest.raises(EvaluationError, match="not a number"):
        estimate([0.1, math.nan])
    with pytest.raises(EvaluationError, match="no query"):
        estimate([])
    with pytest.raises(EvaluationError, match="same queries"):
        paired_test([0.1], [0.1, 0.2])


def test_holm_example() -> None:
    # Four hypotheses, by hand: sorted .005 .01 .03 .04 times 4 3 2 1, made monotone.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []


@given(grades)
@settings(max_examples=40, deadline=None)
def test_kappa_agrees_with_scikit_learn(pairs: list[tuple[int, int]]) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    expected = metrics.cohen_kappa_score(first, second, weights="quadratic")
    assert weighted_kappa(first, second) == pytest.approx(float(expected))


def test_kappa_of_constant_graders() -> None:
    assert weighted_kappa([1, 1], [1, 1]) == 1.0
    with pytest.raises(EvaluationError, match="both graders"):
        weighted_kappa([], [])
