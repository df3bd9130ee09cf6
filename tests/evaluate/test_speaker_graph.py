"""The graph of a set that names speakers, against what the set says."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from podcast_scraper.evaluate.experiment import Plan, rank_all
from podcast_scraper.evaluate.set_workbench import SetWorkbench, open_set_workbench
from podcast_scraper.evaluate.sets import load_set
from podcast_scraper.evaluate.speaker_graph import speaker_graph
from podcast_scraper.evaluate.systems import load_systems
from podcast_scraper.search.kg_proximity import KGProximitySearch

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.model

TALKS = [
    {"id": "tea", "text": "Tea wants patience.", "meta": {"speakers": ["Ada Quill"]}},
    {"id": "rain", "text": "Rain on tin.", "meta": {"speakers": ["Ada Quill", "Bo Finch"]}},
    {"id": "moss", "text": "Moss grows slowly.", "meta": {"speakers": ["Cy Marl"]}},
]


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[SetWorkbench]:
    folder = tmp_path / "talks"
    folder.mkdir()
    (folder / "corpus.jsonl").write_text("\n".join(json.dumps(talk) for talk in TALKS))
    query = {"id": "q", "text": "What does Ada Quill say about weather?"}
    (folder / "queries.jsonl").write_text(json.dumps(query))
    (folder / "qrels.tsv").write_text("q\train\t1\n")
    opened = open_set_workbench(load_set(folder), cache_dir=tmp_path)
    yield opened
    opened.close()


def test_people_reach_the_talks_they_speak_in(bench: SetWorkbench) -> None:
    found = speaker_graph(bench)
    assert found is not None
    graph, resolver = found
    assert resolver.resolve("Bo Finch") == "person:bo-finch"
    assert [one.id for one in resolver.mentions("what Ada Quill says")] == ["person:ada-quill"]
    near = KGProximitySearch(graph).search("person:ada-quill")
    assert [(one.doc_id, one.score) for one in near] == [("rain", 1 / 3), ("tea", 1 / 3)]


def test_proximity_serves_such_a_set(bench: SetWorkbench) -> None:
    load_systems()
    rankings, missing = rank_all(Plan(systems=("hybrid:rrf", "hybrid+kg-rerank")), bench)
    assert missing == {}
    ranking = rankings["hybrid+kg-rerank"]["q"]
    assert set(ranking.doc_ids[:2]) == {"rain", "tea"}
    assert ranking.gate is not None
    assert ranking.gate.fired


def test_a_set_without_speakers_has_no_graph(tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "corpus.jsonl").write_text('{"id": "a", "text": "Words."}')
    (folder / "queries.jsonl").write_text('{"id": "q", "text": "words"}')
    (folder / "qrels.tsv").write_text("q\ta\t1\n")
    bench = open_set_workbench(load_set(folder), cache_dir=tmp_path)
    assert speaker_graph(bench) is None
    bench.close()
