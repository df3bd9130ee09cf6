"""Known names in running text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from podcast_scraper.identity.mentions import MentionScanner
from tests.identity.build import entry

SCANNER = MentionScanner(
    [
        entry("person", "Sam Altman"),
        entry("person", "Dr. Elena Fischer", "Elena"),
        entry("person", "Jordan Park"),
        entry("person", "Renee Park"),
        entry("person", "Ann Bridge"),
        entry("org", "OpenAI"),
        entry("org", "OpenAI Five"),
        entry("topic", "bridge building"),
        entry("topic", "机器 学习"),
    ]
)


def found(text: str) -> list[tuple[str, list[str]]]:
    return [(m.text, [c.id for c in m.candidates]) for m in SCANNER.scan(text)]


def test_the_longest_name_wins() -> None:
    assert found("Was OpenAI-Five better than openai?") == [
        ("OpenAI-Five", ["org:openai-five"]),
        ("openai", ["org:openai"]),
    ]


def test_neighbouring_mentions_are_both_found() -> None:
    assert found("sam altman openai") == [
        ("sam altman", ["person:sam-altman"]),
        ("openai", ["org:openai"]),
    ]


def test_only_whole_words_count() -> None:
    assert found("Elenas openair altmann") == []


def test_titles_are_optional() -> None:
    assert found("ask elena fischer, or Dr. Elena Fischer") == [
        ("elena fischer", ["person:dr-elena-fischer"]),
        ("Dr. Elena Fischer", ["person:dr-elena-fischer"]),
    ]


def test_a_shared_surname_is_one_ambiguous_mention() -> None:
    (mention,) = SCANNER.scan("what does Park think")
    assert mention.id is None
    assert [c.id for c in mention.candidates] == ["person:jordan-park", "person:renee-park"]


def test_a_rare_surname_is_known_but_less_sure() -> None:
    (mention,) = SCANNER.scan("altman")
    assert (mention.id, mention.candidates[0].score) == ("person:sam-altman", 0.6)


def test_a_surname_that_is_a_topic_word_is_not_taken_for_a_person() -> None:
    assert found("cross that bridge") == []


def test_scripts_without_spaces() -> None:
    assert [text for text, _ in found("我喜欢机器学习吗")] == ["机器学习"]


@given(st.text(max_size=80))
def test_any_text_is_scanned_and_offsets_hold(text: str) -> None:
    for mention in SCANNER.scan(text):
        assert text[mention.start : mention.end] == mention.text
