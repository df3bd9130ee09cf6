"""The embedded engines over records in PostgreSQL: the same contract, the same ways to write."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from podcast_scraper.errors import IndexDamagedError, IndexLockedError
from podcast_scraper.search.backend import SearchQuery
from podcast_scraper.search.backends.embedded import EmbeddedBackend
from podcast_scraper.storage import postgres
from podcast_scraper.storage.store import store_at
from tests.postgres import fresh_schemas
from tests.search.backends.contract import DIMENSION, BackendContract, MakeBackend, fill, ids
from tests.search.backends.test_embedded import prepare

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from podcast_scraper.storage.store import RecordStore

pytestmark = pytest.mark.engines("PostgreSQL")


class TestContract(BackendContract):
    """The contract, with records in a database."""

    @pytest.fixture(scope="class")
    @classmethod
    def make_backend(
        cls, postgres_url: str, tmp_path_factory: pytest.TempPathFactory
    ) -> Iterator[MakeBackend]:
        made: list[EmbeddedBackend] = []
        with fresh_schemas(postgres_url) as url:
            store = store_at(url)

            def make() -> EmbeddedBackend:
                path = tmp_path_factory.mktemp("index") / f"{len(made):06d}"
                engine = store.create_records(path)
                made.append(prepare(EmbeddedBackend.create(path, DIMENSION, engine=engine)))
                return made[-1]

            yield make
            for backend in made:
                backend.close()


@pytest.fixture
def store(postgres_store: str) -> RecordStore:
    return store_at(postgres_store)


@pytest.fixture
def sealed(store: RecordStore, tmp_path: Path) -> Iterator[EmbeddedBackend]:
    path = tmp_path / "000001"
    engine = store.create_records(path)
    backend = prepare(EmbeddedBackend.create(path, DIMENSION, engine=engine))
    fill(backend)
    yield backend
    backend.close()


def reader(store: RecordStore, path: Path) -> EmbeddedBackend:
    return EmbeddedBackend.open(path, engine=store.open_records(path))


def held(store: RecordStore, path: Path) -> set[str]:
    """Return what somebody finds who opens the index now."""
    opened = reader(store, path)
    found = set(ids(opened.browse(SearchQuery("", k=100))))
    opened.close()
    return found


def test_a_revision_is_seen_whole_or_not_at_all(
    sealed: EmbeddedBackend, store: RecordStore
) -> None:
    before = reader(store, sealed.path)
    all_of_it = held(store, sealed.path)

    def fail() -> None:
        with sealed.revising() as revision:
            revision.delete(["seg-a"])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert held(store, sealed.path) == all_of_it
    with sealed.revising() as revision:
        revision.delete(["seg-a"])
        assert held(store, sealed.path) == all_of_it
    assert held(store, sealed.path) == all_of_it - {"seg-a"}
    # A reader from before finds nothing under the key that went, and never another document.
    assert set(ids(before.search_bm25(SearchQuery("frozen")))) == set()
    before.close()


def test_a_second_writer_is_told(
    sealed: EmbeddedBackend, store: RecordStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "LOCK_SECONDS", 0.1)
    engine = store.open_records(sealed.path, read_only=False)
    other = EmbeddedBackend.open(sealed.path, engine=engine)
    with sealed.revising(), pytest.raises(IndexLockedError), other.revising():
        pass
    other.close()


def test_a_reader_cannot_write(sealed: EmbeddedBackend, store: RecordStore) -> None:
    opened = reader(store, sealed.path)
    with pytest.raises(IndexLockedError), opened.revising():
        pass
    opened.close()


def test_a_write_without_a_seal_is_torn(sealed: EmbeddedBackend, store: RecordStore) -> None:
    sealed.delete(["seg-a"])
    with pytest.raises(IndexDamagedError, match="torn"):
        reader(store, sealed.path)
