"""Reading query sets: both spellings, every problem named, and the shared sets' known counts."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest

from podcast_scraper.errors import EvaluationError
from podcast_scraper.evaluate.sets import find_sets, load_set, per_pair
from tests.shared_data import shared

if TYPE_CHECKING:
    from pathlib import Path


def write_set(path: Path, qrels: str = "q1\ta\t2\nq1\tb\t1\nq2\tb\t0\n") -> Path:
    path.mkdir(parents=True)
    documents = [{"id": "a", "text": "alpha", "meta": {"show": "s"}}, {"id": "b", "text": "beta"}]
    with gzip.open(path / "corpus.jsonl.gz", "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps(document) + "\n" for document in documents)
    queries = [{"id": "q1", "text": "first"}, {"id": "q2", "text": "second"}]
    (path / "queries.jsonl").write_text("\n".join(map(json.dumps, queries)), encoding="utf-8")
    (path / "qrels.tsv").write_text(qrels, encoding="utf-8")
    return path


def test_reads_plain_and_gzip_files(tmp_path: Path) -> None:
    found = load_set(write_set(tmp_path / "small"))
    assert found.name == "small"
    assert [document.text for document in found.documents] == ["alpha", "beta"]
    assert found.documents[0].meta == {"show": "s"}
    assert found.qrels == {"q1": {"a": 2, "b": 1}, "q2": {"b": 0}}


def test_limit_keeps_the_first_queries_with_their_judgements(tmp_path: Path) -> None:
    found = load_set(write_set(tmp_path / "small"), limit=1)
    assert [query.id for query in found.queries] == ["q1"]
    assert found.qrels.keys() == {"q1"}


def test_a_sample_is_the_same_every_time(tmp_path: Path) -> None:
    path = write_set(tmp_path / "small")
    first = load_set(path, sample=1)
    assert len(first.queries) == 1
    assert load_set(path, sample=1) == first
    assert len(load_set(path, sample=9).queries) == 2


def test_a_query_without_judgements_stays(tmp_path: Path) -> None:
    assert load_set(write_set(tmp_path / "small", "q1\ta\t1\n")).qrels["q2"] == {}


def test_all_problems_are_named_at_once(tmp_path: Path) -> None:
    path = write_set(tmp_path / "bad", "q9\ta\t1\nq1\tzz\t1\nq1 a 1\n")
    with pytest.raises(EvaluationError) as error:
        load_set(path)
    for part in ("unknown query q9", "unknown document zz", "line 3"):
        assert part in str(error.value)


def test_a_missing_directory_is_named(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="no query set"):
        load_set(tmp_path / "none")


def test_a_torn_gzip_file_is_an_error_of_the_set(tmp_path: Path) -> None:
    path = write_set(tmp_path / "torn")
    whole = (path / "corpus.jsonl.gz").read_bytes()
    (path / "corpus.jsonl.gz").write_bytes(whole[:-12])
    with pytest.raises(EvaluationError, match=r"corpus\.jsonl\.gz cannot be read"):
        load_set(path)


def test_a_set_may_name_its_corpus(tmp_path: Path) -> None:
    path = write_set(tmp_path / "sets" / "over-corpus", "q1\tepisode@0-1000\t2\n")
    (path / "corpus.jsonl.gz").unlink()
    (path / "set.json").write_text('{"corpus": "../../corpus"}', encoding="utf-8")
    found = load_set(path)
    assert found.documents == ()
    assert found.corpus is not None
    assert found.corpus.resolve() == tmp_path / "corpus"


def test_provenance_comes_from_the_source_file(tmp_path: Path) -> None:
    path = write_set(tmp_path / "small")
    (path / "SOURCE.md").write_text("# Title\nOrigin: example.org/set. Licence MIT.\n")
    found = load_set(path)
    assert (found.origin, found.licence) == ("example.org/set", "MIT")


def test_finds_sets_below_a_root(tmp_path: Path) -> None:
    first = write_set(tmp_path / "one")
    (tmp_path / "not-a-set").mkdir()
    assert find_sets([tmp_path, first, tmp_path / "absent"]) == [first]


def test_each_relevant_judgement_becomes_a_query(tmp_path: Path) -> None:
    pairs, parents = per_pair(load_set(write_set(tmp_path / "small")))
    assert pairs == {"q1|a": {"a": 1}, "q1|b": {"b": 1}}
    assert parents == {"q1|a": "q1", "q1|b": "q1"}


def test_the_published_counts_of_insight_quote() -> None:
    found = load_set(shared("ir/insight-quote"))
    pairs, _ = per_pair(found)
    assert (len(found.documents), len(found.queries), len(pairs)) == (197, 100, 197)
    assert found.licence == "MIT"
