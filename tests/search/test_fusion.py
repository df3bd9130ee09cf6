"""Fusion against hand computation, and its laws."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podcast_scraper.errors import ConfigurationError
from podcast_scraper.search.backend import ScoredResult
from podcast_scraper.search.fusion import (
    dbsf,
    fusion_named,
    max_normalise,
    minmax,
    rank_scores,
    rrf,
    rrf_fuse,
)


def ranked(signal: str, *scores: tuple[str, float], tier: str = "segment") -> list[ScoredResult]:
    return [
        ScoredResult(doc_id, score, rank, {"from": signal}, signal, tier)
        for rank, (doc_id, score) in enumerate(scores, start=1)
    ]


def test_rrf_by_hand() -> None:
    dense = ranked("vector", ("a", 0.9), ("b", 0.8))
    bm25 = ranked("bm25", ("b", 12.0), ("c", 7.0))
    fused = rrf_fuse([dense, bm25])
    assert [(r.doc_id, r.rank) for r in fused] == [("b", 1), ("a", 2), ("c", 3)]
    assert fused[0].score == pytest.approx(float(Fraction(1, 62) + Fraction(1, 61)))
    assert fused[1].score == pytest.approx(1 / 61)
    assert fused[2].score == pytest.approx(1 / 62)


def test_rrf_weights_multiply() -> None:
    insight = ranked("bm25", ("i", 1.0), tier="insight")
    segment = ranked("vector", ("s", 1.0))
    fused = rrf_fuse(
        [segment, insight],
        k=10,
        signal_weights={"bm25": 0.5, "vector": 2.0},
        tier_weights={"insight": 3.0, "segment": 0.1},
    )
    assert {r.doc_id: r.score for r in fused} == pytest.approx(
        {"i": 0.5 * 3.0 / 11, "s": 2.0 * 0.1 / 11}
    )


def test_the_first_list_gives_the_payload() -> None:
    fused = rrf_fuse([ranked("vector", ("a", 1.0)), ranked("bm25", ("a", 1.0))])
    assert fused[0].payload == {"from": "vector"}


def test_minmax_and_dbsf_by_hand() -> None:
    bm25 = ranked("bm25", ("a", 10.0), ("b", 6.0), ("c", 2.0))
    dense = ranked("vector", ("c", 0.5), ("d", 0.5))
    scores = {r.doc_id: r.score for r in minmax([dense, bm25]).results}
    assert scores == pytest.approx({"a": 1.0, "b": 0.5, "c": 1.0, "d": 1.0})
    # mean 6, σ = sqrt(32/3): a lies at (4 / (6σ)) + 1/2.
    sigma = (32 / 3) ** 0.5
    scores = {r.doc_id: r.score for r in dbsf([bm25]).results}
    assert scores == pytest.approx(
        {"a": 4 / (6 * sigma) + 0.5, "b": 0.5, "c": 0.5 - 4 / (6 * sigma)}
    )


def test_normalising() -> None:
    results = ranked("bm25", ("a", 4.0), ("b", 1.0))
    assert [r.score for r in max_normalise(results)] == [1.0, 0.25]
    zeros = ranked("bm25", ("a", 0.0), ("b", -1.0))
    assert max_normalise(zeros) == zeros
    assert max_normalise([]) == []
    assert [r.score for r in rank_scores(results)] == pytest.approx([1.0, 61 / 62])


def test_an_unknown_fusion_names_the_known() -> None:
    with pytest.raises(ConfigurationError, match="rrf"):
        fusion_named("sum")


lists = st.lists(
    st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8), min_size=1, max_size=3
)


@given(lists)
def test_laws(orders: list[list[str]]) -> None:
    signals = ("vector", "bm25", "kg")
    ranked_lists = [
        ranked(signal, *((doc, 1.0 / (1 + i)) for i, doc in enumerate(order)))
        for signal, order in zip(signals, orders, strict=False)
    ]
    fused = rrf(ranked_lists)
    results = fused.results
    assert {r.doc_id for r in results} == {doc for order in orders for doc in order}
    assert [r.rank for r in results] == list(range(1, len(results) + 1))
    assert results == sorted(results, key=lambda r: (-r.score, r.doc_id))
    for result in results:
        assert result.score == sum(part.value for part in fused.contributions[result.doc_id])
    assert rrf_fuse([*ranked_lists, []]) == results
