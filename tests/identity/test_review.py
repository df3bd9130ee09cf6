"""What the review queue suggests, and why."""

from __future__ import annotations

from podcast_scraper.identity.ledger import Standing
from podcast_scraper.identity.registry import Registry, RegistryEntry
from podcast_scraper.identity.review import Suggestion, suggestions
from tests.identity.build import entry


def queue(*entries: RegistryEntry, standing: Standing | None = None) -> list[Suggestion]:
    return suggestions(Registry(entries), standing or Standing())


def test_a_garbled_name_of_one_show_is_suggested_with_reasons() -> None:
    (found,) = queue(
        entry("person", "Joe Weisenthal", episodes="e1 e2"),
        entry("person", "Joe Wisenthal", episodes="e3"),
    )
    assert (found.subject, found.into) == ("person:joe-wisenthal", "person:joe-weisenthal")
    assert found.reasons == ("surnames that are spelled or sound alike", "both occur in 1 show")


def test_the_same_episode_speaks_against_it() -> None:
    apart, together = (
        queue(
            entry("person", "Jon Weber", episodes="e1"),
            entry("person", "John Weber", episodes=where),
        )
        for where in ("e2", "e1")
    )
    assert apart[0].score > together[0].score
    assert "may be two people" in together[0].reasons[-1]


def test_a_first_name_alone_needs_a_shared_show() -> None:
    maya = entry("person", "Maya", shows="podcast:a", episodes="e1")
    here = entry("person", "Maya Lin", shows="podcast:a", episodes="e2 e3")
    far = entry("person", "Maya Lin", shows="podcast:b", episodes="e2 e3")
    assert [s.subject for s in queue(maya, here)] == ["person:maya"]
    assert queue(maya, far) == []


def test_different_people_and_numbered_things_are_left_alone() -> None:
    assert (
        queue(
            entry("person", "Sam Altman"),
            entry("person", "Sam Smith"),
            entry("person", "Ann Altman"),
            entry("org", "OpenAI"),
            entry("topic", "GPT 4 models"),
            entry("topic", "GPT 5 models"),
        )
        == []
    )


def test_terms_that_differ_in_spelling() -> None:
    found = queue(entry("org", "Open AI"), entry("org", "OpenAI"), entry("topic", "OpenAI"))
    assert [(s.subject, s.into) for s in found] == [("org:open-ai", "org:openai")]


def test_decided_pairs_do_not_come_back() -> None:
    pair = frozenset({"person:joe-weisenthal", "person:joe-wisenthal"})
    standing = Standing(apart=frozenset({pair}))
    entries = entry("person", "Joe Weisenthal"), entry("person", "Joe Wisenthal")
    assert queue(*entries)
    assert queue(*entries, standing=standing) == []
