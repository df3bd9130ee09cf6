"""Fixtures that several rooms share."""

from __future__ import annotations

import shutil
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from tests import engines
from tests.corpora import SAMPLE, write_episode
from tests.engines import MILVUS
from tests.postgres import FILES_OR_POSTGRES, fresh_schemas, served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from podcast_scraper.corpus import Corpus


# Laws hold whatever else the machine is doing: a slow example is not a wrong one.
settings.register_profile("no-deadline", deadline=None)
settings.load_profile("no-deadline")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Note which engine a test is about; reports carry it, from other processes too."""
    if (marker := item.get_closest_marker("engines")) is not None:
        item.user_properties.append(("engine", marker.args[0]))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say which engines were tested, so that none passes for another."""
    outcomes: dict[str, Counter[str]] = {}
    for outcome in ("passed", "failed", "error", "skipped"):
        for report in terminalreporter.stats.get(outcome, ()):
            for name, engine in getattr(report, "user_properties", ()):
                if name == "engine":
                    outcomes.setdefault(engine, Counter())[outcome] += 1
    if outcomes:
        terminalreporter.section("engines")
    for engine, counts in sorted(outcomes.items()):
        told = ", ".join(f"{count} {outcome}" for outcome, count in counts.items())
        terminalreporter.line(f"{engine}: {told}")


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """A corpus of two episodes that is not indexed yet."""
    corpus = tmp_path / "tiny"
    write_episode(
        corpus,
        "one",
        insights={
            "insight:a1": "Steam gives the loom its strength.",
            "insight:a2": "The engine weaves algebra.",
        },
    )
    write_episode(
        corpus,
        "two",
        insights={"insight:b1": "Nobody needs a faster loom."},
        speaker="Carl Webb",
        date="2025-02-03",
    )
    return corpus


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """The URL of a PostgreSQL database."""
    with served() as url:
        yield url


@pytest.fixture
def postgres_store(postgres_url: str) -> Iterator[str]:
    """The URL of an empty store in PostgreSQL."""
    with fresh_schemas(postgres_url) as url:
        yield url


@pytest.fixture(params=FILES_OR_POSTGRES)
def store_url(request: pytest.FixtureRequest) -> str | None:
    """An empty store: files, which have no URL, and a PostgreSQL database."""
    return None if request.param == "files" else request.getfixturevalue("postgres_store")


@pytest.fixture(scope="session", params=MILVUS)
def milvus_url(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """The URL of each kind of Milvus server, one after the other."""
    with engines.served(request.param, tmp_path_factory.mktemp("milvus")) as url:
        yield url


@pytest.fixture
def milvus(milvus_url: str) -> Iterator[str]:
    """The URL of a Milvus server with a name for collections that nobody uses."""
    url = engines.named(milvus_url)
    yield url
    engines.remove_collections(url)


@pytest.fixture(scope="session")
def sample_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sample corpus with its index."""
    from podcast_scraper.index.build import build_index

    corpus = tmp_path_factory.mktemp("corpus") / "sample"
    shutil.copytree(SAMPLE, corpus, ignore=shutil.ignore_patterns(".podcast-scraper"))
    build_index(corpus)
    return corpus


@pytest.fixture(scope="session")
def sample_in_postgres(
    postgres_url: str, sample_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Corpus]:
    """The sample corpus with its records in a database; its vectors mean nothing."""
    from podcast_scraper.corpus import open_corpus
    from podcast_scraper.index.build import build_index
    from podcast_scraper.settings import STORE_VARIABLE
    from tests.index.encoders import WordEncoder

    place = tmp_path_factory.mktemp("index")
    with fresh_schemas(postgres_url) as url, pytest.MonkeyPatch.context() as patch:
        patch.setenv(STORE_VARIABLE, url)
        build_index(sample_path, index_dir=place, encoder=WordEncoder())
        opened = open_corpus(sample_path, index_dir=place)
        patch.undo()
        with opened:
            yield opened


@pytest.fixture(scope="session")
def sample(sample_path: Path) -> Iterator[Corpus]:
    """The sample corpus, open."""
    from podcast_scraper.corpus import open_corpus

    with open_corpus(sample_path) as opened:
        yield opened
