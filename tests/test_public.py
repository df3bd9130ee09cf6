"""The public names, and the Python API as the README shows it."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import podcast_scraper

if TYPE_CHECKING:
    from podcast_scraper import Corpus


def test_exported_names() -> None:
    assert sorted(podcast_scraper.__all__) == [
        "Corpus",
        "Hit",
        "PodcastScraperError",
        "SearchRequest",
        "SearchResponse",
        "__version__",
        "build_index",
        "open_corpus",
    ]
    for name in podcast_scraper.__all__:
        assert getattr(podcast_scraper, name) is not None
    with pytest.raises(AttributeError, match="nothing"):
        _ = podcast_scraper.nothing  # type: ignore[attr-defined]


def test_the_python_api(sample: Corpus) -> None:
    hit = sample.search("robot pulled up the leeks", k=3).hits[0]
    assert "leek" in (hit.text + (hit.segment.text if hit.segment else ""))
    person = hit.speakers[0]
    assert sample.resolve(person.name).id == person.id
    positions = sample.relational.positions_of(person.id, k=50)
    assert positions.rows
    assert person.id in sample.graph


def test_the_query_path_imports_nothing_heavy(sample_path: object) -> None:
    code = (
        "import sys; from podcast_scraper import open_corpus;"
        f"c = open_corpus({str(sample_path)!r}); c.search('bus'); c.close();"
        "heavy = {'torch', 'sentence_transformers', 'networkx', 'pandas', 'flask', 'rich', 'nltk'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    assert done.stdout.strip() == "[]"
