"""Paired statistics over queries: bootstrap intervals, permutation tests, Holm, weighted kappa.

The resampling is scipy's; every generator is seeded, so that one report gives one set of figures.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy import stats

from podcast_scraper.errors import EvaluationError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

SEED: Final = 20240229
RESAMPLES: Final = 9999
_TIE: Final = 1e-9
# Rows of resamples held in memory at a time; scipy would hold all of them.
_BATCH: Final = 200


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its 95 % percentile bootstrap interval over queries."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class PairedTest:
    """``difference`` = mean of system minus baseline; ``exact`` where every sign flip was tried.

    ``p`` is two-sided; ``resamples`` is the number of sign flips behind it.
    """

    difference: float
    low: float
    high: float
    p: float
    win: int
    tie: int
    loss: int
    resamples: int
    exact: bool


def estimate(values: Sequence[float], *, seed: int = SEED) -> Estimate:
    """Mean and interval of per-query values. Raises on an empty list and on NaN."""
    data = _checked(values)
    low, high = _interval(data, seed)
    return Estimate(float(data.mean()), low, high)


def paired_test(
    system: Sequence[float], baseline: Sequence[float], *, seed: int = SEED
) -> PairedTest:
    """Compare two systems over the same queries, in the same order.

    The permutation test flips the sign of each query's difference (Fisher's randomisation test, as
    recommended for retrieval by Smucker, Allan and Carterette, CIKM 2007).
    """
    if len(system) != len(baseline):
        raise EvaluationError("A paired test needs the same queries on both sides.")
    difference = _checked(system) - _checked(baseline)
    difference[np.abs(difference) < _TIE] = 0.0
    low, high = _interval(difference, seed)
    # A query without a difference adds the same 0 whatever its sign: leaving it out lets a few
    # moved queries be tested exactly.
    nonzero = difference[difference != 0.0]
    exact = nonzero.size < 64 and 2**nonzero.size <= RESAMPLES
    return PairedTest(
        difference=float(difference.mean()),
        low=low,
        high=high,
        p=_sign_flip_p(nonzero, seed),
        win=int((difference > 0).sum()),
        tie=int((difference == 0).sum()),
        loss=int((difference < 0).sum()),
        resamples=2**nonzero.size if exact else RESAMPLES,
        exact=exact,
    )


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down correction (1979): adjusted p-values in the order given, each ≤ 1."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for position, index in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - position) * p_values[index]))
        adjusted[index] = largest
    return adjusted


def weighted_kappa(first: Sequence[int], second: Sequence[int]) -> float:
    """Cohen's kappa with quadratic weights (1968) over two graders' grades of the same items.

    1 is full agreement, 0 what chance gives. Two constant, equal graders leave nothing to disagree
    about: 1.0. Raises where the lists are empty or differ in length.
    """
    if len(first) != len(second) or not first:
        raise EvaluationError("Agreement needs grades of the same items by both graders.")
    a, b = np.asarray(first, float), np.asarray(second, float)
    observed = float(((a - b) ** 2).mean())
    expected = float(((a[:, None] - b[None, :]) ** 2).mean())
    return 1.0 if math.isclose(expected, 0.0) else 1.0 - observed / expected


def _sign_flip_p(nonzero: NDArray[np.float64], seed: int) -> float:
    if nonzero.size < 2:  # both signs of a single difference are as extreme as it is
        return 1.0
    test = stats.permutation_test(
        (nonzero,),
        _sum,
        permutation_type="samples",
        n_resamples=RESAMPLES,
        vectorized=True,
        batch=_BATCH,
        rng=np.random.default_rng(seed),
    )
    return float(test.pvalue)


def _checked(values: Sequence[float]) -> NDArray[np.float64]:
    data = np.array(values, dtype=np.float64)
    if data.size == 0:
        raise EvaluationError("There is no query to measure.")
    if not np.isfinite(data).all():
        raise EvaluationError("A measure gave a value that is not a number.")
    return data


def _interval(data: NDArray[np.float64], seed: int) -> tuple[float, float]:
    if data.size == 1 or np.ptp(data) < _TIE:
        return float(data[0]), float(data[0])
    interval = stats.bootstrap(
        (data,),
        np.mean,
        n_resamples=RESAMPLES,
        method="percentile",
        batch=_BATCH,
        rng=np.random.default_rng(seed),
    ).confidence_interval
    return float(interval.low), float(interval.high)


def _sum(values: NDArray[np.float64], axis: int = -1) -> NDArray[np.float64]:
    total: NDArray[np.float64] = values.sum(axis=axis)
    return total
