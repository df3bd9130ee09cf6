"""What rescue is worth, from rankings made by hand."""

from __future__ import annotations

import math

import pytest

from podcast_scraper.evaluate.rescue_study import study
from podcast_scraper.evaluate.systems import GateOutcome, Ranking

QRELS = {"q1": {"a": 1, "x": 1, "z": 1, "b": 0}, "q2": {"c": 1}}
RANKINGS = {
    "q1": Ranking(
        ("a", "b", "x", "y"),
        rescued=frozenset({"x", "y"}),
        gate=GateOutcome(True),
        budget_curve={10: ("a",), 20: ("a", "x")},
    ),
    "q2": Ranking(("b",), gate=GateOutcome(False), budget_curve={10: ("b",), 20: ("b", "c")}),
}


def test_figures_by_hand() -> None:
    found = study(RANKINGS, QRELS)
    assert (found.relevant, found.missing, found.rescued_relevant, found.rescued) == (4, 3, 1, 2)
    assert found.base_recall == pytest.approx((1 / 3 + 0) / 2)
    assert found.union_recall == pytest.approx((2 / 3 + 0) / 2)
    assert found.budgets == pytest.approx({10: (1 / 3 + 0) / 2, 20: (2 / 3 + 1) / 2})
    # q1: a and x at ranks 1 and 3, with the oracle at 1 and 2; three documents are relevant.
    ideal = 1 + 1 / math.log2(3) + 1 / math.log2(4)
    gain = (1 + 1 / math.log2(3)) / ideal - (1 + 1 / math.log2(4)) / ideal
    assert found.promotion.difference == pytest.approx(gain / 2)


def test_a_query_without_judgements_counts_nothing_found() -> None:
    found = study({"q": Ranking(("a",))}, {"q": {}})
    assert (found.relevant, found.base_recall) == (0, 0.0)
