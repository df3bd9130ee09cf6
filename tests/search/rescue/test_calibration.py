"""The corpus' own threshold: the 10th percentile of top cosines, the own document left out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from podcast_scraper.errors import IndexDamagedError, UsageError
from podcast_scraper.search.backend import ScoredResult, SearchQuery
from podcast_scraper.search.rescue.calibration import (
    Calibration,
    Probe,
    calibrate,
    probes_of,
    store_calibration,
    stored_threshold,
)

if TYPE_CHECKING:
    from pathlib import Path

    from podcast_scraper.corpus import Corpus


class Cosines:
    """A backend whose first hit of query "n" has the cosine n / 100."""

    def search_vector(self, query: SearchQuery) -> list[ScoredResult]:
        score = int(query.text) / 100
        hits = [("own", score), ("other", score - 0.5)]
        return [
            ScoredResult(name, value, rank, {}, "vector", "segment")
            for rank, (name, value) in enumerate(hits, start=1)
        ]


def embed(text: str) -> np.ndarray:
    return np.zeros(2, dtype=np.float32)


def test_the_threshold_is_the_tenth_percentile() -> None:
    probes = [Probe(str(number)) for number in range(50, 101)]
    found = calibrate(Cosines(), embed, probes)  # type: ignore[arg-type]
    assert found.low_confidence == found.percentiles["p10"] == pytest.approx(0.55)
    assert found.queries == 51


def test_the_own_document_is_left_out() -> None:
    found = calibrate(Cosines(), embed, [Probe("90", "own")])  # type: ignore[arg-type]
    assert found.low_confidence == pytest.approx(0.40)


def test_nothing_to_calibrate_with() -> None:
    with pytest.raises(UsageError, match="--queries"):
        calibrate(Cosines(), embed, [])  # type: ignore[arg-type]


def test_it_is_stored_and_read(tmp_path: Path) -> None:
    assert stored_threshold(tmp_path) is None
    store_calibration(tmp_path, Calibration(0.4321, 9, "names and insights", {"p10": 0.4321}))
    assert stored_threshold(tmp_path) == 0.4321
    store_calibration(tmp_path, Calibration(0.5, 9, "queries.txt", {}))
    assert stored_threshold(tmp_path) == 0.5
    (tmp_path / "calibration.json").write_text("{")
    with pytest.raises(IndexDamagedError, match="calibrate"):
        stored_threshold(tmp_path)


def test_probes_are_the_same_each_time(sample: Corpus) -> None:
    probes = probes_of(sample.index.engine)
    assert probes == probes_of(sample.index.engine)
    texts = {probe.text for probe in probes}
    assert sample.graph.label(sample.graph.nodes_by_type("topic")[0]) in texts
    own = [probe for probe in probes if probe.own]
    assert 0 < len(own) <= 200
    documents = sample.index.backend.fetch([str(probe.own) for probe in own])
    assert all(documents[str(probe.own)].text == probe.text for probe in own)


def test_a_build_calibrates_and_results_say_so(sample: Corpus) -> None:
    path = sample.index.derived / "calibration.json"
    stored = json.loads(path.read_text())
    gate = sample.search("bus").gate
    assert gate.confidence_threshold == stored["low_confidence"] == stored["percentiles"]["p10"]
    assert stored["low_confidence"] != 0.60
