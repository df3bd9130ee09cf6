"""``podcast-scraper eval``: run systems over a query set, compare reports, list sets, judge."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from podcast_scraper.errors import PodcastScraperError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from podcast_scraper.evaluate.experiment import Result
    from podcast_scraper.evaluate.judging import GradeBook
    from podcast_scraper.evaluate.paired import Comparison
    from podcast_scraper.evaluate.sets import QuerySet
    from podcast_scraper.evaluate.workbench import Workbench

_WORSE = 4
_FILE = click.Path(dir_okay=False, path_type=Path)
_FOLDER = click.Path(file_okay=False, path_type=Path)


@click.group("eval")
def eval_group() -> None:
    """Measure systems over judged query sets."""


def _names(value: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in value.split(",") if name.strip())


@eval_group.command("run")
@click.option("--set", "set_path", type=_FOLDER, required=True, help="Directory of the query set.")
@click.option("--systems", required=True, help="Names, comma-separated (see `eval systems`).")
@click.option("--baseline", help="The system that the others are compared with.")
@click.option("--measures", help="Names, comma-separated; the first one decides pass or fail.")
@click.option("--restrict", metavar="FIELD", help="Search only documents with the query's FIELD.")
@click.option("--entity-queries", is_flag=True, help="Only queries that name a known entity.")
@click.option("--by", metavar="FIELD", help="Also report by a field of queries, as meta.kind.")
@click.option("--per-pair", is_flag=True, help="Make each relevant judgement a query of its own.")
@click.option("--limit", type=click.IntRange(min=1), help="Only the first N queries.")
@click.option("--sample", type=click.IntRange(min=1), help="Only N queries, drawn with a seed.")
@click.option("--model", help="Embedding model; default is the packaged one.")
@click.option("--cache-dir", type=_FOLDER, help="Where vectors and indexes of sets are kept.")
@click.option("--json", "json_file", type=_FILE, help="Write the report as JSON.")
@click.option("--report", "report_dir", type=_FOLDER, help="Write Markdown, JSON and SVG plots.")
@click.option("--fail-below", type=float, help="Exit 4 if a system's first measure is below this.")
@click.option("--fail-if-worse", is_flag=True, help="Exit 4 if a system loses (Holm p < .05).")
def run_command(
    set_path: Path,
    systems: str,
    baseline: str | None,
    measures: str | None,
    restrict: str | None,
    entity_queries: bool,
    by: str | None,
    per_pair: bool,
    limit: int | None,
    sample: int | None,
    model: str | None,
    cache_dir: Path | None,
    json_file: Path | None,
    report_dir: Path | None,
    fail_below: float | None,
    fail_if_worse: bool,
) -> None:
    """Run SYSTEMS over a set; print the report as Markdown."""
    from podcast_scraper.evaluate import experiment, report
    from podcast_scraper.evaluate.sets import load_set

    if fail_if_worse and baseline is None:
        raise UsageError("--fail-if-worse needs a --baseline.")
    plan = experiment.Plan(systems=_names(systems), baseline=baseline, pairs=per_pair, by=by)
    if measures:
        names = _names(measures)
        plan = replace(plan, measures=names, depth=experiment.depth_for(names))
    _check(plan)
    query_set = load_set(set_path, limit=limit, sample=sample)
    bench = _workbench(query_set, restrict, model, cache_dir, entity_queries)
    result = experiment.run_experiment(plan, bench, progress=_progress)
    settings = bench.settings() | {"per_pair": per_pair, "limit": limit}
    settings |= {"sample": sample, "entity_queries": entity_queries, "by": by}
    result = replace(result, settings=settings)
    written = report.as_report(result)
    if json_file:
        report.write_json(written, json_file)
    _write_report(written, report_dir)
    _exit_code(result, plan.measures[0], fail_below, fail_if_worse)


@eval_group.command("compare")
@click.argument("before", type=_FILE)
@click.argument("after", type=_FILE)
@click.option("--fail-if-worse", is_flag=True, help="Exit 4 if a system loses (Holm p < .05).")
def compare_command(before: Path, after: Path, fail_if_worse: bool) -> None:
    """Compare two JSON reports of one set, query by query."""
    from podcast_scraper.evaluate.compare import compare_reports
    from podcast_scraper.evaluate.markdown import comparison_table
    from podcast_scraper.evaluate.report import as_comparison, read_json

    comparisons = compare_reports(read_json(before), read_json(after))
    click.echo(comparison_table([as_comparison(one) for one in comparisons]))
    if fail_if_worse and _lost(comparisons, comparisons[0].measure):
        raise SystemExit(_WORSE)


@eval_group.command("sets")
@click.argument("roots", nargs=-1, type=_FOLDER)
def sets_command(roots: tuple[Path, ...]) -> None:
    """List query sets under ROOTS.

    Default: data/eval and the directories of $PODCAST_SCRAPER_EVAL_SETS.
    """
    from podcast_scraper.evaluate.markdown import table
    from podcast_scraper.evaluate.sets import find_sets, load_set

    extra = os.environ.get("PODCAST_SCRAPER_EVAL_SETS", "")
    places = list(roots) or [Path("data/eval"), *map(Path, filter(None, extra.split(os.pathsep)))]
    rows = []
    for path in find_sets(places):
        try:
            found = load_set(path)
        except PodcastScraperError as error:
            click.echo(f"{path}: {error}", err=True)
            continue
        judged = sum(len(grades) for grades in found.qrels.values())
        documents = f"corpus {found.corpus}" if found.corpus else str(len(found.documents))
        rows.append(
            [
                str(path),
                documents,
                str(len(found.queries)),
                str(judged),
                found.licence,
                found.origin,
            ]
        )
    for place in places:
        if not place.is_dir():
            click.echo(f"{place}: no such directory, skipped", err=True)
    click.echo(table(["set", "documents", "queries", "judgements", "licence", "origin"], rows))


@eval_group.command("systems")
def systems_command() -> None:
    """List the systems and the measures that can be named."""
    from podcast_scraper.evaluate import measures, systems

    systems.load_systems()
    for one in systems.registered():
        name = f"{one.name}[:{one.parameter}]" if one.parameter else one.name
        click.echo(f"{name:28} {one.summary}")
    click.echo(f"\nMeasures: {', '.join(measures.DEFAULT_MEASURES)} and others of ir-measures;")
    click.echo(f"also {', '.join(measures.registered_measures())}.")


@eval_group.command("train")
@click.argument("sets", nargs=-1, required=True)
@click.option("--out", type=_FILE, required=True, help="Write the linear reranker here.")
@click.option("--model", help="Embedding model; default is the packaged one.")
@click.option("--cache-dir", type=_FOLDER, help="Where vectors and indexes of sets are kept.")
def train_command(
    sets: tuple[str, ...], out: Path, model: str | None, cache_dir: Path | None
) -> None:
    """Learn the linear reranker on SETS, directories with an optional `:FIELD` to restrict to.

    Restricted sets teach searches within an episode, the others searches over a corpus.
    """
    from podcast_scraper.evaluate.sets import load_set
    from podcast_scraper.evaluate.training import examples_of, learn
    from podcast_scraper.search.rerank.linear import SCOPES, LinearModel

    examples: dict[str, list[Any]] = {scope: [] for scope in SCOPES}
    record = []
    for argument in sets:
        path, _, restrict = argument.partition(":")
        bench = _workbench(load_set(Path(path)), restrict or None, model, cache_dir)
        found = examples_of(bench)
        examples["episode" if restrict else "corpus"].append(found)
        record.append(
            {"set": bench.query_set.name, "restrict": restrict, "queries": len(found)}
            | {"encoder": bench.settings()["encoder"], "licence": bench.query_set.licence}
        )
        click.echo(f"{argument}: {len(found)} queries with a relevant document", err=True)
    missing = [scope for scope, learnt in examples.items() if not learnt]
    if missing:
        raise UsageError(f"No set teaches searches of the scope {missing[0]}.", subject=sets)
    weights = {scope: tuple(learn(learnt, scope).tolist()) for scope, learnt in examples.items()}
    LinearModel(weights, {"seed": None, "sets": record}).save(out)


@eval_group.command("judge")
@click.option("--set", "set_path", type=_FOLDER, required=True, help="Directory of the query set.")
@click.option("--grader", help="Your name: grade the pooled results of the systems.")
@click.option("--systems", default="bm25,dense", show_default=True, help="Systems to pool.")
@click.option("--depth", default=10, show_default=True, help="Results pooled from each system.")
@click.option("--agreement", is_flag=True, help="Print the agreement of every two graders.")
@click.option("--write-qrels", is_flag=True, help="Write qrels.tsv from all grades.")
@click.option("--cache-dir", type=_FOLDER, help="Where vectors and indexes of sets are kept.")
def judge_command(
    set_path: Path,
    grader: str | None,
    systems: str,
    depth: int,
    agreement: bool,
    write_qrels: bool,
    cache_dir: Path | None,
) -> None:
    """Grade pooled results blindly, see how far graders agree, write the judgements."""
    from podcast_scraper.evaluate import judging
    from podcast_scraper.evaluate.sets import load_set

    if not (grader or agreement or write_qrels):
        raise UsageError("Name a --grader, or ask for --agreement or --write-qrels.")
    if grader:
        bench = _workbench(load_set(set_path, judged=False), None, None, cache_dir)
        _grade(bench, judging.GradeBook(set_path, grader), _names(systems), depth)
    grades = judging.all_grades(set_path)
    if agreement:
        found = judging.agreements(grades)
        if not found:
            raise UsageError("Agreement needs two graders with items in common.")
        for one in found:
            click.echo(
                f"{one.first}, {one.second}: {one.shared} items, equal on {one.equal:.0%},"
                f" weighted kappa {one.kappa:.3f}"
            )
    if write_qrels:
        qrels = judging.merge(grades)
        if not qrels:
            raise UsageError("There are no grades to write.", subject=set_path)
        judging.write_qrels(qrels, set_path / "qrels.tsv")


def _grade(bench: Workbench, book: GradeBook, systems: tuple[str, ...], depth: int) -> None:
    from podcast_scraper.evaluate.experiment import Plan, rank_all
    from podcast_scraper.evaluate.judging import pool

    plan = Plan(systems=systems, depth=depth)
    _check(plan)
    rankings, _ = rank_all(plan, bench, progress=_progress)
    for query in bench.query_set.queries:
        for doc_id in pool(rankings, query.id, depth):
            judged_id = bench.judged_id(doc_id)
            if (query.id, judged_id) in book.grades:
                continue
            click.echo(f"\nQuery: {query.text}\n\n{bench.text_of(doc_id)}\n")
            answer = click.prompt(
                "0 no use, 1 on the subject, 2 partly, 3 answers, s skip, q stop",
                type=click.Choice(["0", "1", "2", "3", "s", "q"]),
                show_choices=False,
            )
            if answer == "q":
                return
            if answer != "s":
                book.record(query.id, judged_id, int(answer))


def _check(plan: Any) -> None:
    from podcast_scraper.evaluate.experiment import check_plan
    from podcast_scraper.evaluate.systems import load_systems

    load_systems()
    check_plan(plan)


def _workbench(
    query_set: QuerySet,
    restrict: str | None,
    model: str | None,
    cache_dir: Path | None,
    entity_queries: bool = False,
) -> Workbench:
    if query_set.corpus is not None:
        from podcast_scraper.evaluate.corpus_workbench import open_corpus_workbench

        return open_corpus_workbench(
            query_set,
            restrict=restrict,
            model=model,
            cache_dir=cache_dir,
            entity_queries=entity_queries,
        )
    if entity_queries:
        raise UsageError(
            "--entity-queries needs a set over an artifact corpus.", subject=query_set.path
        )
    from podcast_scraper.evaluate.set_workbench import open_set_workbench

    return open_set_workbench(
        query_set, restrict=restrict, model=model, cache_dir=cache_dir, progress=_progress
    )


def _progress(system: str, done: int, total: int) -> None:
    if done == total or done % 100 == 0:
        click.echo(f"{system}: {done}/{total} queries", err=True)


def _write_report(written: dict[str, Any], folder: Path | None) -> None:
    from podcast_scraper.evaluate.markdown import to_markdown
    from podcast_scraper.evaluate.plots import plots_of
    from podcast_scraper.evaluate.report import write_json

    click.echo(to_markdown(written))
    if folder:
        plots = plots_of(written)
        write_json(written, folder / "report.json")
        for name, svg in plots.items():
            (folder / name).write_text(svg, encoding="utf-8")
        (folder / "report.md").write_text(to_markdown(written, list(plots)), encoding="utf-8")


def _exit_code(result: Result, measure: str, fail_below: float | None, fail_if_worse: bool) -> None:
    low = [
        name
        for name, values in result.estimates.items()
        if fail_below is not None and values[measure].mean < fail_below
    ]
    lost = _lost(result.comparisons, measure) if fail_if_worse else []
    for name in low:
        click.echo(f"{name}: {measure} is below {fail_below}", err=True)
    for name in lost:
        click.echo(f"{name}: significantly worse than the baseline in {measure}", err=True)
    if low or lost:
        raise SystemExit(_WORSE)


def _lost(comparisons: Sequence[Comparison], measure: str) -> list[str]:
    return [
        one.system
        for one in comparisons
        if one.measure == measure and one.test.difference < 0 and one.p_holm < 0.05
    ]
