"""The dense engine, small and large: equal to brute force whatever files it uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podcast_scraper.errors import IndexDamagedError
from podcast_scraper.search.backend import Filters, SearchQuery
from podcast_scraper.search.backends import dense
from podcast_scraper.search.backends.document_rows import DocumentRows, RowWriter
from podcast_scraper.search.backends.embedded import EmbeddedBackend
from podcast_scraper.search.backends.nearest import best
from podcast_scraper.search.backends.scan import MIN_RECALL, Scan
from podcast_scraper.search.documents import Document
from tests.search.backends.contract import DIMENSION, EPISODES, SHOWS
from tests.search.backends.test_embedded import prepare

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

SIZE = 1500


def document(number: int) -> Document:
    return Document(
        f"d{number:05d}",
        ("segment", "insight")[number % 2],
        f"words {number}",
        EPISODES[number % 3],
        SHOWS[number % 2],
        published=f"20{10 + number % 10}-01-01" if number % 7 else None,
        topics=(f"topic:{number % 4}",),
        kind="ad" if number % 11 == 0 else "speech",
    )


def vectors_of(count: int, seed: int) -> NDArray[np.float32]:
    vectors = np.random.default_rng(seed).standard_normal((count, DIMENSION))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


FILTERS = (
    Filters(),
    Filters(since="2012-01-01"),
    Filters(shows=(SHOWS[1],)),
    Filters(topics=("topic:1", "topic:3")),
    Filters(ads="exclude", until="2018-06-01"),
    Filters(episodes=("n1",), until="2010-06-01"),
    Filters(excluded=("words 7",)),
)


def allows(filters: Filters, one: Document) -> bool:
    date = one.published
    return (
        (not filters.shows or one.show_id in filters.shows)
        and (not filters.episodes or one.episode_id in filters.episodes)
        and (not filters.topics or bool(set(filters.topics) & set(one.topics)))
        and (filters.since is None or (date is not None and date >= filters.since))
        and (filters.until is None or (date is not None and date <= filters.until))
        and (filters.ads == "include" or one.kind != "ad")
        and all(phrase != one.text for phrase in filters.excluded)
    )


class Corpus:
    """Documents with vectors, and what brute force finds among them."""

    def __init__(self) -> None:
        self.vectors: dict[str, NDArray[np.float32]] = {}
        self.documents: dict[str, Document] = {}

    def put(self, documents: list[Document], vectors: NDArray[np.float32]) -> None:
        self.documents |= {one.doc_id: one for one in documents}
        self.vectors |= {one.doc_id: row for one, row in zip(documents, vectors, strict=True)}

    def drop(self, doc_ids: list[str]) -> None:
        for doc_id in doc_ids:
            del self.documents[doc_id], self.vectors[doc_id]

    def nearest(self, query: NDArray[np.float32], filters: Filters, k: int) -> list[str]:
        scored = [
            (-round(float(row.astype(np.float64) @ query), 6), doc_id)
            for doc_id, row in self.vectors.items()
            if allows(filters, self.documents[doc_id])
        ]
        return [doc_id for _, doc_id in sorted(scored)[:k]]


@pytest.fixture(params=["small", "codes", "mirror"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Make an index of some hundred documents count as large, scanned in either way."""
    if request.param != "small":
        monkeypatch.setattr(dense, "LARGE", 1000)
        monkeypatch.setattr(dense, "FEW_ROWS", 100)
        monkeypatch.setattr(dense, "SMALL_SET", 50)
        least = 0.0 if request.param == "codes" else 2.0  # no recall is 2: never the codes
        monkeypatch.setattr("podcast_scraper.search.backends.scan.MIN_RECALL", least)
        monkeypatch.setattr("podcast_scraper.search.backends.scan.TUNED_RECALL", least)
    return str(request.param)


def put(backend: EmbeddedBackend, documents: list[Document], rows: NDArray[np.float32]) -> None:
    for tier, upsert in (
        ("segment", backend.upsert_segment),
        ("insight", backend.upsert_insight),
    ):
        places = [n for n, one in enumerate(documents) if one.tier == tier]
        upsert([documents[n] for n in places], rows[places])


def test_every_way_finds_what_brute_force_finds(way: str, tmp_path: Path) -> None:
    corpus = Corpus()
    backend = prepare(EmbeddedBackend.create(tmp_path, DIMENSION))
    documents, rows = [document(n) for n in range(SIZE)], vectors_of(SIZE, 1)
    put(backend, documents, rows)
    corpus.put(documents, rows)
    backend.create_indices()
    scan = backend.dense.scan
    assert (scan is not None) == (way != "small")
    if scan is not None:
        # Timing decides between the two; the test asks for each of them.
        count = 500 if way == "codes" else 0
        object.__setattr__(scan.choice, "candidates", count)
    compare(backend, corpus)

    gone = [one.doc_id for one in documents[::10]]
    later, later_rows = [document(n) for n in range(SIZE - 50, SIZE + 80)], vectors_of(130, 2)
    with backend.revising() as revision:
        revision.delete(gone)
        corpus.drop(gone)
        for tier in ("segment", "insight"):
            places = [n for n, one in enumerate(later) if one.tier == tier]
            revision.upsert(tier, [later[n] for n in places], later_rows[places])
    corpus.put(later, later_rows)
    compare(backend, corpus)

    reader = EmbeddedBackend.open(tmp_path)
    if reader.dense.scan is not None:
        object.__setattr__(reader.dense.scan.choice, "candidates", count)
    compare(reader, corpus)
    reader.close()
    backend.close()


def compare(backend: EmbeddedBackend, corpus: Corpus) -> None:
    for seed, filters in enumerate(FILTERS):
        (query,) = vectors_of(1, 100 + seed)
        found = backend.search_vector(SearchQuery("", query, filters, k=40))
        expected = corpus.nearest(query, filters, 40)
        assert len(found) == len(expected)
        # A cosine within rounding of the last one may stand on either side of the cut.
        assert len({r.doc_id for r in found} ^ set(expected)) <= 2
        scores = [float(corpus.vectors[r.doc_id] @ query) for r in found]
        assert [r.score for r in found] == pytest.approx(scores, abs=2e-6)


def test_the_scan_keeps_the_recall_that_it_states(tmp_path: Path) -> None:
    rows = np.random.default_rng(5).standard_normal((5000, 64)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    queries = rows[:60] + np.random.default_rng(6).standard_normal((60, 64)).astype(np.float32) / 16
    queries /= np.linalg.norm(queries, axis=1, keepdims=True)
    scan = Scan.build(rows).tuned(rows, queries)
    assert scan.choice.recall_of_mirror is not None
    assert scan.choice.recall_of_mirror >= MIN_RECALL
    scan.write(tmp_path / "scan")
    again = Scan.read(tmp_path / "scan")
    assert again.choice == scan.choice
    for query in queries[:5]:
        exact = set(np.argsort(-(rows @ query))[:100].tolist())
        assert len(exact & set(again.candidates(query, 100).tolist())) >= 97


@pytest.mark.parametrize("how", ["cut", "gone"])
@pytest.mark.parametrize(
    "file", ["vectors.f32", "key.npy", "codes.json", "mirror.faiss", "codes.faiss", "choice.json"]
)
def test_damaged_files_are_named_at_opening(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, how: str
) -> None:
    monkeypatch.setattr(dense, "LARGE", 1000)
    backend = prepare(EmbeddedBackend.create(tmp_path, DIMENSION))
    put(backend, [document(n) for n in range(1200)], vectors_of(1200, 3))
    backend.create_indices()
    backend.close()
    (path,) = (tmp_path / "dense").rglob(file)
    if how == "gone":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(IndexDamagedError, match=r"dense.*podcast-scraper index"):
        EmbeddedBackend.open(tmp_path)


def revise_and_stop(backend: EmbeddedBackend) -> None:
    with backend.revising() as revision:
        revision.delete([document(n).doc_id for n in range(10)])
        revision.upsert("segment", [document(30)], vectors_of(1, 5))
        raise RuntimeError("stop")


def test_an_error_in_a_revision_leaves_the_index_as_it_was(tmp_path: Path) -> None:
    backend = prepare(EmbeddedBackend.create(tmp_path, DIMENSION))
    put(backend, [document(n) for n in range(20)], vectors_of(20, 4))
    backend.create_indices()
    reader = EmbeddedBackend.open(tmp_path)
    query = SearchQuery("words 3", vectors_of(1, 9)[0])
    before = [reader.search_bm25(query), reader.search_vector(query)]
    with pytest.raises(RuntimeError, match="stop"):
        revise_and_stop(backend)
    for index in (backend, reader, EmbeddedBackend.open(tmp_path)):
        assert [index.search_bm25(query), index.search_vector(query)] == before
        index.close()


def test_a_reader_keeps_its_state_while_revisions_come(tmp_path: Path) -> None:
    backend = prepare(EmbeddedBackend.create(tmp_path, DIMENSION))
    put(backend, [document(n) for n in range(20)], vectors_of(20, 4))
    backend.create_indices()
    reader = EmbeddedBackend.open(tmp_path)
    query = SearchQuery("words", vectors_of(1, 9)[0], k=50)
    first = {document(n).doc_id for n in range(20)}
    for number in range(4):
        with backend.revising() as revision:
            revision.delete([document(number).doc_id])
            revision.upsert("segment", [document(20 + 2 * number)], vectors_of(1, 30 + number))
        assert {r.doc_id for r in reader.search_bm25(query)} == first
        assert {r.doc_id for r in reader.search_vector(query)} == first
        assert reader.fetch(sorted(first)).keys() == first
    fresh = EmbeddedBackend.open(tmp_path)
    assert len(fresh.search_bm25(query)) == len(fresh.search_vector(query)) == 20
    assert fresh.seal.revision == 4
    for index in (backend, reader, fresh):
        index.close()


@given(
    st.lists(st.integers(-3, 3), min_size=1, max_size=30),
    st.integers(1, 12),
)
def test_the_best_are_the_largest_with_all_ties(values: list[int], k: int) -> None:
    scores = np.array(values, dtype=np.float32)
    places, cosines = best(scores, k)
    last = sorted(values, reverse=True)[min(k, len(values)) - 1]
    assert sorted(places.tolist()) == [n for n, value in enumerate(values) if value >= last]
    assert cosines.tolist() == [values[place] for place in places]


@given(
    st.lists(st.integers(0, 60), unique=True, max_size=30),
    st.sampled_from([f for f in FILTERS if not (f.topics or f.excluded)]),
    st.sampled_from(["all", "segment", "insight"]),
    st.sets(st.integers(0, 60)),
)
def test_rows_match_as_documents_do(
    numbers: list[int], filters: Filters, tier: str, dead: set[int]
) -> None:
    writer = RowWriter(DocumentRows.empty())
    for key, number in enumerate(sorted(numbers)):
        writer.add(key, document(number))
    gone = [key for key, number in enumerate(sorted(numbers)) if number in dead]
    rows = writer.rows(np.array(gone, dtype=np.int64))
    mask = rows.matching(filters, tier)  # type: ignore[arg-type]
    expected = [
        allows(filters, document(n)) and tier in ("all", document(n).tier) and n not in dead
        for n in sorted(numbers)
    ]
    if mask is None:
        mask = rows.alive
    assert mask.tolist() == expected
