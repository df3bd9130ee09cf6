"""Packed strings against lists and dicts of the same strings."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podcast_scraper.search.graph import strings as packing
from podcast_scraper.search.graph.strings import Strings, pack, places_of, taken

TEXTS = st.lists(st.text(max_size=6), max_size=30)


def packed(texts: list[str]) -> Strings:
    return Strings(*pack(texts))


@given(texts=TEXTS)
def test_packed_strings_are_a_sequence_of_the_same_strings(texts: list[str]) -> None:
    strings = packed(texts)
    assert list(strings) == texts
    assert [strings[n] for n in range(-len(texts), len(texts))] == [*texts, *texts]
    assert strings[1:20:2] == texts[1:20:2]
    with pytest.raises(IndexError):
        strings[len(texts)]


@given(texts=TEXTS, data=st.data())
def test_many_are_taken_as_one_is(texts: list[str], data: st.DataObject) -> None:
    places = data.draw(st.lists(st.integers(0, len(texts) - 1)) if texts else st.just([]))
    expected = [texts[place] for place in places]
    assert taken(packed(texts), np.array(places, dtype=np.int32)) == expected
    assert taken(texts, np.array(places, dtype=np.int64)) == expected


def test_long_texts_of_many_bytes_are_cut_where_they_begin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "_BLOCK", 7)
    monkeypatch.setattr(packing, "_TOGETHER", 3)
    texts = ["", "é", "𝔘nicode", "plain", "", "日本語", "\ud800 half", "end", ""]
    strings = packed(texts)
    assert list(strings) == texts
    assert [strings[n] for n in range(len(texts))] == texts


def test_a_cut_blob_is_an_error() -> None:
    blob, offsets = pack(["é", "plain"])
    with pytest.raises(ValueError, match="characters"):
        Strings(blob[:-2], offsets)


@given(texts=st.sets(st.text(max_size=4), max_size=30).map(sorted), other=st.text(max_size=4))
def test_places_are_those_of_a_dict(texts: list[str], other: str) -> None:
    places = places_of(packed(texts))
    known = dict(zip(texts, range(len(texts)), strict=True))
    assert places == known == places_of(texts)
    assert (other in places, places.get(other)) == (other in known, known.get(other))
    assert 1 not in places
    assert bisect_left(packed(texts), other) == bisect_left(texts, other)


def test_strings_of_one_hash_are_told_apart() -> None:
    # Hashes differ between processes, so a collision is made by hand.
    places = packing.StringPlaces(packed(["a", "b", "c"]))
    places._hashes = np.full(3, hash("b"), dtype=np.int64)
    places._order = np.arange(3)
    assert places["b"] == 1
