from __future__ import annotations

import numpy as np
import pytest

from podcast_scraper.embed.cross_encoder import (
    CrossEncoder,
    best_of_windows,
    open_cross_encoder,
)
from podcast_scraper.errors import ModelError

ANSWER = "Our bakery lights its ovens at three in the morning."
FILLER = "The committee met again on Tuesday and read the minutes aloud. "


@pytest.fixture(scope="module")
def packaged() -> CrossEncoder:
    return open_cross_encoder()


@pytest.mark.model
def test_the_answer_scores_highest(packaged: CrossEncoder) -> None:
    texts = ["The glacier lost four metres of ice.", ANSWER, "Bread is made of flour and water."]
    scores = packaged.score("what time do bakers start baking", texts)
    assert scores.dtype == np.float32
    assert int(scores.argmax()) == 1
    assert scores[0] < scores[2] < scores[1]


@pytest.mark.model
def test_a_score_does_not_depend_on_company_or_threads(packaged: CrossEncoder) -> None:
    texts = [ANSWER, FILLER * 80, "", FILLER]
    together = open_cross_encoder(threads=2).score("when do bakers start", texts)
    alone = [packaged.score("when do bakers start", [text])[0] for text in texts]
    np.testing.assert_array_equal(together, np.array(alone, dtype=np.float32))


@pytest.mark.model
def test_an_answer_at_the_end_of_a_long_text_is_seen(packaged: CrossEncoder) -> None:
    long = FILLER * 80
    without, at_end = packaged.score("when do bakers start", [long, long + ANSWER])
    assert at_end > without + 0.5


@pytest.mark.model
@pytest.mark.parametrize("text", ["x" * 9000, "東京" * 2000, "a-b_c/" * 700, "\ud83d \x00 " * 900])
def test_anything_can_be_scored(packaged: CrossEncoder, text: str) -> None:
    assert packaged.score(text, [text, "short"]).shape == (2,)


@pytest.mark.model
def test_no_texts_give_no_scores(packaged: CrossEncoder) -> None:
    assert packaged.score("anything", []).shape == (0,)


def test_the_best_window_counts() -> None:
    got = best_of_windows("m", [1.0, 5.0, -2.0], [0, 0, 1], 2)
    np.testing.assert_array_equal(got, np.array([5.0, -2.0], dtype=np.float32))


def test_scores_that_are_not_finite_are_refused() -> None:
    with pytest.raises(ModelError, match="text 1"):
        best_of_windows("m", [1.0, float("nan")], [0, 1], 2)


def test_an_unknown_name_lists_the_packaged_cross_encoder() -> None:
    with pytest.raises(ModelError, match="pkg:reranker"):
        open_cross_encoder("nobody/no-such-reranker")
