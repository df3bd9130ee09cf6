"""Words and slips, told apart by the packaged model's vocabulary."""

from __future__ import annotations

import pytest

from podcast_scraper.embed.lexicon import is_word
from podcast_scraper.embed.resolve import open_encoder
from tests.index.encoders import WordEncoder


@pytest.mark.parametrize("word", ["lonely", "expensive", "parliament"])
def test_words_are_known(word: str) -> None:
    assert is_word(open_encoder(), word)


@pytest.mark.parametrize("word", ["robott", "recieve", "goverment", "tommorow", "occured"])
def test_slips_are_not(word: str) -> None:
    assert not is_word(open_encoder(), word)


def test_a_tokenizer_that_knows_no_words_says_nothing() -> None:
    assert not is_word(WordEncoder(), "lonely")
