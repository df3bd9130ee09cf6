"""Systems against a baseline, query by query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from podcast_scraper.evaluate.statistics import PairedTest, holm, paired_test

if TYPE_CHECKING:
    from collections.abc import Mapping

    from podcast_scraper.evaluate.measures import Values


@dataclass(frozen=True, slots=True)
class Comparison:
    """One system against the baseline on one measure; ``p_holm`` is corrected over the systems."""

    system: str
    baseline: str
    measure: str
    test: PairedTest
    p_holm: float
    losers: tuple[str, ...]


def compare_values(
    values: Mapping[str, Mapping[str, Values]], baseline: str, *, losers: int = 5
) -> tuple[Comparison, ...]:
    """Test every system against ``baseline`` on every measure, Holm-corrected over the systems."""
    comparisons: list[Comparison] = []
    others = [system for system in values if system != baseline]
    for name, base in values[baseline].items():
        queries = list(base)
        tests: list[tuple[str, PairedTest, tuple[str, ...]]] = []
        for system in others:
            mine = values[system][name]
            lost = sorted((mine[q] - base[q], q) for q in queries if mine[q] < base[q])
            test = paired_test([mine[q] for q in queries], [base[q] for q in queries])
            tests.append((system, test, tuple(q for _, q in lost[:losers])))
        corrected = holm([test.p for _, test, _ in tests])
        comparisons += [
            Comparison(system, baseline, name, test, p, worst)
            for (system, test, worst), p in zip(tests, corrected, strict=True)
        ]
    return tuple(comparisons)
