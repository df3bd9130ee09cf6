"""Folding and the parts of names."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podcast_scraper.identity.names import PersonName, normalise, same_given_names, sound, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dr. Elena Fischer", "dr elena fischer"),
        ("Hanna Crebo-Rediker", "hanna crebo rediker"),
        ("Sinéad O’Brien", "sinead obrien"),
        ("it's", "its"),
        ("'quoted'", "quoted"),
        ("GPT-4o", "gpt 4o"),
        ("李雷", "李 雷"),
        ("snake_case", "snake case"),
        ("", ""),
        ("!?", ""),
    ],
)
def test_normalise(text: str, expected: str) -> None:
    assert normalise(text) == expected


@given(st.text(max_size=60))
def test_words_stand_where_they_say_and_do_not_overlap(text: str) -> None:
    end = 0
    for word in words(text):
        assert end <= word.start < word.end <= len(text)
        end = word.end


@given(st.text(alphabet=st.characters(codec="latin-1"), max_size=40))
def test_composed_and_decomposed_forms_are_one_name(text: str) -> None:
    composed = unicodedata.normalize("NFC", text)
    assert normalise(unicodedata.normalize("NFD", composed)) == normalise(composed)


@pytest.mark.parametrize(
    ("text", "given", "family"),
    [
        ("Dr. Elena Fischer", "elena", "fischer"),
        ("Sammy Davis Jr.", "sammy", "davis"),
        ("Hanna Crebo-Rediker", "hanna", "crebo rediker"),
        ("Cher", "cher", ""),
        ("Mr Sir Ada Lovelace PhD", "ada", "lovelace"),
    ],
)
def test_parts_of_a_person_name(text: str, given: str, family: str) -> None:
    assert PersonName.of(text) == PersonName(given, family)


def test_a_title_alone_is_nobody() -> None:
    assert PersonName.of("Dr.") is None
    assert PersonName.of("...") is None


def test_sounds() -> None:
    assert sound("fischer") == sound("fisher")
    assert sound("wisenthal") == sound("weisenthal")
    assert sound("lewis") != sound("levis")
    assert sound("李") == ""


def test_nicknames_and_formal_names_go_together() -> None:
    assert "richard" in same_given_names("rich")
    assert "rich" in same_given_names("richard")
    assert same_given_names("zzyzx") == {"zzyzx"}
