"""The command over a set small enough to know the answers: shapes, files and exit codes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from podcast_scraper.cli.main import main
from podcast_scraper.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

pytestmark = pytest.mark.model

DOCUMENTS = {
    "bread": "Sourdough bread rises slowly because wild yeast works at its own pace.",
    "tyre": "Lower tyre pressure grips better on a wet mountain trail.",
    "rates": "The central bank raised interest rates to slow inflation.",
    "sleep": "Going to bed at the same hour every night improves deep sleep.",
}
QUERIES = {"q1": "wild yeast", "q2": "tyre grip in the rain", "q3": "why did rates go up"}
ANSWERS = {"q1": "bread", "q2": "tyre", "q3": "rates"}


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def query_set(tmp_path: Path) -> Path:
    path = tmp_path / "tiny"
    path.mkdir()
    rows = [
        {"id": key, "text": text, "meta": {"episode": "kitchen" if key == "bread" else "other"}}
        for key, text in DOCUMENTS.items()
    ]
    (path / "corpus.jsonl").write_text("\n".join(map(json.dumps, rows)))
    asked = [
        {"id": key, "text": text, "meta": {"episode": "other"}} for key, text in QUERIES.items()
    ]
    (path / "queries.jsonl").write_text("\n".join(map(json.dumps, asked)))
    (path / "qrels.tsv").write_text("".join(f"{q}\t{d}\t1\n" for q, d in ANSWERS.items()))
    (path / "SOURCE.md").write_text("Origin: hand-made. Licence MIT.\n")
    return path


def run(*arguments: object, answers: str = "") -> Result:
    return CliRunner().invoke(main, ["eval", *map(str, arguments)], input=answers)


def test_a_run_writes_the_documented_shape(query_set: Path, cache: Path, tmp_path: Path) -> None:
    file, folder = tmp_path / "out.json", tmp_path / "report"
    result = run(
        *("run", "--set", query_set, "--systems", "bm25,dense,hybrid", "--baseline", "bm25"),
        *("--cache-dir", cache, "--json", file, "--report", folder),
    )
    assert result.exit_code == 0, result.output
    report = json.loads(file.read_text())
    assert (report["set"], report["queries"]) == ("tiny", 3)
    assert report["systems"]["hybrid"]["nDCG@10"]["mean"] == 1.0
    assert report["comparisons"][0].keys() >= {
        *("system", "baseline", "measure", "difference", "low", "high", "p", "win", "tie", "loss")
    }
    assert report["per_query"]["dense"]["q2"]["P@1"] == 1.0
    assert {path.name for path in folder.iterdir()} == {
        *("report.json", "report.md", "latency.svg", "ndcg-per-query.svg")
    }
    assert "| hybrid | 1.000 [1.000, 1.000]" in result.output


def test_a_restricted_run_leaves_other_episodes_out(
    query_set: Path, cache: Path, tmp_path: Path
) -> None:
    file = tmp_path / "out.json"
    result = run(
        *("run", "--set", query_set, "--systems", "dense", "--restrict", "episode"),
        *("--cache-dir", cache, "--json", file),
    )
    assert result.exit_code == 0, result.output
    recall = {q: v["R@100"] for q, v in json.loads(file.read_text())["per_query"]["dense"].items()}
    assert recall == {"q1": 0.0, "q2": 1.0, "q3": 1.0}


def test_worse_than_asked_is_exit_4(query_set: Path, cache: Path) -> None:
    common = ("run", "--set", query_set, "--systems", "dense", "--cache-dir", cache)
    assert run(*common, "--restrict", "episode", "--fail-below", "0.9").exit_code == 4
    assert run(*common, "--fail-below", "0.9").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--systems", "nonsense"), "Unknown systems: nonsense"),
        (("--systems", "bm25", "--measures", "zDCG@5"), "Unknown measure: zDCG@5"),
        (("--systems", "bm25", "--restrict", "planet"), "have no planet"),
        (("--systems", "bm25", "--fail-if-worse"), "--baseline"),
    ],
)
def test_wrong_usage(query_set: Path, arguments: tuple[str, ...], message: str) -> None:
    result = run("run", "--set", query_set, *arguments)
    assert isinstance(result.exception, UsageError)
    assert result.exception.exit_code == 2
    assert message in str(result.exception)


def test_two_reports_are_compared(query_set: Path, cache: Path, tmp_path: Path) -> None:
    files = [tmp_path / "a.json", tmp_path / "b.json"]
    for file, system in zip(files, ("bm25", "dense"), strict=True):
        run(
            *("run", "--set", query_set, "--systems", system),
            *("--cache-dir", cache, "--json", file),
        )
    result = run("compare", *files)
    assert result.exit_code == 0, result.output
    assert "dense (after) − bm25 (before) | nDCG@10" in result.output


def test_sets_and_systems_are_listed(query_set: Path) -> None:
    listed = run("sets", query_set.parent).output
    assert "| 4 | 3 | 3 | MIT | hand-made |" in listed
    assert "hybrid" in run("systems").output


def test_two_graders_judge_the_pool(query_set: Path, cache: Path) -> None:
    (query_set / "qrels.tsv").unlink()  # a set is judged from nothing
    common = ("judge", "--set", query_set, "--depth", "1", "--cache-dir", cache)
    first = run(*common, "--grader", "first", answers="2\n2\n1\nq\n")
    assert first.exit_code == 0, first.output
    assert run(*common, "--grader", "second", answers="2\n0\nq\n").exit_code == 0
    agreement = run("judge", "--set", query_set, "--agreement").output
    assert "first, second: 2 items, equal on 50%" in agreement
    assert run("judge", "--set", query_set, "--write-qrels").exit_code == 0
    assert sum(line.endswith("\t2") for line in (query_set / "qrels.tsv").read_text().split("\n"))
