"""What SQLite and PostgreSQL say differently gives the same on both."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from podcast_scraper.errors import IndexLockedError
from podcast_scraper.storage import postgres
from podcast_scraper.storage.dialects import (
    become_writer,
    integrity,
    new_keys,
    on_postgresql,
    replace_row,
)
from podcast_scraper.storage.listed import among, listed
from podcast_scraper.storage.schema import BuildReport, Episode, IndexedDocument, Meta, Show
from podcast_scraper.storage.store import store_at

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

EPISODE = {
    "id": "e",
    "show_id": "s",
    "title": "",
    "summary_bullets": [],
    "stem_path": "",
    "fingerprint": "",
    "times_may_drift": False,
    "transcript": "",
}
DOCUMENT = {
    **dict.fromkeys(("tier", "text", "text_hash", "kind", "context"), ""),
    **dict.fromkeys(("speakers", "topics", "mentions", "linked"), ()),
    "episode_id": "e",
    "show_id": "s",
}


@pytest.fixture
def engine(store_url: str | None, tmp_path: Path) -> Iterator[sa.Engine]:
    made = store_at(store_url).create_records(tmp_path / "000001")
    yield made
    made.dispose()


def test_a_row_is_inserted_then_changed(engine: sa.Engine) -> None:
    with engine.begin() as connection:
        for value in ("one", "two"):
            replace_row(connection, Meta, {"key": "k", "value": value}, "key")
        assert connection.execute(sa.select(Meta.key, Meta.value)).all() == [("k", "two")]


def test_keys_ascend_and_are_never_given_out_again(engine: sa.Engine) -> None:
    insert, delete = sa.insert(IndexedDocument), sa.delete(IndexedDocument)
    with engine.begin() as connection:
        connection.execute(sa.insert(Show), [{"id": "s", "title": "", "other_ids": []}])
        connection.execute(sa.insert(Episode), [EPISODE])
        given: list[int] = []
        for count in (3, 1, 2000):
            keys = new_keys(connection, "documents", count)
            connection.execute(insert, [{"key": k, "doc_id": str(k), **DOCUMENT} for k in keys])
            connection.execute(delete)
            given += keys
    assert given == sorted(set(given))


@pytest.mark.parametrize("values", [["b", 'quote"d', "ü", "never"], []])
def test_strings_are_found_among_many(engine: sa.Engine, values: list[str]) -> None:
    with engine.begin() as connection:
        rows = [{"key": key, "value": ""} for key in ("a", "b", 'quote"d', "ü")]
        connection.execute(sa.insert(Meta), rows)
        found = connection.execute(sa.select(Meta.key).where(among(Meta.key)), listed(values))
        assert {row.key for row in found} == set(values) - {"never"}


def test_numbers_are_found_among_many(engine: sa.Engine) -> None:
    large = 2**40
    with engine.begin() as connection:
        rows = [{"id": n, "created": "", "report": {"n": n}} for n in (1, 2, large)]
        connection.execute(sa.insert(BuildReport), rows)
        statement = sa.select(BuildReport.report).where(among(BuildReport.id))
        found = connection.execute(statement.order_by(BuildReport.id), listed([2, large, 7]))
        assert [row.report for row in found] == [{"n": 2}, {"n": large}]


def test_strings_are_ordered_by_code_point(engine: sa.Engine) -> None:
    names = ["Zoe", "adam", "_", "Ärger", "a b", "ab", "\U0001f600", "￿"]
    with engine.begin() as connection:
        connection.execute(sa.insert(Meta), [{"key": name, "value": ""} for name in names])
        found = connection.execute(sa.select(Meta.key).order_by(Meta.key))
        assert [row.key for row in found] == sorted(names)


def test_a_nul_does_not_stop_a_corpus(engine: sa.Engine) -> None:
    report = {"plain": "a\0b", "written out": "\\u0000", "both": "\\\0\0"}
    with engine.begin() as connection:
        connection.execute(sa.insert(Meta), [{"key": "k", "value": "a\0b"}])
        connection.execute(sa.insert(BuildReport), [{"created": "", "report": report}])
        text = connection.execute(sa.select(Meta.value)).scalar_one()
        kept = connection.execute(sa.select(BuildReport.report)).scalar_one()
    held = "�" if on_postgresql(engine) else "\0"
    assert text == f"a{held}b"
    assert kept == {
        "plain": f"a{held}b",
        "written out": "\\u0000",
        "both": f"\\{held}{held}",
    }


def test_one_writes_at_a_time(
    engine: sa.Engine, store_url: str | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(postgres, "LOCK_SECONDS", 1)
    store = store_at(store_url)
    first, second = (store.open_state(tmp_path / "state") for _ in range(2))
    entered = threading.Event()

    def wait_for_the_first() -> None:
        with second.begin() as connection:
            become_writer(connection)
            entered.set()

    with first.begin() as connection:
        become_writer(connection)
        waiting = threading.Thread(target=wait_for_the_first)
        waiting.start()
        assert not entered.wait(0.2)
    waiting.join()
    assert entered.is_set()
    first.dispose()
    second.dispose()


@pytest.mark.engines("PostgreSQL")
def test_a_lock_that_is_not_given_is_told(
    postgres_store: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(postgres, "LOCK_SECONDS", 0.05)
    store = store_at(postgres_store)
    first, second = (store.open_state(tmp_path / "state") for _ in range(2))
    with first.begin() as connection:
        become_writer(connection)
        with pytest.raises(IndexLockedError), second.begin() as other:
            become_writer(other)
    first.dispose()
    second.dispose()


def test_a_sound_database_is_sound(engine: sa.Engine) -> None:
    assert integrity(engine) == "ok"
