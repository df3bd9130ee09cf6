"""The retrieval layer over a backend whose two lists are given: what is fused, cut and joined."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Literal

import numpy as np
import pytest

from podcast_scraper.errors import UsageError
from podcast_scraper.search.backend import BackendHealth, Filters, ScoredResult, SearchQuery
from podcast_scraper.search.default_layer import default_layer
from podcast_scraper.search.documents import Document
from podcast_scraper.search.retrieval import RetrievalLayer, agreement_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from podcast_scraper.search.tail import RerankQuery

VECTOR = np.array([1.0, 0.0], dtype=np.float32)


class ListBackend:
    """Answers every query with two fixed lists; documents are segments named by their id."""

    def __init__(self, bm25: Sequence[str], vector: Sequence[str]) -> None:
        self._lists = {"bm25": bm25, "vector": vector}
        self.queries: list[SearchQuery] = []

    def _answer(self, signal: str, query: SearchQuery) -> list[ScoredResult]:
        self.queries.append(query)
        return [
            ScoredResult(doc, 10.0 / rank, rank, {}, signal, "segment")
            for rank, doc in enumerate(self._lists[signal], start=1)
        ]

    def search_bm25(self, query: SearchQuery) -> list[ScoredResult]:
        return self._answer("bm25", query)

    def search_vector(self, query: SearchQuery) -> list[ScoredResult]:
        return self._answer("vector", query)

    def browse(self, query: SearchQuery) -> list[ScoredResult]:
        return self._answer("bm25", query)

    def count_undated(self, query: SearchQuery) -> int:
        return 0

    def fetch(self, doc_ids: Sequence[str]) -> dict[str, Document]:
        return {
            doc: Document(doc, "segment", f"text of {doc}", "e", "podcast:s") for doc in doc_ids
        }

    def upsert_segment(
        self, documents: Sequence[Document], vectors: NDArray[np.float32]
    ) -> None: ...
    def upsert_insight(
        self, documents: Sequence[Document], vectors: NDArray[np.float32]
    ) -> None: ...
    def delete(self, doc_ids: Sequence[str]) -> None: ...
    def create_indices(self) -> None: ...
    def health(self) -> BackendHealth:
        return BackendHealth({})


def ids(results: Sequence[object]) -> list[str]:
    return [result.doc_id for result in results]  # type: ignore[attr-defined]


def test_hybrid_is_rrf_with_the_best_at_one() -> None:
    layer = RetrievalLayer(ListBackend(["a", "b"], ["b", "c"]))
    found = layer.run("words", VECTOR)
    assert ids(found.base) == ["b", "a", "c"]
    assert [r.score for r in found.base] == pytest.approx(
        [1.0, (1 / 61) / (1 / 61 + 1 / 62), (1 / 62) / (1 / 61 + 1 / 62)]
    )
    assert found.base[0].payload["text"] == "text of b"
    assert {c.signal: c.rank for c in found.contributions["b"]} == {"vector": 1, "bm25": 2}


@pytest.mark.parametrize(("bm25", "vector"), [(["a", "b"], []), ([], ["a", "b"])])
def test_one_list_alone_keeps_order_and_scale(bm25: list[str], vector: list[str]) -> None:
    found = RetrievalLayer(ListBackend(bm25, vector)).run("words", VECTOR)
    assert [(r.doc_id, r.score) for r in found.base] == [("a", 1.0), ("b", 0.5)]
    assert found.gate.agreement is None


def test_signals_choose_the_stages() -> None:
    backend = ListBackend(["a"], ["b"])
    layer = RetrievalLayer(backend)
    assert ids(layer.run("w", VECTOR, signals="bm25").base) == ["a"]
    assert ids(layer.run("w", VECTOR, signals="vector").base) == ["b"]
    assert ids(layer.run("w", None).base) == ["a"]


def test_a_vector_is_made_while_bm25_runs() -> None:
    met = threading.Barrier(2, timeout=20)

    class Waiting(ListBackend):
        def search_bm25(self, query: SearchQuery) -> list[ScoredResult]:
            met.wait()
            return super().search_bm25(query)

    def embedding() -> NDArray[np.float32]:
        met.wait()
        return VECTOR

    layer = RetrievalLayer(Waiting(["a", "b"], ["b", "c"]))
    found = layer.run("w", embedding)
    known = RetrievalLayer(ListBackend(["a", "b"], ["b", "c"])).run("w", VECTOR)
    assert (found.base, found.bm25, found.vector) == (known.base, known.bm25, known.vector)
    assert {"encode", "dense", "bm25"} <= found.timings_ms.keys()


def test_without_a_vector_there_is_no_dense_stage() -> None:
    layer = RetrievalLayer(ListBackend(["a"], ["b"]))
    found = layer.run("w", lambda: None)
    assert ids(found.base) == ["a"]
    assert found.vector is None


def test_an_error_of_bm25_is_not_lost_beside_the_encoder() -> None:
    class Failing(ListBackend):
        def search_bm25(self, query: SearchQuery) -> list[ScoredResult]:
            raise UsageError("no")

    with pytest.raises(UsageError, match="no"):
        RetrievalLayer(Failing([], ["b"])).run("w", lambda: VECTOR)


def test_no_vector_is_made_for_words_alone() -> None:
    def embedding() -> NDArray[np.float32]:
        raise AssertionError("encoded for nothing")

    layer = RetrievalLayer(ListBackend(["a"], ["b"]))
    assert ids(layer.run("w", embedding, signals="bm25").base) == ["a"]


def test_an_empty_proximity_slot_changes_no_byte() -> None:
    class Nobody:
        def resolve(self, text: str) -> str | None:
            return None

    class Proximity:
        def search(self, entity_id: str, k: int = 20, filters: object = None) -> list[ScoredResult]:
            raise AssertionError("reached without an entity")

    backend = ListBackend(["a", "b"], ["b", "c"])
    plain = RetrievalLayer(backend).run("w", VECTOR)
    slotted = RetrievalLayer(backend, kg_proximity=Proximity(), entity_resolver=Nobody()).run(
        "w", VECTOR
    )
    assert slotted.base == plain.base
    assert slotted.contributions == plain.contributions


def test_agreement_is_jaccard_of_the_heads() -> None:
    bm25 = ListBackend(["a", "b", "c"], []).search_bm25(SearchQuery("w"))
    vector = ListBackend([], ["c", "d"]).search_vector(SearchQuery("w"))
    assert agreement_of(bm25, vector) == pytest.approx(1 / 4)
    assert agreement_of(bm25, []) is None
    assert agreement_of(None, vector) is None


@pytest.mark.parametrize("k", [0, -1, 10**9])
def test_k_is_bounded(k: int) -> None:
    with pytest.raises(UsageError, match="between 1 and 1000"):
        RetrievalLayer(ListBackend([], [])).retrieve("w", VECTOR, k=k)


def test_unknown_choices_are_refused_with_the_known() -> None:
    layer = RetrievalLayer(ListBackend([], []))
    with pytest.raises(UsageError, match="hybrid"):
        layer.retrieve("w", VECTOR, signals="magic")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="semantic"):
        layer.retrieve("w", VECTOR, intent="magic")  # type: ignore[arg-type]


class EpisodeBackend(ListBackend):
    """Documents named ``s0``, ``s1``, … are consecutive windows of one episode."""

    def fetch(self, doc_ids: Sequence[str]) -> dict[str, Document]:
        return {
            doc: Document(doc, "segment", "text", "e", "podcast:s", ordinal=int(doc[1:]))
            for doc in doc_ids
        }


def test_neighbours_share_the_fused_score_and_the_scale_goes_by_rank() -> None:
    # RRF: s0 1/61 + 1/61, s9 1/62, s5 1/62, s4 1/63.
    backend = EpisodeBackend(["s0", "s9"], ["s0", "s5", "s4"])
    found = RetrievalLayer(backend, neighbours=lambda filters: (0.5,)).run("w", VECTOR)
    assert ids(found.base) == ["s0", "s5", "s4", "s9"]
    assert [r.score for r in found.base] == pytest.approx([1.0, 61 / 62, 61 / 63, 61 / 64])
    assert found.neighbours == pytest.approx({"s5": 0.5 / 63, "s4": 0.5 / 62})


def test_neighbours_leave_a_single_list_alone() -> None:
    backend = EpisodeBackend(["s0", "s9", "s8"], [])
    found = RetrievalLayer(backend, neighbours=lambda filters: (0.5,)).run("w", VECTOR)
    assert ids(found.base) == ["s0", "s9", "s8"]
    assert found.neighbours == {}


def test_the_default_layer_fuses_scores() -> None:
    # Min-max: s0 1 + 1, s9 (BM25 5 of 10..5) 0, s5 (5 of 10..10/3) .25, s4 0; then neighbours.
    backend = EpisodeBackend(["s0", "s9"], ["s0", "s5", "s4"])
    found = default_layer(backend, known_name=None).run("w", VECTOR)
    assert ids(found.base)[:2] == ["s0", "s5"]
    assert found.base[0].score == 1.0


class LastFirst:
    """Turns the base round where it is told to."""

    name = "last-first"

    def __init__(self, acts: bool) -> None:
        self.acts = acts

    def rerank(self, query: RerankQuery) -> tuple[list[ScoredResult], dict[str, dict[str, float]]]:
        if not self.acts:
            return list(query.base), {}
        return list(reversed(query.base)), {one.doc_id: {"score": 0.0} for one in query.base}


def test_a_rerank_sets_the_scale_by_rank() -> None:
    layer = RetrievalLayer(ListBackend(["a", "b"], ["b", "c"]), reranker=LastFirst(True))
    found = layer.run("w", VECTOR)
    assert ids(found.base) == ["c", "a", "b"]
    assert [r.score for r in found.base] == pytest.approx([1.0, 61 / 62, 61 / 63])


@pytest.mark.parametrize("signals", ["hybrid", "bm25"])
def test_a_rerank_that_does_nothing_changes_no_score(signals: Literal["hybrid", "bm25"]) -> None:
    backend = ListBackend(["a", "b"], ["b", "c"])
    plain = RetrievalLayer(backend).run("w", VECTOR, signals=signals)
    idle = RetrievalLayer(backend, reranker=LastFirst(False)).run("w", VECTOR, signals=signals)
    assert idle.base == plain.base


def test_a_known_name_is_ranked_by_its_words() -> None:
    # Equal shares put s5 beside s0; here BM25's two come first, then what meaning alone found.
    backend = EpisodeBackend(["s0", "s9"], ["s5", "s4", "s0"])
    plain = default_layer(backend, known_name=None).run("ida holm", VECTOR)
    named = default_layer(backend, known_name=lambda text: text == "ida holm").run(
        "ida holm", VECTOR
    )
    assert plain.intent == "semantic"
    assert plain.rerank
    assert named.intent == "entity_lookup"
    assert ids(named.base) == ["s0", "s9", "s5", "s4"]
    assert (named.neighbours, named.rerank) == ({}, {})


def test_a_known_name_is_one_query_among_others_within_an_episode_or_where_more_is_said() -> None:
    backend = EpisodeBackend(["s0", "s9"], ["s5", "s4", "s0"])
    layer = default_layer(backend, known_name=lambda text: True)
    assert layer.run("ida holm", VECTOR, intent="semantic").rerank
    assert layer.run("ida holm", VECTOR, filters=Filters(episodes=("e",))).rerank
    assert layer.run("ida holm", VECTOR, signal_weights={"bm25": 1.0}).rerank
    assert not layer.run("ida holm", VECTOR, filters=Filters(episodes=("e", "f"))).rerank
