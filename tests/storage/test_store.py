"""Files or a database: where records are, and what is said when they are elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from podcast_scraper.errors import (
    ConfigurationError,
    IndexDamagedError,
    IndexMismatchError,
    IndexMissingError,
    StoreUnavailableError,
)
from podcast_scraper.storage.schema import Meta
from podcast_scraper.storage.store import FILES, store_at

if TYPE_CHECKING:
    from pathlib import Path


def test_without_a_url_records_are_files() -> None:
    assert store_at(None) is FILES
    assert store_at("") is FILES


@pytest.mark.parametrize(
    "url",
    [
        "postgres",
        "mysql://user@host/database",
        "postgresql://user@host/database",
        "postgresql+psycopg://user@host",
        "postgresql+psycopg://user@host/database?schema=Drop Table",
        "postgresql+psycopg://user@host/database?schema=a&schema=b",
    ],
)
def test_what_is_no_store_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(ConfigurationError) as told:
        store_at(url.replace("user@", "user:secret@"))
    assert "secret" not in f"{told.value}{told.value.subject}"


def test_records_are_made_found_and_dropped(tmp_path: Path, store_url: str | None) -> None:
    store, directory = store_at(store_url), tmp_path / "000007.building"
    assert not store.has_records(tmp_path / "000007")
    engine = store.create_records(directory)
    with engine.begin() as connection:
        connection.execute(sa.insert(Meta), [{"key": "k", "value": "v"}])
    engine.dispose()
    published = directory.rename(tmp_path / "000007")
    assert store.has_records(published)
    reader = store.open_records(published)
    with reader.connect() as connection:
        assert connection.execute(sa.select(Meta.value)).scalar_one() == "v"
        with pytest.raises(sa.exc.DatabaseError):
            connection.execute(sa.delete(Meta))
    reader.dispose()
    store.drop_records(published)
    assert not store.has_records(published)


@pytest.mark.engines("PostgreSQL")
def test_a_number_that_the_database_has_is_taken(postgres_store: str, tmp_path: Path) -> None:
    store = store_at(postgres_store)
    for name in ("000003", "000012.building"):
        store.create_records(tmp_path / name).dispose()
    assert sorted(store.numbers()) == [3, 12]
    assert store_at(postgres_store + "x").numbers() == []


@pytest.mark.engines("PostgreSQL")
def test_records_of_the_other_store_are_told(postgres_store: str, tmp_path: Path) -> None:
    database = store_at(postgres_store)
    FILES.create_records(tmp_path / "000001").dispose()
    with pytest.raises(IndexMismatchError, match="file"):
        database.open_records(tmp_path / "000001")
    database.create_records(tmp_path / "000002").dispose()
    with pytest.raises(IndexMissingError):
        FILES.open_records(tmp_path / "000002")
    (tmp_path / "000002" / "manifest.json").touch()
    with pytest.raises(IndexMismatchError, match="database"):
        FILES.open_records(tmp_path / "000002")


@pytest.mark.engines("PostgreSQL")
def test_records_that_were_dropped_are_damage(postgres_store: str, tmp_path: Path) -> None:
    engine = store_at(postgres_store).open_records(tmp_path / "000001")
    with engine.connect() as connection, pytest.raises(IndexDamagedError, match="rebuild"):
        connection.execute(sa.select(Meta.value))
    engine.dispose()


@pytest.mark.engines("PostgreSQL")
@pytest.mark.parametrize(
    "url",
    [
        "postgresql+psycopg://me:secret@127.0.0.1:1/x",
        "postgresql+psycopg://me:secret@/x?host=/nowhere",
    ],
)
def test_a_server_that_does_not_answer_is_told(url: str, tmp_path: Path) -> None:
    engine = store_at(url).open_records(tmp_path / "000001")
    with pytest.raises(StoreUnavailableError) as told, engine.connect():
        pass
    assert "secret" not in str(told.value)
