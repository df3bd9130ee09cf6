"""The report's plots as SVG text: nDCG by query, latency by stage, recall against a token budget.

Three shapes of fixed size need no plotting library; the colours are Okabe and Ito's, which keep
apart for colour-blind readers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_COLOURS: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_WIDTH: Final = 640
_HEIGHT: Final = 320
_LEFT: Final = 52
_TOP: Final = 28
_PLOT_WIDTH: Final = 420
_PLOT_HEIGHT: Final = 240


@dataclass(frozen=True, slots=True)
class Axis:
    """A linear axis from ``low`` to ``high``."""

    label: str
    low: float
    high: float

    def place(self, value: float, length: float) -> float:
        span = self.high - self.low
        return (value - self.low) / span * length if span else 0.0


def plots_of(report: Mapping[str, Any]) -> dict[str, str]:
    """File name → SVG for what the report holds."""
    plots = {"ndcg-per-query.svg": per_query_plot(report, "nDCG@10")}
    if any(report.get("latency_ms", {}).values()):
        plots["latency.svg"] = latency_plot(report["latency_ms"])
    studies = report.get("rescue", {})
    budgets = {system: one["budgets"] for system, one in studies.items() if one["budgets"]}
    if budgets:
        plots["budget.svg"] = budget_plot(budgets)
    return {name: svg for name, svg in plots.items() if svg}


def per_query_plot(report: Mapping[str, Any], measure: str) -> str:
    """Each system's values sorted from best to worst query: a curve above is a better system."""
    curves: dict[str, list[tuple[float, float]]] = {}
    for system, by_query in report["per_query"].items():
        values = sorted((v[measure] for v in by_query.values() if measure in v), reverse=True)
        if values:
            step = 100 / max(1, len(values) - 1)
            curves[system] = [(i * step, value) for i, value in enumerate(values)]
    if not curves:
        return ""
    return line_plot(curves, Axis("share of queries, best first (%)", 0, 100), Axis(measure, 0, 1))


def budget_plot(budget: Mapping[str, Mapping[str, float]]) -> str:
    """Recall of the selected set against tokens, one curve a system."""
    curves = {
        system: sorted((float(tokens), recall) for tokens, recall in points.items())
        for system, points in budget.items()
    }
    most = _round_up(max(tokens for points in curves.values() for tokens, _ in points))
    return line_plot(curves, Axis("tokens", 0, most), Axis("recall", 0, 1))


def line_plot(curves: Mapping[str, Sequence[tuple[float, float]]], x: Axis, y: Axis) -> str:
    """One polyline a curve, with a legend."""
    body = []
    for index, points in enumerate(curves.values()):
        path = " ".join(
            f"{_LEFT + x.place(a, _PLOT_WIDTH):.1f},"
            f"{_TOP + _PLOT_HEIGHT - y.place(b, _PLOT_HEIGHT):.1f}"
            for a, b in points
        )
        colour = _COLOURS[index % len(_COLOURS)]
        body.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="{path}"/>')
    return _frame(body, list(curves), x, y)


def latency_plot(latency: Mapping[str, Mapping[str, Mapping[str, float]]]) -> str:
    """A bar to the median and a whisker to p95 for each stage of each system."""
    rows = [
        (index, f"{system} {stage}", values)
        for index, (system, stages) in enumerate(latency.items())
        for stage, values in stages.items()
    ]
    most = _round_up(max(values["p95"] for _, _, values in rows))
    axis = Axis("milliseconds (bar p50, line p95)", 0, most)
    height = _PLOT_HEIGHT / len(rows)
    body = []
    for row, (index, label, values) in enumerate(rows):
        middle = _TOP + (row + 0.5) * height
        half, tail = (axis.place(values[p], _PLOT_WIDTH) for p in ("p50", "p95"))
        colour = _COLOURS[index % len(_COLOURS)]
        body += [
            f'<rect x="{_LEFT}" y="{middle - height * 0.35:.1f}" width="{half:.1f}"'
            f' height="{height * 0.7:.1f}" fill="{colour}"/>',
            f'<line x1="{_LEFT + half:.1f}" x2="{_LEFT + tail:.1f}" y1="{middle:.1f}"'
            f' y2="{middle:.1f}" stroke="{colour}" stroke-width="2"/>',
            f'<text x="{_LEFT + _PLOT_WIDTH + 10}" y="{middle + 4:.1f}">{escape(label)}</text>',
        ]
    return _frame(body, [], axis, None)


def _round_up(value: float) -> float:
    """Return the next end of an axis whose quarters are short numbers; 1 where there is none."""
    if value <= 0:
        return 1.0
    power: float = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in (1, 2, 4, 6, 8, 10) if step * power >= value)


def _frame(body: list[str], legend: Sequence[str], x: Axis, y: Axis | None) -> str:
    bottom, right = _TOP + _PLOT_HEIGHT, _LEFT + _PLOT_WIDTH
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}"'
        ' font-family="sans-serif" font-size="11" role="img">',
        f"<title>{escape(f'{y.label} over {x.label}' if y else x.label)}</title>",
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fff"/>',
    ]
    for step in range(5):
        share = step / 4
        at_x = _LEFT + share * _PLOT_WIDTH
        value = x.low + share * (x.high - x.low)
        parts.append(
            f'<text x="{at_x:.1f}" y="{bottom + 15}" text-anchor="middle">{value:g}</text>'
        )
        if y:
            at_y = bottom - share * _PLOT_HEIGHT
            parts.append(
                f'<line x1="{_LEFT}" x2="{right}" y1="{at_y:.1f}" y2="{at_y:.1f}" stroke="#ddd"/>'
                f'<text x="{_LEFT - 6}" y="{at_y + 4:.1f}" text-anchor="end">'
                f"{y.low + share * (y.high - y.low):g}</text>"
            )
    parts += body
    parts += [
        f'<path d="M{_LEFT},{_TOP} V{bottom} H{right}" fill="none" stroke="#444"/>',
        f'<text x="{(_LEFT + right) / 2}" y="{bottom + 34}" text-anchor="middle">'
        f"{escape(x.label)}</text>",
    ]
    if y:
        parts.append(f'<text x="{_LEFT}" y="{_TOP - 10}">{escape(y.label)}</text>')
    for index, name in enumerate(legend):
        at = _TOP + 12 + index * 18
        colour = _COLOURS[index % len(_COLOURS)]
        parts.append(
            f'<rect x="{right + 12}" y="{at - 9}" width="10" height="10" fill="{colour}"/>'
            f'<text x="{right + 28}" y="{at}">{escape(name)}</text>'
        )
    return "\n".join([*parts, "</svg>"]) + "\n"
