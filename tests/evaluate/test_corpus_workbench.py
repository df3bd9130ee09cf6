"""The sample corpus as a workbench, and KG proximity over it (RFC-091)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from podcast_scraper.errors import EvaluationError
from podcast_scraper.evaluate.corpus_workbench import CorpusWorkbench, open_corpus_workbench
from podcast_scraper.evaluate.experiment import Plan, rank_all
from podcast_scraper.evaluate.sets import SetItem, load_set
from podcast_scraper.evaluate.spans import parse_span
from podcast_scraper.evaluate.systems import NotApplicable, load_systems, open_system
from podcast_scraper.search.kg_proximity import KGProximitySearch
from tests.corpora import SAMPLE
from tests.evaluate.test_experiment import Bench

if TYPE_CHECKING:
    from pathlib import Path

    from podcast_scraper.corpus import Corpus

pytestmark = pytest.mark.model

SAMPLE_SET = SAMPLE.parent / "eval" / "sample"
NAMED = SetItem("named", "Edda Quillfeather")
UNNAMED = SetItem("unnamed", "why does nobody repair things any more")


@pytest.fixture(scope="module", autouse=True)
def systems() -> None:
    load_systems()


@pytest.fixture
def bench(sample: Corpus) -> CorpusWorkbench:
    return CorpusWorkbench(load_set(SAMPLE_SET), sample, None)


def test_segments_are_judged_by_span_and_insights_by_id(bench: CorpusWorkbench) -> None:
    system = open_system("bm25", bench)
    found = system.rank(SetItem("q", "seed vault"), 50).doc_ids
    insight = next(one for one in found if one.startswith("insight:"))
    segment = next(one for one in found if one.startswith("segment:"))
    assert bench.judged_id(insight) == insight
    assert parse_span(bench.judged_id(segment)) == bench.span_of(segment)
    document = bench.backend.fetch([segment])[segment]
    span = bench.span_of(segment)
    assert span is not None
    assert document.start is not None
    assert span.start_ms == round(document.start * 1000)
    assert bench.show_of(segment) == document.show_id
    assert bench.text_of(segment) == document.text


def test_a_query_names_one_entity_or_none(bench: CorpusWorkbench) -> None:
    assert bench.entity_of(NAMED.text) == "person:edda-quillfeather"
    assert bench.entity_of(f"what did {NAMED.text} say about seeds") == "person:edda-quillfeather"
    assert bench.entity_of(UNNAMED.text) is None


def test_without_an_entity_proximity_changes_nothing(bench: CorpusWorkbench) -> None:
    plain = open_system("hybrid:rrf", bench).rank(UNNAMED, 100)
    for name in ("hybrid+kg-union", "hybrid+kg-rerank"):
        ranking = open_system(name, bench).rank(UNNAMED, 100)
        assert ranking.doc_ids == plain.doc_ids
        assert ranking.gate is not None
        assert not ranking.gate.fired


def test_proximity_reranks_what_is_near_to_the_front(bench: CorpusWorkbench) -> None:
    plain = open_system("hybrid:rrf", bench).rank(NAMED, 200)
    ranking = open_system("hybrid+kg-rerank", bench).rank(NAMED, 200)
    near = KGProximitySearch(bench.corpus.graph).search("person:edda-quillfeather", k=100)
    scores = {one.doc_id: one.score for one in near}
    assert sorted(ranking.doc_ids) == sorted(plain.doc_ids)
    assert ranking.doc_ids == tuple(
        sorted(plain.doc_ids, key=lambda one: (-scores.get(one, 0.0), plain.doc_ids.index(one)))
    )
    assert ranking.gate is not None
    assert ranking.gate.reasons == ("person",)


def test_proximity_needs_a_corpus() -> None:
    with pytest.raises(NotApplicable, match="no artifact corpus and names no speakers"):
        open_system("hybrid+kg-union", Bench())  # type: ignore[arg-type]


def test_every_query_of_the_sample_is_answered(bench: CorpusWorkbench) -> None:
    rankings, missing = rank_all(Plan(systems=("hybrid",)), bench)
    assert missing == {}
    assert all(ranking.doc_ids for ranking in rankings["hybrid"].values())


def test_a_missing_corpus_is_named(tmp_path: Path) -> None:
    path = tmp_path / "set"
    path.mkdir()
    (path / "set.json").write_text('{"corpus": "nowhere"}')
    (path / "queries.jsonl").write_text('{"id": "q", "text": "words"}\n')
    (path / "qrels.tsv").write_text("q\te@0-10\t1\n")
    with pytest.raises(EvaluationError, match="nowhere"):
        open_corpus_workbench(load_set(path), cache_dir=tmp_path)
