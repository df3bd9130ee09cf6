"""Fixtures that several rooms share."""

from __future__ import annotations

import shutil
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from tests.corpora import SAMPLE, write_episode

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
def sample_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sample corpus with its index."""
    from podcast_scraper.index.build import build_index

    corpus = tmp_path_factory.mktemp("corpus") / "sample"
    shutil.copytree(SAMPLE, corpus, ignore=shutil.ignore_patterns(".podcast-scraper"))
    build_index(corpus)
    return corpus


@pytest.fixture(scope="session")
def sample(sample_path: Path) -> Iterator[Corpus]:
    """The sample corpus, open."""
    from podcast_scraper.corpus import open_corpus

    with open_corpus(sample_path) as opened:
        yield opened
