"""Measures against values worked out by hand."""

from __future__ import annotations

import math

import pytest

from podcast_scraper.errors import EvaluationError, UsageError
from podcast_scraper.evaluate.measures import DEFAULT_MEASURES, MeasureInput, measure


def one(ranking: list[str], judged: dict[str, int]) -> MeasureInput:
    return MeasureInput({"q": ranking}, {"q": judged}, {})


def value(name: str, ranking: list[str], judged: dict[str, int]) -> float:
    return measure([name], one(ranking, judged))[name]["q"]


def test_ndcg_with_grades_by_hand() -> None:
    judged = {"a": 2, "b": 1, "c": 1}
    gained = 1 / math.log2(2) + 2 / math.log2(4)
    ideal = 2 / math.log2(2) + 1 / math.log2(3) + 1 / math.log2(4)
    assert value("nDCG@10", ["b", "x", "a"], judged) == pytest.approx(gained / ideal)


def test_the_default_measures_by_hand() -> None:
    ranking = ["x", "a", "y", "b", *(f"n{i}" for i in range(10)), "c"]
    values = measure(DEFAULT_MEASURES, one(ranking, {"a": 1, "b": 1, "c": 2, "d": 1}))
    found = {name: by_query["q"] for name, by_query in values.items()}
    assert found["R@10"] == pytest.approx(2 / 4)
    assert found["R@100"] == pytest.approx(3 / 4)
    assert found["RR@10"] == pytest.approx(1 / 2)
    assert found["P@1"] == 0.0
    assert found["MAP"] == pytest.approx((1 / 2 + 2 / 4 + 3 / 15) / 4)


def test_rank_decides_and_not_the_id() -> None:
    # Back ends that break ties of score by id would put "z" before "a" or the other way round.
    assert value("P@1", ["z", "a"], {"z": 1}) == 1.0
    assert value("P@1", ["a", "z"], {"a": 1}) == 1.0


def test_a_query_without_answer_or_judgement_counts_zero() -> None:
    data = MeasureInput(
        {"found": ["a"], "mute": []}, {"found": {"a": 1}, "mute": {"b": 1}, "x": {}}, {}
    )
    assert measure(["nDCG@10"], data)["nDCG@10"] == {"found": 1.0, "mute": 0.0, "x": 0.0}


def test_a_repeated_document_is_an_error() -> None:
    with pytest.raises(EvaluationError, match="twice"):
        value("P@1", ["a", "a"], {"a": 1})


def test_an_unknown_measure_is_wrong_usage() -> None:
    with pytest.raises(UsageError, match="Unknown measure: nonsense"):
        value("nonsense", ["a"], {"a": 1})


def test_unjudged_share() -> None:
    assert value("unjudged@10", ["a", "b", "x", "y"], {"a": 1, "b": 0}) == pytest.approx(0.5)
    assert value("unjudged@10", [], {"a": 1}) == 0.0


def test_distinct_shows() -> None:
    data = MeasureInput({"q": list("abc")}, {"q": {}}, {"q": ["s1", "s2", "s1"]})
    assert measure(["shows@10"], data)["shows@10"]["q"] == 2.0


def test_oracle_moves_every_relevant_one_of_the_first_hundred_to_the_front() -> None:
    filler = [f"n{i}" for i in range(98)]
    judged = {"a": 1, "b": 1, "late": 1}
    ranking = [*filler, "a", "b", "late"]
    gained = 1 + 1 / math.log2(3)
    assert value("oracle-nDCG@10", ranking, judged) == pytest.approx(
        gained / (gained + 1 / math.log2(4))
    )
