from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podcast_scraper.search.sentences import sentence_spans


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Dr. Smith paid 3.5 million. He left.", ["Dr. Smith paid 3.5 million.", "He left."]),
        ("Why? Because! So.", ["Why?", "Because!", "So."]),
        ("no full stop\n  next line", ["no full stop", "next line"]),
        ("東京です。静かです。", ["東京です。", "静かです。"]),
        ("one endless line " * 500, [("one endless line " * 500).strip()]),
        (" \n ", []),
        ("", []),
    ],
)
def test_sentences(text: str, sentences: list[str]) -> None:
    assert [text[start:end] for start, end in sentence_spans(text)] == sentences


@given(st.text(alphabet="ab.?! \n\r\t。é😀\u2028'\"", max_size=60))
def test_spans_are_ordered_and_hold_every_word(text: str) -> None:
    spans = sentence_spans(text)
    assert "".join("".join(text[a:b].split()) for a, b in spans) == "".join(text.split())
    assert all(a < b for a, b in spans)
    assert all(before[1] <= after[0] for before, after in itertools.pairwise(spans))
