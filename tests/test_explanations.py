"""Fusion, gate, rescue and compound results are ours: they explain alike over every backend."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from podcast_scraper.corpus import open_corpus
from podcast_scraper.index.build import build_index
from podcast_scraper.search.backend import SearchQuery
from podcast_scraper.settings import SEARCH_VARIABLE, STORE_VARIABLE
from tests import engines
from tests.index.encoders import WordEncoder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from podcast_scraper.corpus import Corpus
    from podcast_scraper.search.backend import ScoredResult

    Candidates = dict[tuple[Any, ...], list[ScoredResult]]

QUERIES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("kelp credits", {}),
    ("do price caps backfire", {"graph": "force"}),
    ("what does Magnus Sorley say about moving the street", {"graph": "force", "k": 50}),
    ('speaker:"Magnus Sorley" kelp -rope after:2023', {}),
    ("who checks the people who measure", {"tier": "insight", "since": "2024-01-01"}),
    ('"the street"', {"graph": "force"}),
)
STAGES = ("search_bm25", "search_vector")


@pytest.fixture(scope="module")
def patched() -> Iterator[pytest.MonkeyPatch]:
    with pytest.MonkeyPatch.context() as patch:
        for module in ("index.build", "open_index"):
            patch.setattr(f"podcast_scraper.{module}.open_encoder", lambda *_, **__: WordEncoder())
        yield patch


def opened(
    sample_path: Path, place: Path, patch: pytest.MonkeyPatch, store: str, search: str
) -> Corpus:
    patch.setenv(STORE_VARIABLE, store)
    patch.setenv(SEARCH_VARIABLE, search)
    build_index(sample_path, index_dir=place)
    return open_corpus(sample_path, index_dir=place)


@pytest.fixture(scope="module")
def files(
    sample_path: Path, tmp_path_factory: pytest.TempPathFactory, patched: pytest.MonkeyPatch
) -> Iterator[Corpus]:
    with opened(sample_path, tmp_path_factory.mktemp("files"), patched, "", "") as corpus:
        yield corpus


@pytest.fixture(scope="module")
def served(
    sample_path: Path,
    milvus_url: str,
    tmp_path_factory: pytest.TempPathFactory,
    patched: pytest.MonkeyPatch,
) -> Iterator[Corpus]:
    url = engines.named(milvus_url)
    with opened(sample_path, tmp_path_factory.mktemp("served"), patched, "", url) as corpus:
        yield corpus
    engines.remove_collections(url)


def asked(stage: str, query: SearchQuery) -> tuple[Any, ...]:
    return stage, query.text, query.filters, query.tier, query.k


def explained(corpus: Corpus, text: str, options: dict[str, Any]) -> str:
    """Return everything an answer says but how long it took and which index it came from."""
    answer = corpus.search(text, **options).to_json()
    return json.dumps({k: v for k, v in answer.items() if k not in ("timings_ms", "index")})


def test_the_same_candidates_are_explained_alike(
    files: Corpus, served: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: Candidates = {}

    def recording(stage: str) -> Callable[[SearchQuery], list[ScoredResult]]:
        search = getattr(files.index.backend, stage)
        return lambda query: kept.setdefault(asked(stage, query), search(query))

    def replaying(stage: str) -> Callable[[SearchQuery], list[ScoredResult]]:
        return lambda query: kept[asked(stage, query)]

    for stage in STAGES:
        monkeypatch.setattr(files.index.backend, stage, recording(stage))
        monkeypatch.setattr(served.index.backend, stage, replaying(stage))
    for text, options in QUERIES:
        expected = explained(files, text, options)
        assert '"explain": {' in expected
        assert explained(served, text, options) == expected
    assert len(kept) >= len(QUERIES)


def test_the_candidates_are_the_same(files: Corpus, served: Corpus) -> None:
    for text, options in QUERIES:
        lists = []
        for corpus in (files, served):
            hits = corpus.search(text, **options).hits
            lists.append([replace(hit, explain={}, score=None) for hit in hits])
        assert lists[0] == lists[1], text
        vector, _ = files.index.embed(text)
        for stage in STAGES:
            ours, theirs = (
                getattr(corpus.index.backend, stage)(SearchQuery(text, vector, k=100))
                for corpus in (files, served)
            )
            scores = {hit.doc_id: hit.score for hit in ours}
            assert {hit.doc_id: hit.score for hit in theirs} == pytest.approx(scores, abs=1e-3)
