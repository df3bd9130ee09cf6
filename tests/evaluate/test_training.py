"""Learning: it finds the feature that decides, weighs sets alike, and repeats itself."""

from __future__ import annotations

import numpy as np

from podcast_scraper.evaluate.training import Example, learn, start_weights
from podcast_scraper.search.rerank.features import FEATURES

BIGRAMS = FEATURES.index("neighbouring terms kept")


def examples(seed: int, count: int, feature: int) -> list[Example]:
    """Queries of ten documents; the one with the largest value of ``feature`` is relevant."""
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(count):
        features = rng.uniform(0, 1, (10, len(FEATURES)))
        grades = np.zeros(10)
        grades[features[:, feature].argmax()] = 1.0
        made.append(Example(features, grades))
    return made


def ranked_first(weights: np.ndarray, made: list[Example]) -> float:
    return float(
        np.mean([(one.features @ weights).argmax() == one.grades.argmax() for one in made])
    )


def test_the_deciding_feature_is_found() -> None:
    learnt = learn([examples(1, 200, BIGRAMS)], "corpus")
    fresh = examples(2, 200, BIGRAMS)
    assert ranked_first(start_weights("corpus"), fresh) < 0.3
    assert ranked_first(learnt, fresh) > 0.8


def test_the_same_examples_give_the_same_weights() -> None:
    made = examples(3, 50, 0)
    np.testing.assert_array_equal(learn([made], "episode"), learn([made], "episode"))


def test_a_large_set_does_not_outvote_a_small_one() -> None:
    once, often = examples(4, 40, 0), examples(5, 40, 1)
    np.testing.assert_allclose(
        learn([once, often], "corpus"), learn([once, often * 5], "corpus"), atol=0.05
    )


def test_without_evidence_the_start_stands() -> None:
    even = [Example(np.ones((4, len(FEATURES))), np.full(4, 0.25))]
    np.testing.assert_allclose(learn([even], "episode"), start_weights("episode"), atol=1e-4)


def test_the_start_is_the_default_fusion_with_its_neighbours() -> None:
    row = dict(zip(FEATURES, start_weights("episode") / 6, strict=True))
    assert (row["bm25"], row["vector"]) == (1.0, 1.0)
    assert [row[f"bm25 {n}-{n} away"] for n in (1, 2, 3)] == [0.5, 0.3, 0.15]
    assert row["terms covered"] == 0.0
