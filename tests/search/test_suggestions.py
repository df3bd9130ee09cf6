"""Suggestions: names by the beginning of any word, and words of the corpus."""

from __future__ import annotations

from podcast_scraper.identity.registry import Registry, RegistryEntry
from podcast_scraper.search.suggestions import Suggester

ENTRIES = [
    RegistryEntry("person:ada", "person", "Ada Byron", ("Countess",), frozenset({"1", "2"})),
    RegistryEntry("person:adam", "person", "Adam Webb", (), frozenset({"1"})),
    RegistryEntry("topic:adages", "topic", "old adages", (), frozenset({"1", "2", "3"})),
]


def suggester() -> Suggester:
    return Suggester(Registry(ENTRIES), lambda text, limit: [f"{text}!"][:limit])


def test_any_word_of_a_name_is_found_the_most_frequent_first() -> None:
    found = suggester().suggest("ada").entities
    assert [entity.id for entity in found] == ["topic:adages", "person:ada", "person:adam"]


def test_the_end_of_a_longer_text_names_an_entity() -> None:
    found = suggester().suggest("what did ada by")
    assert [entity.id for entity in found.entities] == ["person:ada"]
    assert found.terms == ("what did ada by!",)


def test_an_alias_is_named_as_what_matched() -> None:
    (entity,) = suggester().suggest("counte").entities
    assert (entity.name, entity.matched) == ("Ada Byron", "Countess")


def test_accents_and_case_do_not_matter_and_short_texts_find_nothing() -> None:
    assert suggester().suggest("ÁDAM").entities[0].id == "person:adam"
    assert suggester().suggest("a") == suggester().suggest(" ")
