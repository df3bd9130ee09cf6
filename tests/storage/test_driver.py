"""The SQLite seam on real files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa
from sqlalchemy.orm import Session

from podcast_scraper.errors import IndexDamagedError
from podcast_scraper.storage import driver, schema

if TYPE_CHECKING:
    from pathlib import Path


def test_the_chosen_driver_computes_a_vector_distance(tmp_path: Path) -> None:
    engine = driver.open_engine(tmp_path / "v.sqlite")
    with engine.connect() as connection:
        distance = connection.execute(
            sa.text("SELECT vec_distance_L2(vec_f32('[0, 0]'), vec_f32('[3, 4]'))")
        ).scalar_one()
    engine.dispose()
    assert distance == pytest.approx(5.0)


def test_write_ahead_logging_and_the_timeout_took(tmp_path: Path) -> None:
    engine = driver.open_engine(tmp_path / "w.sqlite")
    with engine.connect() as connection:
        assert connection.execute(sa.text("PRAGMA journal_mode")).scalar_one() == "wal"
        assert (
            connection.execute(sa.text("PRAGMA busy_timeout")).scalar_one()
            == driver.BUSY_TIMEOUT_MS
        )
        assert connection.execute(sa.text("PRAGMA foreign_keys")).scalar_one() == 1
    engine.dispose()


def test_a_reader_cannot_write(tmp_path: Path) -> None:
    path = tmp_path / "r #%.sqlite"
    engine = driver.open_engine(path)
    schema.Base.metadata.create_all(engine)
    with Session(engine) as session:
        session.add(schema.Meta(key="a", value="b"))
        session.commit()
    engine.dispose()
    reader = driver.open_engine(path, read_only=True)
    with Session(reader) as session:
        assert session.get_one(schema.Meta, "a").value == "b"
        session.add(schema.Meta(key="c", value="d"))
        with pytest.raises(sa.exc.OperationalError):
            session.commit()
    reader.dispose()


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    path.write_bytes(b"not a database at all" * 100)
    engine = driver.open_engine(path)
    with pytest.raises(IndexDamagedError, match=r"x\.sqlite"):
        engine.connect()
