from __future__ import annotations

import numpy as np
import pytest

from podcast_scraper.embed.vectors import unit_vectors
from podcast_scraper.errors import ModelError


def test_rows_are_normalised() -> None:
    got = unit_vectors([[3.0, 4.0], [0.0, -2.0]], 2, model="m")
    np.testing.assert_allclose(got, [[0.6, 0.8], [0.0, -1.0]], atol=1e-7)
    assert got.dtype == np.float32


@pytest.mark.parametrize(
    ("row", "what"),
    [([0.0, 0.0], "only zeros"), ([np.nan, 1.0], "not finite"), ([np.inf, 1.0], "not finite")],
)
def test_unusable_rows_are_refused_by_index(row: list[float], what: str) -> None:
    with pytest.raises(ModelError, match=f"{what}.* text 11") as caught:
        unit_vectors([[1.0, 0.0], row], 2, model="m", first=10)
    assert caught.value.subject == 11


def test_another_dimension_is_refused() -> None:
    with pytest.raises(ModelError, match=r"\(1, 3\), not \(n, 2\)"):
        unit_vectors([[1.0, 0.0, 0.0]], 2, model="m")
