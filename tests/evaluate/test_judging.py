"""The judging loop's parts: blind order, grades that survive a stop, agreement, merged qrels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from podcast_scraper.errors import EvaluationError, UsageError
from podcast_scraper.evaluate.judging import (
    GradeBook,
    agreements,
    all_grades,
    merge,
    pool,
    write_qrels,
)
from podcast_scraper.evaluate.systems import Ranking

if TYPE_CHECKING:
    from pathlib import Path


def test_the_pool_is_a_stable_union_of_the_heads() -> None:
    rankings = {
        "one": {"q": Ranking(("a", "b", "c", "d"))},
        "two": {"q": Ranking(("d", "a", "e"))},
    }
    found = pool(rankings, "q", 2)
    assert sorted(found) == ["a", "b", "d"]
    assert pool(dict(reversed(rankings.items())), "q", 2) == found


def test_grades_survive_a_stop_and_the_last_one_counts(tmp_path: Path) -> None:
    book = GradeBook(tmp_path, "first")
    book.record("q", "a", 1)
    book.record("q", "a", 2)
    assert GradeBook(tmp_path, "first").grades == {("q", "a"): 2}
    with pytest.raises(UsageError):
        book.record("q", "a", 4)
    with pytest.raises(UsageError):
        GradeBook(tmp_path, "../else")


def test_agreement_over_shared_items(tmp_path: Path) -> None:
    first, second = GradeBook(tmp_path, "first"), GradeBook(tmp_path, "second")
    for doc, mine, yours in (("a", 2, 2), ("b", 0, 0), ("c", 1, 2), ("d", 0, 1)):
        first.record("q", doc, mine)
        second.record("q", doc, yours)
    first.record("q", "only", 2)
    (found,) = agreements(all_grades(tmp_path))
    # By hand: observed squared disagreement 2/4; expected over all 16 pairs 26/16.
    assert found.kappa == pytest.approx(1 - (2 / 4) / (26 / 16))
    assert (found.shared, found.equal) == (4, 0.5)


def test_merged_grades_round_down_between_two(tmp_path: Path) -> None:
    qrels = merge({"x": {("q", "a"): 2, ("q", "b"): 1}, "y": {("q", "a"): 1, ("q", "b"): 1}})
    assert qrels == {"q": {"a": 1, "b": 1}}
    write_qrels(qrels, tmp_path / "qrels.tsv")
    assert (tmp_path / "qrels.tsv").read_text() == "q\ta\t1\nq\tb\t1\n"


def test_a_broken_grade_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "judgements").mkdir()
    (tmp_path / "judgements" / "first.tsv").write_text("q a 1\n")
    with pytest.raises(EvaluationError, match="line 1"):
        GradeBook(tmp_path, "first")
