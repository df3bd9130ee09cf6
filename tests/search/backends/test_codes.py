"""Codes in two parts give what faiss gives over the whole of them."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import faiss
import numpy as np
import pytest

from podcast_scraper.search.backends import codes
from podcast_scraper.search.backends.codes import Codes

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

DIMENSION = 32


def index_of(rows: NDArray[np.float32]) -> Any:
    made = faiss.IndexPQFastScan(DIMENSION, DIMENSION // 2, 4, faiss.METRIC_INNER_PRODUCT)
    made.train(rows)
    made.add(rows)
    return made


@pytest.fixture
def rows() -> NDArray[np.float32]:
    found = np.random.default_rng(5).standard_normal((1037, DIMENSION)).astype(np.float32)
    return found / np.linalg.norm(found, axis=1, keepdims=True)


@pytest.fixture(params=[1, 2], ids=["one core", "two cores"])
def made(
    rows: NDArray[np.float32], request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Codes:
    monkeypatch.setattr(codes, "WORTH_SHARING", 100)
    monkeypatch.setattr(codes, "_cores", lambda: request.param)
    return Codes(index_of(rows))


def scores_of(index: Any, rows: NDArray[np.float32], query: NDArray[np.float32]) -> Any:
    """Scores of all rows as the codes have them."""
    scores, order = index.search(query[None], len(rows))
    by_row = np.empty(len(rows), dtype=np.float32)
    by_row[order[0]] = scores[0]
    return by_row


@pytest.mark.parametrize("count", [1, 40, 1037, 5000])
def test_the_best_are_those_of_the_whole(
    made: Codes, rows: NDArray[np.float32], count: int
) -> None:
    by_row = scores_of(index_of(rows), rows, rows[3])
    found = made.best(rows[3], count)
    assert len(set(found.tolist())) == len(found) == min(count, len(rows))
    assert np.allclose(
        np.sort(by_row[found]), np.sort(by_row)[-len(found) :], atol=1e-6
    )  # rows of one code tie


def test_written_codes_are_one_index_and_search_alike(
    made: Codes, rows: NDArray[np.float32], tmp_path: Path
) -> None:
    made.write(tmp_path / "codes.faiss")
    whole = faiss.read_index(str(tmp_path / "codes.faiss"))
    assert whole.ntotal == len(rows)
    expected, _ = index_of(rows).search(rows[:1], 50)
    assert whole.search(rows[:1], 50)[0] == pytest.approx(expected)
    again = Codes.read(tmp_path / "codes.faiss")
    assert set(again.best(rows[3], 60).tolist()) == set(made.best(rows[3], 60).tolist())


def test_queries_at_the_same_time_find_the_same(made: Codes, rows: NDArray[np.float32]) -> None:
    expected = [set(made.best(row, 30).tolist()) for row in rows[:40]]
    found: dict[int, set[int]] = {}

    def search(start: int) -> None:
        for place in range(start, 40, 4):
            found[place] = set(made.best(rows[place], 30).tolist())

    threads = [threading.Thread(target=search, args=(start,)) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[place] for place in range(40)] == expected
