"""The ladder, and above all where it must answer None."""

from __future__ import annotations

import pytest

from podcast_scraper.identity.identity_map import IdentityMap
from podcast_scraper.identity.registry import Registry
from podcast_scraper.identity.resolver import EntityResolver
from tests.identity.build import entry, people


@pytest.fixture(scope="module")
def resolver() -> EntityResolver:
    return EntityResolver(
        Registry(
            [
                entry("person", "Sam Altman"),
                entry("person", "Michael Lewis", shows="podcast:a"),
                entry("person", "Richard Clarida"),
                entry("person", "Dr. Elena Fischer", shows="podcast:b"),
                entry("person", "Jordan Park"),
                entry("person", "Renee Park"),
                entry("person", "Ava Lemoine", shows="podcast:b"),
                entry("person", "Joe Weisenthal", "Stalwart"),
                entry("person", "Tracy Alloway", "The Hosts"),
                entry("person", "Bo Li", "The Hosts"),
                entry("person", "Mercury"),
                entry("org", "Mercury"),
                entry("org", "OpenAI"),
                entry("org", "OpenAI Five"),
                entry("topic", "Systems Thinking"),
                entry("topic", "GPT 4"),
            ],
            redirects={"person:samuel-altman": "person:sam-altman"},
        )
    )


@pytest.mark.parametrize(
    ("text", "expected", "method"),
    [
        ("person:sam-altman", "person:sam-altman", "id"),
        ("kg:person:sam-altman", "person:sam-altman", "id"),
        ("person:samuel-altman", "person:sam-altman", "id"),
        ("SAM  ALTMAN!", "person:sam-altman", "slug"),
        ("Samuel Altman", "person:sam-altman", "slug"),
        ("systems_thinking", "topic:systems-thinking", "slug"),
        ("Elena Fischer", "person:dr-elena-fischer", "name"),
        ("stalwart", "person:joe-weisenthal", "name"),
        ("Altman", "person:sam-altman", "surname"),
        ("Dr. Elena Fisher", "person:dr-elena-fischer", "fuzzy"),
        ("Joe Wisenthal", "person:joe-weisenthal", "fuzzy"),
        ("Rich Clarida", "person:richard-clarida", "fuzzy"),
        ("R. Clarida", "person:richard-clarida", "fuzzy"),
        ("Systems Thinkin", "topic:systems-thinking", "fuzzy"),
    ],
)
def test_what_resolves(resolver: EntityResolver, text: str, expected: str, method: str) -> None:
    found = resolver.resolve_detail(text)
    assert (found.id, found.method) == (expected, method)
    assert found.candidates[0].id == expected
    assert 0 < found.score <= 1


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "!",
        "x" * 10_000,
        "Park",  # two people
        "The Hosts",  # an alias of two
        "Sam",  # a given name and no place
        "Michael Levis",  # one letter apart can be another man
        "Ann Altman",
        "Sam Smith",
        "Open AI Six",
        "GPT 5",
        "thinking",
        "what did sam altman say about openai",
    ],
)
def test_what_does_not(resolver: EntityResolver, text: str) -> None:
    found = resolver.resolve_detail(text)
    assert (found.id, found.score, found.method) == (None, 0.0, "none")
    assert resolver.resolve(text) is None


def test_ambiguity_lists_the_candidates(resolver: EntityResolver) -> None:
    assert [c.id for c in resolver.resolve_detail("Park").candidates] == [
        "person:jordan-park",
        "person:renee-park",
    ]
    hosts = resolver.resolve_detail("The Hosts")
    assert [c.label for c in hosts.candidates] == ["Bo Li", "Tracy Alloway"]


def test_a_person_comes_before_an_organisation_of_the_same_slug(resolver: EntityResolver) -> None:
    found = resolver.resolve_detail("mercury")
    assert found.id == "person:mercury"
    assert [c.id for c in found.candidates] == ["person:mercury", "org:mercury"]


def test_the_place_decides_what_a_string_cannot(resolver: EntityResolver) -> None:
    assert resolver.resolve("Ava", show_id="podcast:b") == "person:ava-lemoine"
    assert resolver.resolve("Ava", show_id="podcast:a") is None
    assert resolver.resolve("Michael Levis", show_id="podcast:a") == "person:michael-lewis"


def test_two_that_fit_are_nobody() -> None:
    resolver = people("Jon Weber", "John Weber")
    found = resolver.resolve_detail("J. Weber")
    assert found.id is None
    assert [c.id for c in found.candidates] == ["person:john-weber", "person:jon-weber"]


def test_aliases_of_the_ledger_resolve() -> None:
    identity = IdentityMap(aliases=(("person:sam", "Sama"),))
    from tests.identity.build import episode, person

    resolver = EntityResolver(Registry.from_records([episode("e", person("Sam"))], identity))
    assert resolver.resolve("sama") == "person:sam"


def test_an_empty_registry_knows_nobody() -> None:
    resolver = people()
    assert resolver.resolve("Sam Altman") is None
    assert resolver.mentions("Sam Altman") == []
