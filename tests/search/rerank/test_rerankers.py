"""Both rerankers: order by hand, nothing lost, nothing below the head moved."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from podcast_scraper.errors import ConfigurationError, ModelError
from podcast_scraper.search.backend import Filters, ScoredResult
from podcast_scraper.search.fusion import Contribution
from podcast_scraper.search.rerank.cross_encoder import CrossEncoderReranker
from podcast_scraper.search.rerank.features import FEATURES
from podcast_scraper.search.rerank.linear import LinearModel, LinearReranker
from podcast_scraper.search.tail import RerankQuery

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray


def query(scores: dict[str, float], filters: Filters | None = None) -> RerankQuery:
    """Documents of an episode each; BM25's raw score is that of the fusion, cosines are equal."""
    base = [
        ScoredResult(
            doc, score, rank, {"text": doc, "episode_id": doc, "ordinal": 0}, "rrf", "segment"
        )
        for rank, (doc, score) in enumerate(scores.items(), start=1)
    ]
    parts = {
        doc: (
            Contribution("bm25", rank, score, 1.0, 1.0, score),
            Contribution("vector", rank, 0.5, 1.0, 1.0, 0.5),
        )
        for rank, (doc, score) in enumerate(scores.items(), start=1)
    }
    return RerankQuery("words", base, parts, filters or Filters())


class LengthModel:
    """A cross-encoder that likes long texts."""

    name = "length"
    fingerprint = "length@1"

    def score(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.array([len(text) for text in texts], dtype=np.float32)


def test_a_share_of_the_first_stage_stays() -> None:
    # First stage min-max 1, .5, 0; lengths 1, 2, 5 min-max 0, .25, 1.
    asked = query({"a": 3.0, "bb": 2.0, "ccccc": 1.0, "dddddddd": 0.5})
    order = [
        [one.doc_id for one in reranker.rerank(asked)[0]]
        for share in (1.0, 0.55, 0.0)
        for reranker in [CrossEncoderReranker(LengthModel(), depth=3, first_stage_share=share)]
    ]
    assert order == [
        ["a", "bb", "ccccc", "dddddddd"],
        ["a", "ccccc", "bb", "dddddddd"],
        ["ccccc", "bb", "a", "dddddddd"],
    ]


def test_equal_logits_keep_the_order_of_the_first_stage() -> None:
    asked = query({"b": 3.0, "a": 2.0, "c": 1.0})
    ranked, notes = CrossEncoderReranker(LengthModel()).rerank(asked)
    assert [one.doc_id for one in ranked] == ["b", "a", "c"]
    assert notes["a"] == {"score": 1.0, "from_rank": 2}


@pytest.mark.parametrize(("depth", "share"), [(0, 0.5), (5, 1.1), (5, -0.1)])
def test_wrong_settings_are_refused(depth: int, share: float) -> None:
    with pytest.raises(ConfigurationError):
        CrossEncoderReranker(LengthModel(), depth=depth, first_stage_share=share)


def model(bm25_in_episode: float, bm25_over_corpus: float) -> LinearModel:
    rest = (0.0,) * (len(FEATURES) - 1)
    return LinearModel(
        {"episode": (bm25_in_episode, *rest), "corpus": (bm25_over_corpus, *rest)}, {"sets": []}
    )


def test_weights_follow_the_scope() -> None:
    reranker = LinearReranker(model(-1.0, 1.0))
    scores = {"a": 3.0, "b": 2.0, "c": 1.0}
    over, _ = reranker.rerank(query(scores))
    within, _ = reranker.rerank(query(scores, Filters(episodes=("e",))))
    assert [one.doc_id for one in over] == ["a", "b", "c"]
    assert [one.doc_id for one in within] == ["c", "b", "a"]


def test_notes_say_what_moved_a_document() -> None:
    _, notes = LinearReranker(model(1.0, -2.0)).rerank(query({"a": 3.0, "b": 2.0, "c": 1.0}))
    # Min-max 1, .5, 0, weighed −2: what is beyond the average is −1, 0 and 1.
    assert [notes[one]["parts"] for one in "abc"] == [{"bm25": -1.0}, {}, {"bm25": 1.0}]
    assert notes["c"]["from_rank"] == 3


def test_a_list_that_stands_alone_is_left_alone() -> None:
    asked = query({"a": 3.0, "b": 2.0})
    words = {doc: parts[:1] for doc, parts in asked.contributions.items()}
    alone = replace(asked, contributions=words)
    assert LinearReranker(model(-1.0, -1.0)).rerank(alone) == (list(asked.base), {})


def test_what_lies_below_the_head_stays() -> None:
    scores = {f"d{i:03}": 200.0 - i for i in range(130)}
    ranked, _ = LinearReranker(model(-1.0, -1.0)).rerank(query(scores))
    ids = [one.doc_id for one in ranked]
    assert ids[:60] == [f"d{i:03}" for i in reversed(range(60))]
    assert ids[60:] == [f"d{i:03}" for i in range(60, 130)]


def test_a_model_comes_back_from_its_file(tmp_path: Path) -> None:
    model(1.5, 2.5).save(tmp_path / "m.json")
    assert LinearModel.load(tmp_path / "m.json") == model(1.5, 2.5)


def test_a_model_of_other_features_is_refused(tmp_path: Path) -> None:
    model(1.0, 1.0).save(tmp_path / "m.json")
    stored = json.loads((tmp_path / "m.json").read_text())
    del stored["weights"]["corpus"]["vector"]
    (tmp_path / "m.json").write_text(json.dumps(stored))
    with pytest.raises(ModelError, match="eval train"):
        LinearModel.load(tmp_path / "m.json")


def test_the_packaged_model_names_its_training_data() -> None:
    packaged = LinearModel.load()
    assert {one["licence"] for one in packaged.training["sets"]}
    assert packaged.weights["corpus"][FEATURES.index("bm25")] > 0
    assert packaged.weights["corpus"][FEATURES.index("vector")] > 0
