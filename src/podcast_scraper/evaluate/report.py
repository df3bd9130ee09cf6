"""An experiment as JSON: the shape that scripts rely on, and its way back for ``eval compare``."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from podcast_scraper.errors import EvaluationError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from podcast_scraper.evaluate.experiment import Result
    from podcast_scraper.evaluate.paired import Comparison
    from podcast_scraper.evaluate.statistics import Estimate
    from podcast_scraper.evaluate.systems import Ranking

Report = dict[str, Any]


def as_report(result: Result) -> Report:
    """The report as plain data. Latencies are milliseconds, rates lie in 0..1."""
    return {
        "set": result.set_name,
        "queries": len(result.queries),
        "settings": dict(result.settings),
        "systems": _means(result.estimates),
        "ceiling": dict(result.ceiling),
        "comparisons": [as_comparison(one) for one in result.comparisons],
        "groups": {
            value: {
                "queries": group.queries,
                "systems": _means(group.estimates),
                "comparisons": [as_comparison(one) for one in group.comparisons],
            }
            for value, group in result.groups.items()
        },
        "not_applicable": dict(result.not_applicable),
        "latency_ms": {s: latencies(ranked.values()) for s, ranked in result.rankings.items()},
        "gate": {s: gate_summary(ranked.values()) for s, ranked in result.rankings.items()},
        "rescue": {system: asdict(one) for system, one in result.rescue.items()},
        "query_texts": dict(result.queries),
        "per_query": {
            system: {query: dict(values) for query, values in by_query.items()}
            for system, by_query in result.per_query.items()
        },
    }


def _means(estimates: Mapping[str, Mapping[str, Estimate]]) -> Report:
    return {
        system: {
            name: {"mean": one.mean, "low": one.low, "high": one.high}
            for name, one in by_measure.items()
        }
        for system, by_measure in estimates.items()
    }


def latencies(rankings: Iterable[Ranking]) -> dict[str, dict[str, float]]:
    """Percentiles 50, 95 and 99 of each stage, in milliseconds."""
    stages: dict[str, list[float]] = {}
    for ranking in rankings:
        for stage, milliseconds in ranking.timings_ms.items():
            stages.setdefault(stage, []).append(milliseconds)
    return {
        stage: {f"p{p}": float(np.percentile(values, p)) for p in (50, 95, 99)}
        for stage, values in stages.items()
    }


def gate_summary(rankings: Iterable[Ranking]) -> dict[str, Any] | None:
    """Fire rate of the gate with a count of each reason, and rescued documents a query, or None."""
    asked = [ranking for ranking in rankings if ranking.gate is not None]
    if not asked:
        return None
    reasons: dict[str, int] = {}
    for ranking in asked:
        for reason in ranking.gate.reasons if ranking.gate else ():
            reasons[reason] = reasons.get(reason, 0) + 1
    fired = sum(bool(ranking.gate and ranking.gate.fired) for ranking in asked)
    return {
        "asked": len(asked),
        "fired": fired / len(asked),
        "reasons": reasons,
        "rescued_mean": sum(len(ranking.rescued) for ranking in asked) / len(asked),
    }


def write_json(report: Report, path: Path) -> None:
    """Write the report; NaN is refused, since it would not be JSON."""
    text = json.dumps(report, indent=1, allow_nan=False, ensure_ascii=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n", encoding="utf-8")


def read_json(path: Path) -> Report:
    """Read a report that ``eval run --json`` wrote."""
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise EvaluationError(
            f"{path} cannot be read as a report: {error}.", subject=path
        ) from error
    if not isinstance(report, dict) or not {"set", "per_query"} <= report.keys():
        raise EvaluationError(
            f"{path} is not a report.", mend="Write one with `eval run --json FILE`.", subject=path
        )
    return report


def values_by_measure(report: Mapping[str, Any], system: str) -> dict[str, dict[str, float]]:
    """Measure → query → value of one system of a report."""
    turned: dict[str, dict[str, float]] = {}
    for query, values in report["per_query"][system].items():
        for name, value in values.items():
            turned.setdefault(name, {})[query] = value
    return turned


def as_comparison(one: Comparison) -> dict[str, Any]:
    """One comparison as the report holds it."""
    return {
        "system": one.system,
        "baseline": one.baseline,
        "measure": one.measure,
        "difference": one.test.difference,
        "low": one.test.low,
        "high": one.test.high,
        "p": one.test.p,
        "p_holm": one.p_holm,
        "exact": one.test.exact,
        "resamples": one.test.resamples,
        "win": one.test.win,
        "tie": one.test.tie,
        "loss": one.test.loss,
        "losers": list(one.losers),
    }
