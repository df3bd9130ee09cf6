"""Systems over a set with a graph: what rescue finds, and sets where it cannot be asked."""

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

# d2 answers the question but shares no word with it: only the graph leads there, over the bakery.
DOCUMENTS = {
    "d1": "Sourdough bread of the harbour bakery rises slowly.",
    "d2": "Marta Lind founded the business in 1950.",
    "d3": "Lower tyre pressure grips better.",
}
TRIPLES = [
    {
        "id": "d1",
        "entities": ["Sourdough bread", "harbour bakery"],
        "triples": [["Sourdough bread", "is baked by", "harbour bakery"]],
    },
    {
        "id": "d2",
        "entities": ["Marta Lind", "harbour bakery"],
        "triples": [["Marta Lind", "founded", "harbour bakery"]],
    },
    {"id": "d3", "entities": ["tyre pressure"], "triples": []},
]


@pytest.fixture
def query_set(tmp_path: Path) -> Path:
    path = tmp_path / "tiny"
    path.mkdir()
    for name, rows in (
        ("corpus", [{"id": key, "text": text} for key, text in DOCUMENTS.items()]),
        ("queries", [{"id": "q", "text": "why does sourdough bread rise slowly"}]),
        ("openie", TRIPLES),
    ):
        (path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (path / "qrels.tsv").write_text("q\td1\t1\nq\td2\t1\n")
    return path


def run(query_set: Path, systems: str, *arguments: object) -> Result:
    cache = query_set.parent / "cache"
    return CliRunner().invoke(
        main,
        [
            *("eval", "run", "--set", str(query_set), "--systems", systems),
            *("--cache-dir", str(cache), *map(str, arguments)),
        ],
    )


def test_rescue_is_measured(query_set: Path, tmp_path: Path) -> None:
    file = tmp_path / "out.json"
    result = run(
        query_set,
        "bm25,bm25+rescue:force+coe,bm25+rescue:off,bm25+fused-graph:0.5",
        *("--json", file, "--report", tmp_path / "report"),
    )
    assert result.exit_code == 0, result.output
    report = json.loads(file.read_text())
    assert report["systems"]["bm25"]["R@100"]["mean"] == 0.5
    assert report["systems"]["bm25+rescue:force+coe"]["R@100"]["mean"] == 1.0
    assert report["systems"]["bm25+fused-graph:0.5"]["R@100"]["mean"] == 1.0
    found = report["rescue"]["bm25+rescue:force+coe"]
    assert (found["missing"], found["rescued_relevant"], found["rescued"]) == (1, 1, 1)
    assert found["budgets"]["500"] == 1.0
    off = report["rescue"]["bm25+rescue:off"]
    assert (off["rescued"], off["base_recall"], off["union_recall"]) == (0, 0.5, 0.5)
    assert report["gate"]["bm25+rescue:force+coe"]["reasons"] == {
        "relation-cue": 1,
        "mode-force": 1,
    }
    assert "1 of 1" in result.output
    assert "bm25+rescue:force+coe" in (tmp_path / "report" / "budget.svg").read_text()


def test_a_set_without_a_graph_is_not_applicable(query_set: Path) -> None:
    (query_set / "openie.jsonl").unlink()
    result = run(query_set, "bm25,bm25+rescue,bm25+fused-graph")
    assert result.exit_code == 0, result.output
    assert result.output.count("not applicable: The set has no graph") == 2


@pytest.mark.parametrize(
    ("system", "message"),
    [
        ("bm25+rescue:always", "off, auto, force"),
        ("bm25+fused-graph:much", "from 0 to 100"),
        ("bm25+fused-graph:-1", "from 0 to 100"),
        ("bm25-deeper", "whole number"),
        ("hybrid-deeper:deep", "whole number"),
    ],
)
def test_wrong_parameters_are_usage_errors(query_set: Path, system: str, message: str) -> None:
    result = run(query_set, system)
    assert isinstance(result.exception, UsageError)
    assert message in str(result.exception)


def test_a_corpus_brings_its_own_graph(tiny: Path, tmp_path: Path) -> None:
    path = tmp_path / "judged"
    path.mkdir()
    (path / "set.json").write_text(json.dumps({"corpus": "../tiny"}))
    (path / "queries.jsonl").write_text(json.dumps({"id": "q", "text": "algebra"}) + "\n")
    # b1 shares no word with the query; the graph leads there over the topic of both episodes.
    (path / "qrels.tsv").write_text("q\tinsight:a2\t1\nq\tinsight:b1\t1\n")
    file = tmp_path / "out.json"
    result = run(
        path, "bm25,bm25+rescue:force+packed,bm25+fused-graph,bm25-deeper:5", "--json", file
    )
    assert result.exit_code == 0, result.output
    report = json.loads(file.read_text())
    assert report["systems"]["bm25"]["R@100"]["mean"] == 0.5
    assert report["systems"]["bm25-deeper:5"]["R@100"]["mean"] == 0.5
    assert report["systems"]["bm25+rescue:force+packed"]["R@100"]["mean"] == 1.0
    assert report["systems"]["bm25+fused-graph"]["R@100"]["mean"] == 1.0
    assert report["rescue"]["bm25+rescue:force+packed"]["rescued_relevant"] == 1
    assert report["rescue"]["bm25+rescue:force+packed"]["budgets"]["500"] == 1.0
