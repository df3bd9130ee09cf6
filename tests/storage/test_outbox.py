"""The outbox: rows come with their changes, in order, and stay until everybody knows them."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from podcast_scraper.errors import IndexLockedError
from podcast_scraper.storage.outbox import Outbox, note
from podcast_scraper.storage.schema import Meta, OutboxRow
from podcast_scraper.storage.store import store_at

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def outbox(store_url: str | None, tmp_path: Path) -> Iterator[Outbox]:
    engine = store_at(store_url).create_records(tmp_path / "000001")
    yield Outbox(engine)
    engine.dispose()


def write(outbox: Outbox, *doc_ids: str) -> None:
    with outbox.engine.begin() as connection:
        note(connection, [("upsert", doc_id, "segment", 1) for doc_id in doc_ids])


def ids(outbox: Outbox, name: str = "one") -> list[str]:
    return [change.doc_id for change in outbox.pending(name)]


def test_rows_come_in_order_until_they_are_told(outbox: Outbox) -> None:
    outbox.advance("one", 0)
    write(outbox, "a", "b")
    write(outbox, "c")
    assert ids(outbox) == ["a", "b", "c"]
    assert [change.doc_id for change in outbox.pending("one", 2)] == ["a", "b"]
    outbox.advance("one", outbox.pending("one", 2)[-1].seq)
    assert ids(outbox) == ["c"]
    assert [(target.name, target.lag) for target in outbox.targets()] == [("one", 1)]


def test_a_change_that_is_undone_leaves_no_row(outbox: Outbox) -> None:
    outbox.advance("one", 0)
    with outbox.engine.connect() as connection:
        note(connection, [("delete", "a", "insight", 3)])
        connection.rollback()
    assert ids(outbox) == []


def test_rows_that_everybody_knows_go(outbox: Outbox) -> None:
    for name in ("one", "two"):
        outbox.advance(name, 0)
    write(outbox, "a", "b", "c")
    first, second, third = (change.seq for change in outbox.pending("one"))
    outbox.advance("one", third)
    outbox.advance("two", first)
    with outbox.engine.connect() as connection:
        held = connection.execute(sa.select(OutboxRow.seq).order_by(OutboxRow.seq)).scalars().all()
    assert held == [second, third]
    outbox.forget("two")
    assert outbox.head() == third
    write(outbox, "d")
    assert ids(outbox) == ["d"]
    assert outbox.pending("one")[0].seq > third  # numbers are never used again


def test_without_followers_nothing_is_kept(outbox: Outbox) -> None:
    write(outbox, "a")
    assert ids(outbox) == []
    assert outbox.targets() == []
    outbox.advance("one", outbox.head())
    write(outbox, "b")
    outbox.forget("one")
    assert ids(outbox) == []


def test_who_begins_to_follow_waits_for_the_writer(outbox: Outbox) -> None:
    begun = threading.Event()

    def follow() -> None:
        outbox.advance("one", 0)
        begun.set()

    waiting = threading.Thread(target=follow)
    with outbox.engine.begin() as connection:
        note(connection, [("upsert", "a", "segment", 1)])
        connection.execute(sa.insert(Meta), [{"key": "k", "value": "v"}])
        waiting.start()
        assert not begun.wait(0.2)
    waiting.join()
    write(outbox, "b")
    assert ids(outbox) == ["b"]


def test_what_was_found_wrong_is_kept_until_the_next_look(outbox: Outbox) -> None:
    outbox.advance("one", 0, filled=False)
    assert not outbox.targets()[0].filled
    outbox.advance("one", 0)
    outbox.looked("one", ["3 segment documents but 2 in one"])
    outbox.advance("one", 0)
    (target,) = outbox.targets()
    assert target.filled
    assert target.reasons == ("3 segment documents but 2 in one",)
    assert target.checked is not None
    outbox.looked("one", [])
    assert outbox.targets()[0].reasons == ()


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(st.integers(0, 3), max_size=8), limit=st.integers(1, 3))
def test_everybody_is_told_everything_once(outbox: Outbox, steps: list[int], limit: int) -> None:
    for name in ("one", "two"):
        outbox.forget(name)
        outbox.advance(name, outbox.head())
    told: dict[str, list[str]] = {"one": [], "two": []}
    written = []
    for number, step in enumerate([*steps, 1, 2] * 2):
        name = ("", "one", "two", "")[step]
        if not name:
            written.append(f"{number}")
            write(outbox, written[-1])
        elif changes := outbox.pending(name, limit):
            told[name] += [change.doc_id for change in changes]
            outbox.advance(name, changes[-1].seq)
    for name, seen in told.items():
        assert seen + ids(outbox, name) == written


def test_one_worker_tells_an_engine(outbox: Outbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("podcast_scraper.storage.dialects.LOCK_SECONDS", 0.1)
    with outbox.telling("a"):
        with outbox.telling("b"):
            pass
        tried: list[BaseException] = []

        def another() -> None:
            try:
                with outbox.telling("a"):
                    pass
            except IndexLockedError as error:
                tried.append(error)

        thread = threading.Thread(target=another)
        thread.start()
        thread.join()
        assert len(tried) == 1
    with outbox.telling("a"):
        pass


def test_what_is_behind_is_counted_by_kind(outbox: Outbox) -> None:
    outbox.advance("a", 0)
    with outbox.engine.begin() as connection:
        note(connection, [("upsert", "x", "segment", 1), ("upsert", "y", "insight", 2)])
        note(connection, [("delete", "x", "segment", 1), ("upsert", "z", "segment", 3)])
    assert outbox.behind("a") == {
        ("segment", "upsert"): 2,
        ("insight", "upsert"): 1,
        ("segment", "delete"): 1,
    }
    batches = outbox.batches("a", 3)
    assert [change.doc_id for change in next(batches)] == ["x", "y", "x"]
    assert sum(outbox.behind("a").values()) == 4  # told, and not yet confirmed
    assert [change.doc_id for change in next(batches)] == ["z"]
    assert outbox.behind("a") == {("segment", "upsert"): 1}
    assert list(batches) == []
    assert outbox.behind("a") == {}
