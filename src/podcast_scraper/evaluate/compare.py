"""Compare two reports over the same set: every system of both, query by query."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from podcast_scraper.errors import EvaluationError
from podcast_scraper.evaluate.paired import Comparison, compare_values
from podcast_scraper.evaluate.report import values_by_measure
from podcast_scraper.evaluate.statistics import holm

if TYPE_CHECKING:
    from collections.abc import Mapping


def compare_reports(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[Comparison, ...]:
    """Test each system of ``after`` against the one of the same name in ``before``.

    Where no name is shared and each report holds one system, these two are compared. Raises
    :class:`EvaluationError` where sets, queries or systems do not match.
    """
    if before["set"] != after["set"]:
        raise EvaluationError(
            f"The reports are of two sets: {before['set']} and {after['set']}.",
            mend="Compare reports of one set.",
        )
    old, new = before["per_query"], after["per_query"]
    pairs = [(name, name) for name in new if name in old]
    if not pairs and len(old) == len(new) == 1:
        pairs = [(next(iter(old)), next(iter(new)))]
    if not pairs:
        raise EvaluationError(
            f"No system is in both reports ({', '.join(old)}; {', '.join(new)}).",
            mend="Run the same systems, or one a report.",
        )
    comparisons: list[Comparison] = []
    for first, second in pairs:
        mine, base = values_by_measure(after, second), values_by_measure(before, first)
        shared = [name for name in base if name in mine]
        if any(mine[name].keys() != base[name].keys() for name in shared):
            raise EvaluationError(
                "The reports hold different queries.",
                mend="Run both with the same --limit and --per-pair.",
            )
        labels = (f"{second} (after)", f"{first} (before)")
        values = {
            labels[0]: {name: mine[name] for name in shared},
            labels[1]: {name: base[name] for name in shared},
        }
        comparisons += compare_values(values, labels[1])
    return _corrected(comparisons)


def _corrected(comparisons: list[Comparison]) -> tuple[Comparison, ...]:
    """Holm over all pairs of one measure: each pair was tested alone so far."""
    corrected: dict[int, float] = {}
    for name in {one.measure for one in comparisons}:
        places = [place for place, one in enumerate(comparisons) if one.measure == name]
        adjusted = holm([comparisons[place].test.p for place in places])
        corrected.update(zip(places, adjusted, strict=True))
    return tuple(replace(one, p_holm=corrected[i]) for i, one in enumerate(comparisons))
