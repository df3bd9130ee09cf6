"""From rankings to a report, over a set small enough to work out by hand."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from podcast_scraper.errors import EvaluationError, UsageError
from podcast_scraper.evaluate import systems
from podcast_scraper.evaluate.compare import compare_reports
from podcast_scraper.evaluate.experiment import Plan, Result, evaluate_rankings, run_experiment
from podcast_scraper.evaluate.markdown import to_markdown
from podcast_scraper.evaluate.plots import plots_of
from podcast_scraper.evaluate.report import as_report, read_json, write_json
from podcast_scraper.evaluate.sets import QuerySet, SetItem
from podcast_scraper.evaluate.systems import GateOutcome, NotApplicable, Ranking

if TYPE_CHECKING:
    from podcast_scraper.evaluate.spans import Span


class Bench:
    """A workbench whose documents are named by a letter and belong to a show of the same name."""

    def __init__(self, queries: int = 6) -> None:
        ids = [f"q{i}" for i in range(queries)]
        self.query_set = QuerySet(
            name="tiny",
            path=Path("tiny"),
            documents=tuple(SetItem(letter, letter) for letter in "abcd"),
            queries=tuple(SetItem(q, f"text of {q}") for q in ids),
            qrels={q: {"a": 2, "b": 1} for q in ids},
        )

    def span_of(self, doc_id: str) -> Span | None:
        return None

    def show_of(self, doc_id: str) -> str:
        return doc_id


class Fixed:
    """Answers every query with the same list."""

    def __init__(self, *doc_ids: str) -> None:
        self.ranking = Ranking(
            doc_ids, {"bm25": 2.0}, gate=GateOutcome(True, ("mode-force",)), rescued=frozenset("d")
        )

    def rank(self, query: SetItem, k: int) -> Ranking:
        return self.ranking


@pytest.fixture(autouse=True)
def toy_systems(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(systems, "_REGISTRY", {})
    systems.register("good", "a first")(lambda bench, _: Fixed("a", "b", "c"))
    systems.register("bad", "a last")(lambda bench, _: Fixed("c", "d", "b", "a"))

    @systems.register("graph", "needs a graph", parameter="WEIGHT")
    def graph(bench: object, parameter: str | None) -> Fixed:
        raise NotApplicable("the set has no graph")


def run(**changes: object) -> Result:
    plan = Plan(systems=("bad", "good", "graph:0.5"), baseline="good", **changes)  # type: ignore[arg-type]
    return run_experiment(plan, Bench())


def test_a_run_gives_means_differences_and_what_did_not_apply() -> None:
    report = as_report(run())
    assert report["systems"]["good"]["nDCG@10"] == {"mean": 1.0, "low": 1.0, "high": 1.0}
    # By hand: (1/log2 4 + 2/log2 5) / (2 + 1/log2 3)
    assert report["systems"]["bad"]["nDCG@10"]["mean"] == pytest.approx(0.51745, abs=1e-4)
    (ndcg,) = [one for one in report["comparisons"] if one["measure"] == "nDCG@10"]
    assert (ndcg["win"], ndcg["tie"], ndcg["loss"]) == (0, 0, 6)
    assert ndcg["p"] == pytest.approx(2 / 2**6)
    assert ndcg["difference"] < 0
    assert report["not_applicable"] == {"graph:0.5": "the set has no graph"}
    assert report["latency_ms"]["good"]["bm25"] == {"p50": 2.0, "p95": 2.0, "p99": 2.0}
    assert report["gate"]["good"]["fired"] == 1.0


def test_pairs_have_a_ceiling_below_one() -> None:
    result = run(pairs=True)
    assert len(result.queries) == 12
    # One ranking serves both pairs: one answer is first, the other second, 1/log2 3.
    assert result.ceiling["nDCG@10"] == pytest.approx((1 + 0.63093) / 2, abs=1e-4)
    assert result.estimates["good"]["nDCG@10"].mean == pytest.approx(result.ceiling["nDCG@10"])


def test_wrong_names_are_wrong_usage() -> None:
    with pytest.raises(UsageError, match=r"Unknown systems: nope\. There are: good"):
        run_experiment(Plan(systems=("nope", "good")), Bench())
    with pytest.raises(UsageError, match="good:3"):
        run_experiment(Plan(systems=("good:3",)), Bench())
    with pytest.raises(UsageError, match="baseline"):
        run_experiment(Plan(systems=("good",), baseline="bad"), Bench())
    with pytest.raises(UsageError, match="nDCG@x"):
        run_experiment(Plan(systems=("good",), measures=("nDCG@x",)), Bench())


def test_nothing_applicable_is_an_error() -> None:
    with pytest.raises(EvaluationError, match="no graph"):
        run_experiment(Plan(systems=("graph",)), Bench())


def test_json_comes_back_and_markdown_and_plots_follow(tmp_path: Path) -> None:
    report = as_report(run())
    write_json(report, tmp_path / "report.json")
    assert read_json(tmp_path / "report.json") == json.loads(json.dumps(report))
    text = to_markdown(report, ["ndcg-per-query.svg"])
    assert "| good | 1.000 [1.000, 1.000]" in text
    assert "Worst losers of bad" in text
    assert "graph:0.5: not applicable: the set has no graph" in text
    plots = plots_of(report)
    assert plots.keys() == {"ndcg-per-query.svg", "latency.svg"}
    for svg in plots.values():
        assert ET.fromstring(svg).tag == "{http://www.w3.org/2000/svg}svg"


def test_compare_pairs_systems_by_name() -> None:
    bench = Bench()
    plan = Plan(systems=("s",))
    ranked = {"s": {q.id: Ranking(("a", "b")) for q in bench.query_set.queries}}
    before = as_report(evaluate_rankings(plan, bench, ranked, {}))
    ranked["s"]["q0"] = Ranking(("b", "a"))
    after = as_report(evaluate_rankings(plan, bench, ranked, {}))
    (ndcg,) = [one for one in compare_reports(before, after) if one.measure == "nDCG@10"]
    assert (ndcg.test.win, ndcg.test.tie, ndcg.test.loss) == (0, 5, 1)
    assert ndcg.test.p == 1.0
    with pytest.raises(EvaluationError, match="two sets"):
        compare_reports(before, {**after, "set": "other"})
    fewer = {"s": dict(list(after["per_query"]["s"].items())[1:])}
    with pytest.raises(EvaluationError, match="different queries"):
        compare_reports(before, {**after, "per_query": fewer})


def test_a_file_that_is_no_report_is_named(tmp_path: Path) -> None:
    (tmp_path / "list.json").write_text("[]")
    with pytest.raises(EvaluationError, match="not a report"):
        read_json(tmp_path / "list.json")
