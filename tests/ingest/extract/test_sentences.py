"""Sentence boundaries of speech."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podcast_scraper.ingest.extract.sentences import sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("Dr. Who met J. R. Smith, e.g. Today.", ["Dr. Who met J. R. Smith, e.g. Today."]),
        ('He said "Go." Then he left.', ['He said "Go."', "Then he left."]),
        ("It costs 3.5 dollars. ok then.", ["It costs 3.5 dollars. ok then."]),
        ("Wait... Élan vital. 7 of us.", ["Wait...", "Élan vital.", "7 of us."]),
        ("So do I. And you?", ["So do I.", "And you?"]),
        ("", []),
    ],
)
def test_boundaries(text: str, expected: list[str]) -> None:
    assert [text[start:end] for start, end in sentences(text)] == expected


@given(st.text(st.sampled_from("ab A.?!\"' \n"), max_size=60))
def test_nothing_is_lost(text: str) -> None:
    pieces = [text[start:end] for start, end in sentences(text)]
    assert "".join("".join(pieces).split()) == "".join(text.split())
