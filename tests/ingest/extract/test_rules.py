"""The rules: insights, advertisements, names, people, topics."""

from __future__ import annotations

import pytest

from podcast_scraper.ingest.extract.ads import ad_sentences, fingerprint
from podcast_scraper.ingest.extract.analysis import NameCount
from podcast_scraper.ingest.extract.annotate import normal_form, singular
from podcast_scraper.ingest.extract.insights import judge
from podcast_scraper.ingest.extract.names import is_first_name, type_of_name
from podcast_scraper.ingest.extract.people import full_name, identify_speakers, tidy_name
from podcast_scraper.ingest.extract.topics import choose_topics, concepts, could_be_topic
from podcast_scraper.ingest.feeds.records import FeedPerson


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        (
            "You should always inspect the hives of a colony before the first frost of winter.",
            "recommendation",
        ),
        (
            "In my experience most colonies die from mites rather than from the winter cold.",
            "observation",
        ),
        ("Honey stored in sealed combs is more stable than honey kept in open jars.", "claim"),
        ("Why do bees prefer lavender to clover in the spring?", "question"),
    ],
)
def test_insights(sentence: str, kind: str) -> None:
    judgement = judge(sentence)
    assert judgement is not None
    assert judgement.type == kind


@pytest.mark.parametrize(
    "sentence",
    [
        "Yes.",
        "Welcome to the show, everybody should know that bees are the best pollinators.",
        "It is always better to inspect hives before winter than to wait until spring.",
        "You should always inspect the hives -- well, not always -- before the winter.",
        "What do you think about the way that bees behave in the cold winter months?",
        'They said "You should always inspect the hives before the winter comes around.',
        "I was living in Kent and we had a couple of hives that my father built.",
        "inspecting hives is always better than replacing colonies that died in winter.",
        "Beekeepers should always inspect their hives before the first frost of",
        "And the purpose of that is to make colonies stronger than they are in most winters.",
        "The problem is the lids are heavier than the boxes because the wood is wet.",
        "Using smoke before an inspection, because bees are always calmer after a while.",
        "Then you need a bigger smoker, because more smoke is better than less smoke.",
        "Brian, you should always inspect the hives of a colony before the first frost.",
        "The fourth one was that beekeepers should always inspect hives before winter.",
    ],
)
def test_what_does_not_stand_alone_is_refused(sentence: str) -> None:
    assert judge(sentence) is None


def test_sponsor_reads() -> None:
    read = [
        "Now to the hives.",
        "This show is brought to you by Hivebox.",
        "Hivebox makes hives that last.",
        "Use the code BEES for 20% off.",
        "So, back to the mites.",
    ]
    assert ad_sentences(read) == [False, True, True, True, False]
    assert ad_sentences(["A sponsor of the club came by.", "We talked about mites."]) == [False] * 2
    assert (
        ad_sentences(["You can visit them.", "Go to the hive and sign up for free."]) == [False] * 2
    )


def test_fingerprints_ignore_case_and_marks() -> None:
    one = fingerprint("Thanks to everyone who came to our meeting today!")
    assert one == fingerprint("thanks to everyone, who came to our meeting today")
    assert one is not None
    assert 0 <= one < 2**63
    assert fingerprint("Thank you all") is None


@pytest.mark.parametrize(
    ("name", "labels", "cues", "kind"),
    [
        ("Ada Byron", {"PERSON": 2}, 0, "person"),
        ("Mary Shelley", {"PERSON": 1, "ORG": 4}, 0, None),
        ("Google", {"PERSON": 3}, 0, "org"),
        ("Kubernetes", {"ORG": 9}, 0, None),
        ("API", {"ORG": 9}, 5, None),
        ("Hivebox Labs", {"ORG": 1}, 0, "org"),
        ("Hivebox", {"ORG": 4}, 2, "org"),
        ("Hivebox", {"ORG": 4}, 0, None),
        ("Visual Studio", {"PERSON": 5}, 0, None),
        ("Grace Known", {}, 0, "person"),
    ],
)
def test_types_of_names(name: str, labels: dict[str, int], cues: int, kind: str | None) -> None:
    assert type_of_name(name, NameCount(labels, cues), frozenset(("grace known",))) == kind


def test_first_names_are_no_topics() -> None:
    assert is_first_name("Mary", NameCount({"PERSON": 4, "ORG": 1}))
    assert not is_first_name("Varroa", NameCount({"PERSON": 1, "ORG": 4}))
    assert not is_first_name("Ada Byron", NameCount({"PERSON": 4}))


def test_speakers() -> None:
    speakers = identify_speakers(
        ["Ada✌", "Bob Lee", "SPEAKER_01", "Cy (guest)", "Dee"],
        "e1",
        listed=(FeedPerson("Ada Byron", "host"),),
        known=("Cy Young", "Dee One", "Dee Two"),
        show_episodes=5,
        episodes_of={"Bob Lee": 4, "Cy Young": 1},
    )
    found = {label: (s.id, s.role, s.voice) for label, s in speakers.items()}
    assert found == {
        "Ada✌": ("person:ada-byron", "host", False),
        "Bob Lee": ("person:bob-lee", "host", False),
        "SPEAKER_01": ("person:speaker-01@e1", None, True),
        "Cy (guest)": ("person:cy-young", "guest", False),
        "Dee": ("person:dee", "guest", False),
    }
    assert speakers["Ada✌"].alias == "Ada✌"
    assert speakers["Bob Lee"].alias is None


def test_names() -> None:
    assert tidy_name("  Paul Frazee✌ ") == "Paul Frazee"
    assert full_name("Ada B.", ["Ada Byron", "Ada Lee"]) == "Ada Byron"
    assert full_name("Ada", ["Ada Byron", "Ada Lee"]) == "Ada"


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("libraries", "library"),
        ("boxes", "box"),
        ("class", "class"),
        ("hives", "hive"),
        ("bus", "bus"),
    ],
)
def test_singular(word: str, expected: str) -> None:
    assert singular(word) == expected


def test_normal_forms() -> None:
    assert normal_form("The Large-Language Models") == "large language model"
    assert normal_form("the") == ""


def test_topics_are_what_an_episode_has_and_its_corpus_has_not() -> None:
    phrases = {
        "varroa mite": (6, "varroa mites"),
        "mite": (7, "mites"),
        "honey bee": (9, "honey bees"),
        "thing": (30, "things"),
        "ada": (9, "Ada"),
        "smoker": (2, "smoker"),
        "queen": (4, "queen"),
    }
    frequency = {"varroa mite": 2, "mite": 3, "honey bee": 40, "queen": 5, "ada": 3}
    topics = choose_topics(phrases, frequency, 50, 5000, names=["ada"])
    assert [topic.normal for topic in topics] == ["varroa mite", "queen"]
    assert topics[0].label == "varroa mites"
    assert not could_be_topic("good thing")


def test_concepts_stand_for_phrases_that_share_words() -> None:
    topics = {"open hive": 1, "hive": 2, "hive tool": 1, "varroa mite": 1, "open hive tool": 1}
    assert concepts(topics) == {
        "open hive": "hive",
        "hive": "hive",
        "hive tool": "hive",
        "open hive tool": "hive",
    }
    assert concepts({"hive tool": 1, "hive": 1}) == {}
