"""Measuring recall: what it counts, and the command that prints and keeps it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
from click.testing import CliRunner

from podcast_scraper.cli.main import main
from podcast_scraper.index.build import build_index
from podcast_scraper.index.recall import measure_recall, pseudo_queries
from podcast_scraper.search.backends import dense
from podcast_scraper.search.backends.embedded import EmbeddedBackend
from tests.index.encoders import word_encoder
from tests.search.backends.contract import DIMENSION
from tests.search.backends.test_dense import document, put, vectors_of
from tests.search.backends.test_embedded import prepare

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

__all__ = ["word_encoder"]


def test_recall_counts_what_a_poor_scan_misses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dense, "LARGE", 1000)
    backend = prepare(EmbeddedBackend.create(tmp_path, DIMENSION))
    put(backend, [document(n) for n in range(1500)], vectors_of(1500, 1))
    backend.create_indices()
    queries = vectors_of(20, 2)
    assert measure_recall(backend.dense, queries, 0).recall >= 0.97
    scan = backend.dense.scan
    assert scan is not None
    object.__setattr__(scan.choice, "candidates", 0)
    monkeypatch.setattr("podcast_scraper.search.backends.scan.MIRROR_CANDIDATES", 0.5)
    monkeypatch.setattr(
        type(scan), "by_mirror", lambda self, unit, count, allowed=None: np.arange(750)
    )
    poor = measure_recall(backend.dense, queries, 0)
    assert (poor.way, poor.queries) == ("mirror", 20)
    assert 0.35 < poor.recall < 0.65  # it looked at half of the documents
    backend.close()


def test_queries_are_the_beginnings_of_documents(tiny: Path, word_encoder: object) -> None:
    backend = EmbeddedBackend.open(build_index(tiny).generation.path)
    texts = pseudo_queries(backend.engine, 3, seed=1)
    assert len(texts) == 3
    assert texts == pseudo_queries(backend.engine, 3, seed=1)
    held = [d.text for d in backend.fetch(["insight:a1", "insight:a2", "insight:b1"]).values()]
    assert any(text in held for text in texts)
    backend.close()


def test_doctor_measures_and_keeps_recall(tiny: Path, word_encoder: object) -> None:
    generation = build_index(tiny).generation
    answer = CliRunner().invoke(main, ["doctor", str(tiny), "--recall", "--json"])
    checks = {check["name"]: check for check in json.loads(answer.output)["checks"]}
    assert checks["recall"]["ok"]
    assert "recall@100 1.0000" in checks["recall"]["detail"]
    kept = json.loads((generation.path / "recall.json").read_text())
    assert (kept["recall"], kept["way"]) == (1.0, "exact")
