"""The state file: made on the first write, migrated, exported and imported."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from podcast_scraper.errors import IndexDamagedError, IndexMismatchError, UsageError
from podcast_scraper.storage.dialects import schema_version, set_schema_version
from podcast_scraper.storage.state import MIGRATIONS, LedgerRow, StateBase, StateStore
from podcast_scraper.storage.store import store_at

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


NOTHING = dict.fromkeys(("ledger", "recent_searches", "saved_searches", "time_offsets"), 0)


def row(uid: str, **changes: Any) -> dict[str, Any]:
    return {
        "uid": uid,
        "created": f"2024-01-01T00:00:00.00000{uid[-1]}+00:00",
        "kind": "merge",
        "subject": "person:a",
        "object": "person:b",
        "episodes": [],
        "author": "me",
        "reason": "",
        "undone_at": None,
        "undone_by": None,
        "undone_reason": None,
    } | changes


def export_of(*rows: dict[str, Any]) -> dict[str, Any]:
    tables: dict[str, list[Any]] = {name: [] for name in NOTHING}
    return {"version": len(MIGRATIONS), "tables": {**tables, "ledger": list(rows)}}


@pytest.fixture
def store(tmp_path: Path) -> StateStore:
    return StateStore(tmp_path / "index" / "state.sqlite")


@pytest.fixture
def either(store_url: str | None, tmp_path: Path) -> Iterator[StateStore]:
    """A state in a file, and one in a database."""
    store = StateStore(tmp_path / "index" / "state.sqlite", store_at(store_url))
    yield store
    store.close()


def test_a_new_state_is_empty(either: StateStore) -> None:
    assert either.export() == export_of()


def test_reading_makes_no_file(store: StateStore) -> None:
    with store.reading() as session:
        assert session is None
    assert store.export() == export_of()
    assert not store.path.exists()


def test_migrations_give_the_schema_of_the_models(either: StateStore) -> None:
    with either.writing() as session:
        made = sa.inspect(session.connection())
        for table in StateBase.metadata.sorted_tables:
            columns = {c["name"]: c for c in made.get_columns(table.name)}
            assert set(columns) == {c.name for c in table.columns}
            for column in table.columns:
                assert columns[column.name]["nullable"] == column.nullable, column
            indexed = {tuple(i["column_names"]) for i in made.get_indexes(table.name)}
            assert {(c.name,) for c in table.columns if c.index} <= indexed
        assert schema_version(session.connection()) == len(MIGRATIONS)


def test_export_and_import_give_the_same_state(either: StateStore, tmp_path: Path) -> None:
    data = export_of(row("u1"), row("u2", episodes=["e1"], undone_at="2024-02-01"))
    assert either.import_(data) == {**NOTHING, "ledger": 2}
    assert either.export() == data
    other = StateStore(tmp_path / "other.sqlite")
    other.import_(either.export())
    assert other.export() == data
    other.close()


def test_importing_twice_changes_nothing_and_an_undo_travels(either: StateStore) -> None:
    store = either
    store.import_(export_of(row("u1")))
    undone = row("u1", undone_at="2024-02-01", undone_by="you", undone_reason="wrong")
    assert store.import_(export_of(undone)) == {**NOTHING, "ledger": 0}
    assert store.import_(export_of(row("u1"))) == {**NOTHING, "ledger": 0}
    assert store.export()["tables"]["ledger"] == [undone]


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.pop("version"),
        lambda data: data.update(version="1"),
        lambda data: data.update(version=99),
        lambda data: data.update(tables=[]),
        lambda data: data["tables"].update(dragons=[]),
        lambda data: data["tables"].update(ledger="x"),
        lambda data: data["tables"]["ledger"].append(3),
        lambda data: data["tables"]["ledger"][0].pop("kind"),
        lambda data: data["tables"]["ledger"][0].update(kind=None),
        lambda data: data["tables"]["ledger"][0].update(extra=1),
    ],
)
def test_what_is_no_export_changes_nothing(store: StateStore, change: Any) -> None:
    data = copy.deepcopy(export_of(row("u1")))
    change(data)
    with pytest.raises(UsageError):
        store.import_(data)
    with pytest.raises(UsageError):
        store.import_([])
    assert not store.path.exists()


def test_a_newer_state_is_refused_and_left_alone(either: StateStore) -> None:
    with either.writing() as session:
        set_schema_version(session.connection(), 99)
    either.close()
    with pytest.raises(IndexMismatchError, match="newer"), either.reading():
        pass


def test_a_damaged_file_is_named(store: StateStore) -> None:
    store.path.parent.mkdir()
    store.path.write_bytes(b"not a database" * 100)
    with pytest.raises(IndexDamagedError, match="state import"), store.reading():
        pass


def test_a_failed_write_is_rolled_back(either: StateStore) -> None:
    def fail() -> None:
        with either.writing() as session:
            session.add(LedgerRow(**row("u1")))
            session.flush()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert either.export() == export_of()
