"""The embedded backend: the contract, and what is its own: files, seals, damage, threads."""

from __future__ import annotations

import math
import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import pytest
import sqlalchemy as sa
from sqlalchemy.orm import Session

from podcast_scraper.errors import (
    IndexDamagedError,
    IndexLockedError,
    IndexMissingError,
    IndexStateError,
    UsageError,
)
from podcast_scraper.search.backend import Filters, SearchQuery
from podcast_scraper.search.backends.embedded import EmbeddedBackend
from podcast_scraper.search.backends.lexical_queries import EXACT_WEIGHT
from podcast_scraper.storage.schema import Episode, Show
from tests.search.backends.contract import (
    CORPUS,
    DIMENSION,
    EPISODES,
    SHOWS,
    BackendContract,
    MakeBackend,
    axis,
    fill,
    segment,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from podcast_scraper.search.backends.milvus import MilvusBackend
    from podcast_scraper.search.documents import Document


OverRecords = TypeVar("OverRecords", "EmbeddedBackend", "MilvusBackend")


def prepare(backend: OverRecords) -> OverRecords:
    """Write the shows and episodes that the contract's documents belong to."""
    with Session(backend.engine) as session:
        for show in SHOWS:
            session.add(Show(id=show, title=show, other_ids=[]))
        session.flush()
        for episode in EPISODES:
            session.add(
                Episode(
                    id=episode,
                    show_id=SHOWS[episode.startswith("s")],
                    title=episode,
                    summary_bullets=[],
                    stem_path="",
                    fingerprint="",
                    times_may_drift=False,
                    transcript="",
                )
            )
        session.commit()
    return backend


@pytest.fixture(scope="class")
def make_backend(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MakeBackend]:
    made: list[EmbeddedBackend] = []

    def make() -> EmbeddedBackend:
        made.append(prepare(EmbeddedBackend.create(tmp_path_factory.mktemp("index"), DIMENSION)))
        return made[-1]

    yield make
    for backend in made:
        backend.close()


class TestContract(BackendContract):
    """The embedded backend passes the contract."""


@pytest.fixture
def sealed(make_backend: MakeBackend) -> EmbeddedBackend:
    """A filled index of its own, open for writing."""
    backend = fill(make_backend())
    assert isinstance(backend, EmbeddedBackend)
    return backend


QUERY = SearchQuery("harbour battery", axis(1, lean=0.4))


def both(backend: EmbeddedBackend, query: SearchQuery = QUERY) -> tuple[list[object], list[object]]:
    return list(backend.search_bm25(query)), list(backend.search_vector(query))


def files_of(path: Path) -> dict[str, float]:
    return {str(f): f.stat().st_mtime_ns for f in path.rglob("*") if f.is_file()}


class TestOpening:
    def test_an_opened_index_answers_as_the_written_one(self, sealed: EmbeddedBackend) -> None:
        expected = both(sealed)
        sealed.close()
        reader = EmbeddedBackend.open(sealed.path)
        assert both(reader) == expected
        assert reader.dimension == DIMENSION
        reader.close()

    def test_a_place_without_an_index_is_missing(self, tmp_path: Path) -> None:
        with pytest.raises(IndexMissingError, match="podcast-scraper index"):
            EmbeddedBackend.open(tmp_path)

    def test_an_index_that_was_never_sealed_is_torn(self, tmp_path: Path) -> None:
        EmbeddedBackend.create(tmp_path, DIMENSION).close()
        with pytest.raises(IndexDamagedError, match="not finished"):
            EmbeddedBackend.open(tmp_path)

    def test_a_write_without_a_seal_is_torn(self, sealed: EmbeddedBackend) -> None:
        sealed.upsert_segment([segment("new", "words")], axis(0)[None])
        sealed.close()
        with pytest.raises(IndexDamagedError, match="not finished"):
            EmbeddedBackend.open(sealed.path)

    def test_terms_of_another_write_are_torn(self, sealed: EmbeddedBackend, tmp_path: Path) -> None:
        sealed.close()
        shutil.copytree(sealed.path / "lexical", tmp_path / "older")
        writer = EmbeddedBackend.open(sealed.path, read_only=False)
        writer.upsert_segment([segment("seg-a", "other words")], axis(0)[None])
        writer.create_indices()
        writer.close()
        shutil.rmtree(sealed.path / "lexical")
        shutil.copytree(tmp_path / "older", sealed.path / "lexical")
        with pytest.raises(IndexDamagedError, match="not the one"):
            EmbeddedBackend.open(sealed.path)

    @pytest.mark.parametrize(
        "suffix", [".idx", ".term", ".pos", ".fast", ".fieldnorm", "meta.json"]
    )
    @pytest.mark.parametrize("how", ["cut", "gone"])
    def test_damaged_terms_are_detected(
        self, sealed: EmbeddedBackend, suffix: str, how: str
    ) -> None:
        sealed.close()
        for file in (sealed.path / "lexical").iterdir():
            if file.name.endswith(suffix):
                if how == "gone":
                    file.unlink()
                else:
                    os.truncate(file, file.stat().st_size // 2)
        with pytest.raises(IndexDamagedError, match="lexical"):
            EmbeddedBackend.open(sealed.path)

    def test_records_that_are_no_database_are_detected(self, sealed: EmbeddedBackend) -> None:
        sealed.close()
        (sealed.path / "corpus.sqlite").write_bytes(b"no database " * 1000)
        with pytest.raises(IndexDamagedError, match=r"corpus\.sqlite"):
            EmbeddedBackend.open(sealed.path)

    def test_a_reader_needs_no_writable_directory(
        self, sealed: EmbeddedBackend, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        expected = both(sealed)
        sealed.close()
        before = files_of(sealed.path)
        monkeypatch.setattr("os.access", lambda *_: False)
        reader = EmbeddedBackend.open(sealed.path)
        assert both(reader) == expected
        assert files_of(sealed.path) == before
        reader.close()


class TestWriting:
    def test_a_reader_cannot_write(self, sealed: EmbeddedBackend) -> None:
        sealed.close()
        reader = EmbeddedBackend.open(sealed.path)
        with pytest.raises(IndexLockedError, match="cannot be written"):
            reader.delete(["seg-a"])
        assert "seg-a" in reader.fetch(["seg-a"])
        reader.close()

    def test_a_second_writer_is_told(self, sealed: EmbeddedBackend) -> None:
        other = EmbeddedBackend.open(sealed.path, read_only=False)
        sealed.delete(["seg-a"])
        with pytest.raises(IndexLockedError, match="Another process"):
            other.delete(["seg-b"])
        sealed.create_indices()
        other.close()

    def test_changes_are_seen_together_when_sealed(self, sealed: EmbeddedBackend) -> None:
        sealed.upsert_segment([segment("new", "glacier")], axis(7)[None])
        assert sealed.search_bm25(SearchQuery("glacier")) == []
        sealed.create_indices()
        assert [r.doc_id for r in sealed.search_bm25(SearchQuery("glacier"))] == ["new"]
        assert sealed.search_vector(SearchQuery("", axis(7)))[0].doc_id == "new"

    def test_deleted_rows_are_gone_from_the_file(self, sealed: EmbeddedBackend) -> None:
        sealed.delete([document.doc_id for document in CORPUS])
        sealed.create_indices()
        with sealed.engine.connect() as connection:
            for table in ("documents", "document_vectors", "document_entities"):
                count = connection.execute(sa.text(f"SELECT count(*) FROM {table}"))
                assert count.scalar_one() == 0

    def test_engines_that_disagree_are_reported_and_never_sealed(
        self, sealed: EmbeddedBackend
    ) -> None:
        with sealed.engine.begin() as connection:
            connection.execute(sa.text("DELETE FROM documents WHERE key = 1"))
        health = sealed.health()
        assert health.degraded
        assert health.reasons == (
            "5 documents but 6 vectors",
            "5 documents but 6 in the lexical index",
        )
        with pytest.raises(IndexDamagedError, match="6 vectors"):
            sealed.create_indices()

    def test_documents_before_their_episode_are_refused(self, sealed: EmbeddedBackend) -> None:
        with pytest.raises(IndexStateError, match="before their episodes"):
            sealed.upsert_segment([segment("x", "x", episode_id="nowhere")], axis(0)[None])
        sealed.create_indices()
        assert sealed.health().documents == {"segment": 4, "insight": 2}

    @pytest.mark.parametrize(
        "document",
        [
            segment("", "x"),
            segment("a\x00b", "x"),
            segment("x" * 1001, "x"),
            segment("x", "half \ud800"),
            segment("x", "x", published="2023-13-01"),
            segment("x", "x", published="yesterday"),
            segment("x", "x", topics=("",)),
        ],
    )
    def test_what_the_engines_would_store_wrongly_is_refused(
        self, sealed: EmbeddedBackend, document: Document
    ) -> None:
        with pytest.raises(UsageError):
            sealed.upsert_segment([document], axis(0)[None])
        assert sealed.health().documents == {"segment": 4, "insight": 2}

    def test_a_day_that_is_none_is_refused_in_filters(self, sealed: EmbeddedBackend) -> None:
        with pytest.raises(UsageError, match="YYYY-MM-DD"):
            sealed.search_bm25(SearchQuery("ice", filters=Filters(since="soon")))


class TestReading:
    def test_many_threads_get_the_same_answers(self, sealed: EmbeddedBackend) -> None:
        queries = [
            SearchQuery(document.text, axis(n, lean=0.3), filters)
            for n, document in enumerate(CORPUS)
            for filters in (Filters(), Filters(persons=("person:ida",)), Filters(phrases=("the",)))
        ] * 4
        expected = [both(sealed, query) for query in queries]
        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(lambda query: both(sealed, query), queries)) == expected

    def test_few_and_many_allowed_documents_score_alike(
        self, make_backend: MakeBackend, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        generator = np.random.default_rng(7)
        vectors = generator.standard_normal((300, DIMENSION)).astype(np.float32)
        documents = [
            segment(f"d{n:03d}", "ice", topics=(f"topic:{n % 3}",)) for n in range(len(vectors))
        ]
        backend = fill(make_backend(), documents, vectors)
        query = SearchQuery("", vectors[5], Filters(topics=("topic:1", "topic:2")), k=50)
        in_sql = backend.search_vector(query)
        monkeypatch.setattr("podcast_scraper.search.backends.dense.SMALL_SET", 0)
        in_memory = backend.search_vector(query)
        assert [r.doc_id for r in in_sql] == [r.doc_id for r in in_memory]
        assert [r.score for r in in_sql] == pytest.approx([r.score for r in in_memory], abs=2e-6)

    def test_a_reader_reads_what_it_shows_again_once(self, sealed: EmbeddedBackend) -> None:
        sealed.close()
        reader = EmbeddedBackend.open(sealed.path)
        statements: list[str] = []
        sa.event.listen(
            reader.engine, "before_cursor_execute", lambda *given: statements.append(given[2])
        )
        first, second = both(reader)
        ids = [hit.doc_id for hit in (*reader.search_bm25(QUERY), *reader.search_vector(QUERY))]
        asked = len(statements)
        assert both(reader) == (first, second)
        assert reader.fetch(ids).keys() == set(ids)
        assert len(statements) == asked
        reader.close()

    @pytest.mark.parametrize("kept", [0, 1, 2])
    def test_documents_that_are_not_kept_are_read_again(
        self, sealed: EmbeddedBackend, monkeypatch: pytest.MonkeyPatch, kept: int
    ) -> None:
        expected = both(sealed), sealed.fetch([d.doc_id for d in CORPUS])
        sealed.close()
        monkeypatch.setattr("podcast_scraper.search.backends.embedded.DOCUMENTS_KEPT", kept)
        reader = EmbeddedBackend.open(sealed.path)
        for _ in range(3):
            assert (both(reader), reader.fetch([d.doc_id for d in CORPUS])) == expected
        reader.close()

    def test_hidden_for_want_of_a_date_is_counted(self, sealed: EmbeddedBackend) -> None:
        assert sealed.count_undated(SearchQuery("", filters=Filters(since="2020-01-01"))) == 1
        assert sealed.count_undated(SearchQuery("")) == 0
        segments = SearchQuery("", filters=Filters(since="2020-01-01"), tier="segment")
        assert sealed.count_undated(segments) == 0

    def test_scores_are_bm25(self, make_backend: MakeBackend) -> None:
        """One stem in fields of equal length: the textbook formula, k1 = 1.2, b = 0.75."""
        texts = ["ice ice snow rain", "ice wind snow rain", "wind wind snow rain"]
        backend = fill(make_backend(), [segment(f"d{n}", text) for n, text in enumerate(texts)])
        idf = math.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
        for hit, frequency in zip(backend.search_bm25(SearchQuery("ice")), (2, 1), strict=True):
            saturated = frequency * 2.2 / (frequency + 1.2)
            assert hit.score == pytest.approx(idf * saturated * (1 + EXACT_WEIGHT), rel=1e-5)

    def test_completion_and_correction_use_the_dictionary(self, sealed: EmbeddedBackend) -> None:
        assert sealed.complete("old harb") == ["old harbour"]
        assert sealed.did_you_mean("harbuor batery") == "harbour battery"
        assert sealed.did_you_mean("harbour") is None
