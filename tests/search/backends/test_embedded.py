"""The embedded backend: the contract, and what is its own: files, seals, damage, threads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy.orm import Session

from podcast_scraper.search.backends.embedded import EmbeddedBackend
from podcast_scraper.storage.schema import Episode, Show
from tests.search.backends.contract import (
    DIMENSION,
    EPISODES,
    SHOWS,
    BackendContract,
    MakeBackend,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


def prepare(backend: EmbeddedBackend) -> EmbeddedBackend:
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
