"""Features of a small base worked out by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from podcast_scraper.search.backend import Filters, ScoredResult
from podcast_scraper.search.fusion import Contribution
from podcast_scraper.search.rerank.features import FEATURES, feature_matrix
from podcast_scraper.search.tail import RerankQuery

TEXTS = {
    "a": "Wild yeast wants a cold kitchen and much patience before the dough rises.",
    "b": "The dough is wild about yeast.",
    "c": "Nothing of interest.",
    "d": "Wild horses.",
}


def query(text: str = "wild yeast dough") -> RerankQuery:
    """a and b are neighbours, c is four further on; d is of another episode."""
    places = {"a": ("e", 0), "b": ("e", 1), "c": ("e", 5), "d": ("f", 1)}
    base = [
        ScoredResult(
            doc,
            1.0,
            rank,
            {"text": TEXTS[doc], "episode_id": places[doc][0], "ordinal": places[doc][1]},
            "rrf",
            "segment",
        )
        for rank, doc in enumerate("abcd", start=1)
    ]
    raw = {"bm25": {"a": 12.0, "b": 8.0, "d": 4.0}, "vector": {"a": 0.5, "b": 0.9, "c": 0.7}}
    contributions = {
        doc: tuple(
            Contribution(stage, 1, scores[doc], 1.0, 1.0, 0.0)
            for stage, scores in raw.items()
            if doc in scores
        )
        for doc in "abcd"
    }
    return RerankQuery(text, base, contributions, Filters())


def column(name: str) -> list[float]:
    matrix = feature_matrix(query(), 10)
    return [float(value) for value in matrix[:, FEATURES.index(name)]]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("bm25", [1.0, 0.5, 0.0, 0.0]),
        ("vector", [0.0, 1.0, 0.5, 0.0]),
        ("bm25 1-1 away", [0.5, 1.0, 0.0, 0.0]),
        ("vector 1-1 away", [1.0, 0.0, 0.0, 0.0]),
        ("vector 4-6 away", [0.5, 0.5, 1.0, 0.0]),
        ("bm25 4-6 away", [0.0, 0.0, 1.5, 0.0]),
        ("best vector of the episode", [1.0, 1.0, 1.0, 0.0]),
        ("terms covered", [1.0, 1.0, 0.0, 1 / 3]),
        ("neighbouring terms kept", [0.5, 0.5, 0.0, 0.0]),
        # Of four texts wild is in three, yeast and dough in two: ln(1 + 1.5/3.5) = 0.3567 and
        # twice ln(1 + 2.5/2.5) = 0.6931.
        ("rare terms covered", [1.0, 1.0, 0.0, 0.3567 / (0.3567 + 2 * 0.6931)]),
    ],
)
def test_features_by_hand(name: str, expected: list[float]) -> None:
    assert column(name) == pytest.approx(expected, abs=1e-4)


def test_the_length_is_a_logarithm_of_stems() -> None:
    # wild hors; noth interest
    assert column("length")[2:] == pytest.approx([math.log(3) / 6] * 2)


def test_the_best_of_an_episode_is_of_both_tiers() -> None:
    plain = query()
    base = [replace(plain.base[0], source_tier="insight"), *plain.base[1:]]
    mixed = feature_matrix(replace(plain, base=base), 10)
    np.testing.assert_array_equal(
        mixed[:, FEATURES.index("best bm25 of the episode")], [1.0, 1.0, 1.0, 0.0]
    )
    # a and b are of two tiers now, so they are no neighbours.
    assert not mixed[:2, FEATURES.index("bm25 1-1 away")].any()


def test_stages_are_weighed_as_the_fusion_weighs_them() -> None:
    plain = query()
    parts = {
        doc: tuple(replace(part, weight=0.5, tier_weight=1.2) for part in found)
        for doc, found in plain.contributions.items()
    }
    columns = [FEATURES.index(name) for name in ("bm25", "vector", "best bm25 of the episode")]
    weighed = feature_matrix(replace(plain, contributions=parts), 10)[:, columns]
    np.testing.assert_allclose(weighed, 0.6 * feature_matrix(plain, 10)[:, columns])


def test_the_head_is_cut_but_neighbours_are_not() -> None:
    whole, cut = feature_matrix(query(), 10), feature_matrix(query(), 2)
    assert cut.shape == (2, len(FEATURES))
    by_head = FEATURES.index("rare terms covered")
    np.testing.assert_array_equal(
        np.delete(cut, by_head, axis=1), np.delete(whole[:2], by_head, axis=1)
    )


def test_a_query_of_stop_words_has_no_text_features() -> None:
    matrix = feature_matrix(query("of the"), 10)
    first, last = FEATURES.index("terms covered"), FEATURES.index("rare terms covered")
    assert not matrix[:, first : last + 1].any()
