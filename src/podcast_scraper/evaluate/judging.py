"""Judging pooled results: who graded what, how far two graders agree, and the qrels that follow.

A grader's grades live in ``judgements/GRADER.tsv`` of the set (query, document or span, grade), so
that grading can stop and go on at any time and no grader sees another's.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from podcast_scraper.errors import EvaluationError, UsageError
from podcast_scraper.evaluate.statistics import SEED, weighted_kappa

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from podcast_scraper.evaluate.sets import Qrels
    from podcast_scraper.evaluate.systems import Ranking

GRADES: Final = (0, 1, 2, 3)


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two graders on the ``shared`` items that both graded. ``kappa`` has quadratic weights."""

    first: str
    second: str
    shared: int
    equal: float
    kappa: float


def pool(
    rankings: Mapping[str, Mapping[str, Ranking]], query_id: str, depth: int, *, seed: int = SEED
) -> list[str]:
    """The union of all systems' first ``depth`` documents for a query.

    The order is shuffled by a generator seeded with the query, so that neither rank nor system
    shows through.
    """
    found = {doc for ranked in rankings.values() for doc in ranked[query_id].doc_ids[:depth]}
    ordered = sorted(found)
    random.Random(f"{seed}:{query_id}").shuffle(ordered)
    return ordered


class GradeBook:
    """The grades of one grader over one set, appended to a file as they are given."""

    def __init__(self, set_path: Path, grader: str) -> None:
        if not grader.isidentifier():
            raise UsageError("A grader's name is letters, digits and _.", subject=grader)
        self.grader = grader
        self._file = set_path / "judgements" / f"{grader}.tsv"
        self.grades: dict[tuple[str, str], int] = read_grades(self._file)

    def record(self, query_id: str, judged_id: str, grade: int) -> None:
        """Keep a grade; a later grade of the same item replaces the earlier one when read."""
        if grade not in GRADES:
            raise UsageError(f"A grade is one of {GRADES}.", subject=grade)
        self._file.parent.mkdir(exist_ok=True)
        with self._file.open("a", encoding="utf-8") as lines:
            lines.write(f"{query_id}\t{judged_id}\t{grade}\n")
        self.grades[query_id, judged_id] = grade


def read_grades(file: Path) -> dict[tuple[str, str], int]:
    """Grades of a file; none where it does not exist."""
    if not file.is_file():
        return {}
    grades: dict[tuple[str, str], int] = {}
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        try:
            query_id, judged_id, grade = line.split("\t")
            grades[query_id, judged_id] = int(grade)
        except ValueError as error:
            raise EvaluationError(
                f"{file} line {number} is not query, document, grade.", subject=file
            ) from error
    return grades


def all_grades(set_path: Path) -> dict[str, dict[tuple[str, str], int]]:
    """Grader → grades for every file under ``judgements/``."""
    files = sorted((set_path / "judgements").glob("*.tsv"))
    return {file.stem: read_grades(file) for file in files}


def agreements(grades: Mapping[str, Mapping[tuple[str, str], int]]) -> list[Agreement]:
    """Agreement of each pair of graders that share an item."""
    names: Sequence[str] = sorted(grades)
    found = []
    for place, first in enumerate(names):
        for second in names[place + 1 :]:
            shared = sorted(grades[first].keys() & grades[second].keys())
            if shared:
                a = [grades[first][item] for item in shared]
                b = [grades[second][item] for item in shared]
                equal = sum(x == y for x, y in zip(a, b, strict=True)) / len(shared)
                found.append(Agreement(first, second, len(shared), equal, weighted_kappa(a, b)))
    return found


def merge(grades: Mapping[str, Mapping[tuple[str, str], int]]) -> Qrels:
    """Qrels from all graders: the mean grade of an item, rounded down where it lies between two."""
    given: dict[tuple[str, str], list[int]] = {}
    for mine in grades.values():
        for item, grade in mine.items():
            given.setdefault(item, []).append(grade)
    qrels: Qrels = {}
    for (query_id, judged_id), all_given in sorted(given.items()):
        grade = math.floor(sum(all_given) / len(all_given))
        qrels.setdefault(query_id, {})[judged_id] = grade
    return qrels


def write_qrels(qrels: Qrels, file: Path) -> None:
    """Write ``qrels.tsv``: query, document, grade, ordered by id."""
    lines = [
        f"{query}\t{judged}\t{grade}\n"
        for query, grades in sorted(qrels.items())
        for judged, grade in sorted(grades.items())
    ]
    file.write_text("".join(lines), encoding="utf-8")
