"""A report as Markdown: what a reader wants first, then the comparisons, then the losers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def to_markdown(report: Mapping[str, Any], plots: Sequence[str] = ()) -> str:
    """Render a report; ``plots`` are file names of images to show, relative to the text."""
    parts = [
        f"# {report['set']}: {', '.join(report['systems'])}",
        f"{report['queries']} queries. {_settings(report['settings'])}",
        _means(report),
        *(f"- {name}: not applicable: {why}" for name, why in report["not_applicable"].items()),
        comparison_table(report["comparisons"]) if report["comparisons"] else "",
        _groups(report),
        _losers(report),
        _latency(report),
        _gate(report),
        _rescue(report),
        _budgets(report),
        *(f"![{name.removesuffix('.svg')}]({name})" for name in plots),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; a bar in a cell is escaped."""
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def interval(entry: Mapping[str, float], sign: str = "") -> str:
    """``.474 [.459, .489]``: mean (or difference) with its 95 % interval."""
    centre = entry["mean"] if "mean" in entry else entry["difference"]
    low, high = (_short(entry[key], sign) for key in ("low", "high"))
    return f"{_short(centre, sign)} [{low}, {high}]"


def _short(value: float, sign: str = "") -> str:
    text = f"{value:{sign}.3f}"
    return text.replace("0.", ".", 1) if abs(value) < 1 else text


def _settings(settings: Mapping[str, Any]) -> str:
    return "; ".join(
        f"{key}: {value}" for key, value in settings.items() if value not in (None, "")
    )


def _means(report: Mapping[str, Any]) -> str:
    systems = report["systems"]
    names = list(next(iter(systems.values())))
    rows = [
        [system, *(interval(values[name]) for name in names)] for system, values in systems.items()
    ]
    ceiling = report["ceiling"]
    if any(value < 1 - 1e-9 for value in ceiling.values()):
        rows.append(
            ["ceiling", *(_short(ceiling[name]) if name in ceiling else "" for name in names)]
        )
    return "Mean with 95 % bootstrap interval:\n\n" + table(["system", *names], rows)


def comparison_table(comparisons: Sequence[Mapping[str, Any]]) -> str:
    """Paired differences, one row a comparison."""
    rows = [
        [
            f"{one['system']} − {one['baseline']}",
            one["measure"],
            interval(one, "+"),
            f"{one['p']:.4f}",
            f"{one['p_holm']:.4f}",
            f"{one['win']}/{one['tie']}/{one['loss']}",
        ]
        for one in comparisons
    ]
    head = ["systems", "measure", "difference [95 %]", "p", "p (Holm)", "win/tie/loss"]
    return "Paired differences (sign-flip permutation test):\n\n" + table(head, rows)


def _groups(report: Mapping[str, Any]) -> str:
    """One row a group and system: means, and the difference from the baseline."""
    rows = []
    for value, group in report.get("groups", {}).items():
        tests = {(one["system"], one["measure"]): one for one in group["comparisons"]}
        for system, means in group["systems"].items():
            for name, mean in means.items():
                test = tests.get((system, name))
                difference = f"{interval(test, '+')} p {test['p_holm']:.4f}" if test else ""
                cells = [value, str(group["queries"]), system, name, interval(mean), difference]
                rows.append(cells)
    head = [str(report["settings"].get("by")), "queries", "system", "measure", "mean [95 %]"]
    head.append("− baseline [95 %], p (Holm)")
    return "By group:\n\n" + table(head, rows) if rows else ""


def _losers(report: Mapping[str, Any]) -> str:
    lists = []
    first = report["comparisons"][0]["measure"] if report["comparisons"] else ""
    for one in report["comparisons"]:
        if one["measure"] != first or not one["losers"]:
            continue
        lines = [f"Worst losers of {one['system']} ({first}):\n"]
        for query in one["losers"]:
            mine = report["per_query"][one["system"]][query][first]
            base = report["per_query"][one["baseline"]][query][first]
            text = report.get("query_texts", {}).get(query, "")
            lines.append(f"- {_short(base)} → {_short(mine)} `{query}` {text}")
        lists.append("\n".join(lines))
    return "\n\n".join(lists)


def _latency(report: Mapping[str, Any]) -> str:
    rows = [
        [system, stage, *(f"{values[p]:.1f}" for p in ("p50", "p95", "p99"))]
        for system, stages in report.get("latency_ms", {}).items()
        for stage, values in stages.items()
    ]
    return table(["system", "stage", "p50 ms", "p95 ms", "p99 ms"], rows) if rows else ""


def _gate(report: Mapping[str, Any]) -> str:
    lines = []
    for system, gate in report.get("gate", {}).items():
        if gate:
            reasons = ", ".join(f"{name} {count}" for name, count in gate["reasons"].items())
            lines.append(
                f"- {system}: gate fired on {gate['fired']:.0%} of {gate['asked']} queries"
                f" ({reasons or 'no reason'}); {gate['rescued_mean']:.1f} rescued a query"
            )
    return "\n".join(lines)


def _rescue(report: Mapping[str, Any]) -> str:
    rows = [
        [
            system,
            str(one["rescued"]),
            f"{one['rescued_relevant']} of {one['missing']}",
            f"{_short(one['base_recall'])} → {_short(one['union_recall'])}",
            interval(one["promotion"], "+"),
        ]
        for system, one in report.get("rescue", {}).items()
    ]
    head = ["system", "rescued", "relevant", "recall, base → union", "nDCG@10 if promoted"]
    title = "Rescue: relevant documents that the base lacks and the graph found\n\n"
    return title + table(head, rows) if rows else ""


def _budgets(report: Mapping[str, Any]) -> str:
    curves = {
        system: one["budgets"] for system, one in report.get("rescue", {}).items() if one["budgets"]
    }
    if not curves:
        return ""
    budgets = list(next(iter(curves.values())))
    rows = [[system, *(_short(curve[b]) for b in budgets)] for system, curve in curves.items()]
    return "Recall of what was selected, by tokens:\n\n" + table(
        ["system", *(str(budget) for budget in budgets)], rows
    )
