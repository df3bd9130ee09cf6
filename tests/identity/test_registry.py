"""What the registry collects from episodes."""

from __future__ import annotations

from podcast_scraper.artifacts.records import AliasRecord, Node
from podcast_scraper.identity.identity_map import IdentityMap
from podcast_scraper.identity.registry import Registry
from tests.identity.build import episode, person


def test_the_most_frequent_name_is_shown_and_the_others_are_aliases() -> None:
    ada = "person:ada"
    registry = Registry.from_records(
        [
            episode("e1", person("Ada L.", ada)),
            episode("e2", person("Ada Lovelace", ada), show="podcast:b"),
            episode(
                "e3",
                person("Ada Lovelace", ada, aliases=["Countess of Lovelace", "", 3]),
                aliases=(AliasRecord(ada, "Ada Lovelis", "label"),),
            ),
        ]
    )
    entry = registry.get(ada)
    assert entry is not None
    assert entry.name == "Ada Lovelace"
    assert entry.aliases == ("Ada L.", "Ada Lovelis", "Countess of Lovelace")
    assert entry.frequency == 3
    assert entry.shows == {"podcast:a", "podcast:b"}


def test_voices_and_other_nodes_are_no_entities() -> None:
    quote = Node("quote:1", "quote", {"text": "x"}, frozenset({"gi"}))
    voice = person("SPEAKER_03", "person:speaker-03@e1")
    assert len(Registry.from_records([episode("e1", quote, voice)])) == 0


def test_a_merge_brings_names_together_under_the_kept_id() -> None:
    identity = IdentityMap.of({"person:bob": "person:robert"})
    registry = Registry.from_records(
        [
            episode("e1", person("Robert", "person:robert")),
            episode("e2", person("Bob", "person:bob")),
            episode("e3", person("Bob", "person:bob")),
        ],
        identity,
    )
    entry = registry.get("person:bob")
    assert entry is not None
    assert (entry.id, entry.name, entry.aliases) == ("person:robert", "Robert", ("Bob",))
    assert len(registry) == 1


def test_a_split_occurrence_stands_apart() -> None:
    identity = IdentityMap(scoped={("person:sam", "e2"): "person:sam-2"})
    registry = Registry.from_records(
        [episode("e1", person("Sam")), episode("e2", person("Sam"))], identity
    )
    first, second = registry.get("person:sam"), registry.get("person:sam-2")
    assert first is not None
    assert second is not None
    assert (first.episodes, second.episodes) == ({"e1"}, {"e2"})
    assert second.name == "Sam"
