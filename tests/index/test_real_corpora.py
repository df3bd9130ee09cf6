"""Real corpora: everything that the files hold is read, and what they say can be found."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from podcast_scraper.corpus import open_corpus
from podcast_scraper.index.build import build_index
from tests.shared_data import shared

if TYPE_CHECKING:
    from pathlib import Path

CORPORA = {
    "nine-shows-v3": ["Liam Verbeek", '"drainage"', "trail building", "Sophie Lorenz"],
    "real-episodes-v1": [
        "Sam Altman",
        "asset management",
        '"enterprise platform"',
        "Baltimore vacant housing",
    ],
}

pytestmark = pytest.mark.slow


def counted(corpus: Path, member: str) -> Counter[str]:
    """Count nodes or edges by type over all artifact files, straight from the JSON."""
    counts: Counter[str] = Counter()
    for layer in ("gi", "kg"):
        for path in corpus.rglob(f"*.{layer}.json"):
            counts.update(item["type"] for item in json.loads(path.read_text())[member])
    return counts


def files_of(corpus: Path, episode: str) -> str:
    """Return all that an episode's files say, lower case."""
    artifacts = [p for p in corpus.rglob("*.gi.json") if episode in p.read_text()]
    stem = artifacts[0].name.removesuffix(".gi.json")
    return "\n".join(p.read_text() for p in sorted(corpus.rglob(f"{stem}.*"))).lower()


@pytest.fixture(scope="module", params=CORPORA)
def built(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Path, Path, dict[str, Any]]:
    corpus = shared(f"corpora/{request.param}")
    index = tmp_path_factory.mktemp("index")
    return request.param, corpus, index, build_index(corpus, index_dir=index).report


def test_nothing_is_lost(built: tuple[str, Path, Path, dict[str, Any]]) -> None:
    _, corpus, _, report = built
    assert report["read"]["nodes"] == counted(corpus, "nodes")
    assert report["read"]["edges"] == counted(corpus, "edges")
    assert report["episodes"] == len(list(corpus.rglob("*.gi.json")))
    assert report["quarantined"] == []


def test_names_and_phrases_are_found(built: tuple[str, Path, Path, dict[str, Any]]) -> None:
    name, corpus, index, _ = built
    with open_corpus(corpus, index_dir=index) as opened:
        for query in CORPORA[name]:
            best = opened.search(query, k=5).hits[0]
            said = files_of(corpus, best.episode.id)
            assert all(word in said for word in query.strip('"').lower().split()), query
