"""What an engine elsewhere should hold: counts, sentinels, and how often it is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from podcast_scraper.errors import EngineUnavailableError
from podcast_scraper.search import completeness
from podcast_scraper.search.backend import BackendHealth
from podcast_scraper.search.completeness import Completeness
from podcast_scraper.storage.outbox import Outbox, note
from podcast_scraper.storage.store import FILES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import sqlalchemy as sa

    from podcast_scraper.search.followed import Payload
    from podcast_scraper.storage.outbox import Change


class Engine:
    """Says that it holds so many segments."""

    def __init__(self) -> None:
        self.segments = 0
        self.asked = 0
        self.away = False

    def begin(self) -> None: ...

    def tell(self, gone: Sequence[Change], written: Payload) -> None: ...

    def health(self) -> BackendHealth:
        self.asked += 1
        if self.away:
            raise EngineUnavailableError("It is away.")
        return BackendHealth({"segment": self.segments})

    def lacks(self, documents: Payload) -> list[str]:
        return []


@pytest.fixture
def records(tmp_path: Path) -> Iterator[sa.Engine]:
    engine = FILES.create_records(tmp_path / "000001")
    yield engine
    engine.dispose()


def test_what_it_was_not_told_may_be_missing_and_no_more(records: sa.Engine) -> None:
    engine = Engine()
    looking = Completeness(records, engine, "it")
    assert looking.look() == BackendHealth({"segment": 0, "insight": 0})
    Outbox(records).advance("it", 0)
    with records.begin() as connection:
        note(connection, [("delete", "a", "segment", 1), ("delete", "b", "segment", 2)])
    for held, complete in ((0, True), (2, True), (3, False)):
        engine.segments = held
        assert looking.look().degraded is not complete
    assert looking.look().reasons == ("0 segment documents but 3 in it",)


def test_it_is_asked_twice_a_minute(records: sa.Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    engine, now = Engine(), [100.0]
    monkeypatch.setattr(completeness.time, "monotonic", lambda: now[0])
    looking = Completeness(records, engine, "it")
    for passed, asked in ((0.0, 1), (29.0, 1), (1.0, 2), (15.0, 2)):
        now[0] += passed
        assert looking.recent().reasons == ()
        assert engine.asked == asked
    engine.away = True
    now[0] += 30.0
    assert looking.recent().reasons == ("It is away.",)
    assert looking.recent().degraded
    assert engine.asked == 3
