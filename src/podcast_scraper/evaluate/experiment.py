"""One experiment: systems over one set, measured per query and compared in pairs."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from podcast_scraper.errors import EvaluationError, UsageError
from podcast_scraper.evaluate.groups import Group, field_values, grouped
from podcast_scraper.evaluate.measures import (
    DEFAULT_MEASURES,
    DEPTH,
    MeasureInput,
    Values,
    measure,
    registered_measures,
)
from podcast_scraper.evaluate.paired import Comparison, compare_values
from podcast_scraper.evaluate.rescue_study import RescueStudy, study
from podcast_scraper.evaluate.sets import per_pair
from podcast_scraper.evaluate.spans import to_judged_ids
from podcast_scraper.evaluate.statistics import Estimate, estimate
from podcast_scraper.evaluate.systems import NotApplicable, Ranking, check_names, open_system

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from podcast_scraper.evaluate.sets import QuerySet
    from podcast_scraper.evaluate.workbench import Workbench

    Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Result:
    """What one experiment gives. ``per_query`` is system → query → measure → value.

    ``queries`` maps a query (or a pair, under ``--per-pair``) to its text. ``ceiling`` is the mean
    of each measure over ideal rankings: below 1 where several answers compete for the first rank.
    ``rescue`` looks at the systems that asked a gate; ``groups`` are the values of ``Plan.by``.
    """

    set_name: str
    queries: Mapping[str, str]
    measures: tuple[str, ...]
    per_query: Mapping[str, Mapping[str, Mapping[str, float]]]
    estimates: Mapping[str, Mapping[str, Estimate]]
    comparisons: tuple[Comparison, ...]
    rankings: Mapping[str, Mapping[str, Ranking]]
    not_applicable: Mapping[str, str]
    ceiling: Mapping[str, float]
    rescue: Mapping[str, RescueStudy] = field(default_factory=dict)
    groups: Mapping[str, Group] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run: names of systems and measures, and the modes of the set.

    ``by`` is a field of the queries' meta to report on apart, such as ``meta.kind``.
    """

    systems: tuple[str, ...]
    baseline: str | None = None
    measures: tuple[str, ...] = DEFAULT_MEASURES
    pairs: bool = False
    depth: int = DEPTH
    by: str | None = None


def depth_for(measures: Sequence[str]) -> int:
    """Return how deep rankings must be for these measures, 100 at least."""
    cutoffs = (re.search(r"@(\d+)$", name) for name in measures)
    return max([DEPTH, *(int(found[1]) for found in cutoffs if found)])


def run_experiment(plan: Plan, workbench: Workbench, *, progress: Progress | None = None) -> Result:
    """Run the plan. ``progress`` hears system, queries done, queries in all.

    Raises :class:`UsageError` on unknown names and :class:`EvaluationError` where no named system
    (or not the baseline) can serve the set.
    """
    check_plan(plan)
    if plan.by is not None:
        field_values(workbench.query_set.queries, plan.by)
    rankings, not_applicable = rank_all(plan, workbench, progress=progress)
    return evaluate_rankings(plan, workbench, rankings, not_applicable)


def check_plan(plan: Plan) -> None:
    """Raise :class:`UsageError` on an unknown system, baseline or measure, before a long run."""
    check_names(list(plan.systems))
    if plan.baseline is not None and plan.baseline not in plan.systems:
        raise UsageError("The baseline is not among the systems.", subject=plan.baseline)
    measure(plan.measures, MeasureInput({}, {}, {}))


def rank_all(
    plan: Plan, workbench: Workbench, *, progress: Progress | None = None
) -> tuple[dict[str, dict[str, Ranking]], dict[str, str]]:
    """Let every system answer every query; returns system → query → ranking, and what could not."""
    rankings: dict[str, dict[str, Ranking]] = {}
    not_applicable: dict[str, str] = {}
    for name in plan.systems:
        try:
            system = open_system(name, workbench)
        except NotApplicable as reason:
            not_applicable[name] = str(reason)
            continue
        rankings[name] = {}
        for done, query in enumerate(workbench.query_set.queries, 1):
            rankings[name][query.id] = system.rank(query, plan.depth)
            if progress:
                progress(name, done, len(workbench.query_set.queries))
    if not rankings or (plan.baseline and plan.baseline not in rankings):
        reasons = "; ".join(f"{name} ({why})" for name, why in not_applicable.items())
        raise EvaluationError(
            f"Not applicable to this set: {reasons}.", subject=workbench.query_set.path
        )
    return rankings, not_applicable


def evaluate_rankings(
    plan: Plan,
    workbench: Workbench,
    rankings: Mapping[str, Mapping[str, Ranking]],
    not_applicable: Mapping[str, str],
) -> Result:
    """Measure given rankings: the second half of :func:`run_experiment`."""
    query_set = workbench.query_set
    texts = {query.id: query.text for query in query_set.queries}
    qrels, parents = query_set.qrels, {query: query for query in texts}
    if plan.pairs:
        qrels, parents = per_pair(query_set)
    values = {
        system: measure(plan.measures, _input(workbench, ranked, qrels, parents))
        for system, ranked in rankings.items()
    }
    groups: dict[str, Group] = {}
    if plan.by is not None:
        value_of = field_values(query_set.queries, plan.by)
        cut = {query: value_of[parent] for query, parent in parents.items()}
        groups = grouped(values, cut, plan.baseline)
    return Result(
        set_name=query_set.name,
        queries={query: texts[parent] for query, parent in parents.items()},
        measures=plan.measures,
        per_query={system: _by_query(by_measure) for system, by_measure in values.items()},
        estimates={
            system: {name: estimate(list(one.values())) for name, one in by_measure.items()}
            for system, by_measure in values.items()
        },
        comparisons=compare_values(values, plan.baseline) if plan.baseline else (),
        rankings=rankings,
        not_applicable=not_applicable,
        ceiling=_ceiling(plan.measures, query_set, qrels, parents),
        rescue={
            system: study(_judged(workbench, ranked), query_set.qrels)
            for system, ranked in rankings.items()
            if any(one.gate for one in ranked.values())
        },
        groups=groups,
    )


def _judged(workbench: Workbench, ranked: Mapping[str, Ranking]) -> dict[str, Ranking]:
    """Name the documents of rankings by the judgements that they answer."""
    qrels, span_of = workbench.query_set.qrels, workbench.span_of
    named = {}
    for query, one in ranked.items():
        names = to_judged_ids(one.doc_ids, qrels[query], span_of)
        pairs = zip(one.doc_ids, names, strict=True)
        named[query] = replace(
            one,
            doc_ids=tuple(names),
            rescued=frozenset(name for doc_id, name in pairs if doc_id in one.rescued),
            budget_curve={
                budget: tuple(to_judged_ids(chosen, qrels[query], span_of))
                for budget, chosen in one.budget_curve.items()
            },
        )
    return named


def _input(
    workbench: Workbench,
    ranked: Mapping[str, Ranking],
    qrels: Mapping[str, Mapping[str, int]],
    parents: Mapping[str, str],
) -> MeasureInput:
    names: dict[str, Sequence[str]] = {}
    shows: dict[str, Sequence[str]] = {}
    for query, parent in parents.items():
        doc_ids = ranked[parent].doc_ids
        names[query] = to_judged_ids(doc_ids, qrels[query], workbench.span_of)
        shows[query] = [workbench.show_of(doc_id) for doc_id in doc_ids[:10]]
    return MeasureInput(names, {q: dict(judged) for q, judged in qrels.items()}, shows)


def _by_query(by_measure: Mapping[str, Values]) -> dict[str, dict[str, float]]:
    queries = next(iter(by_measure.values()))
    return {query: {name: by_measure[name][query] for name in by_measure} for query in queries}


def _ceiling(
    measures: Sequence[str],
    query_set: QuerySet,
    qrels: Mapping[str, Mapping[str, int]],
    parents: Mapping[str, str],
) -> dict[str, float]:
    """Means over the ideal ranking of each query; under pairs one ranking serves all of a query."""
    ideal = {
        query: [
            doc for doc, grade in sorted(judged.items(), key=lambda x: (-x[1], x[0])) if grade > 0
        ]
        for query, judged in query_set.qrels.items()
    }
    rankings = {query: ideal[parent] for query, parent in parents.items()}
    judged = {query: dict(grades) for query, grades in qrels.items()}
    of_quality = [name for name in measures if name not in registered_measures()]
    found = measure(of_quality, MeasureInput(rankings, judged, {}))
    return {name: sum(one.values()) / max(1, len(one)) for name, one in found.items()}
