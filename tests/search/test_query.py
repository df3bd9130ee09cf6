"""The query language: what each form means, and that nothing typed is lost or raises."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from podcast_scraper.search.analysis import exact_terms
from podcast_scraper.search.backend import Filters
from podcast_scraper.search.query import MAX_TERMS, Ignored, ParsedQuery, parse_query

if TYPE_CHECKING:
    from collections.abc import Sequence

KNOWN = {
    ("speaker", "ida"): ("person:ida-holm",),
    ("speaker", "ida holm"): ("person:ida-holm",),
    ("speaker", "omar reyes"): ("person:omar-reyes",),
    ("mentions", "omar reyes"): ("person:omar-reyes",),
    ("show", "north"): ("podcast:north",),
    ("show", "podcast:north"): ("podcast:north",),
    ("topic", "ice"): ("topic:ice", "concept:topic-ice"),
    ("episode", "n1"): ("n1",),
}


class Names:
    def resolve_field(self, field: str, value: str) -> Sequence[str]:
        return KNOWN.get((field, value.lower()), ())


def parse(typed: str) -> ParsedQuery:
    return parse_query(typed, Names())


@pytest.mark.parametrize(
    ("typed", "text", "phrases", "excluded"),
    [
        ("battery ferries", "battery ferries", (), ()),
        ('ferries "harbour master" ice', "ferries harbour master ice", ("harbour master",), ()),
        ("“harbour master”", "harbour master", ("harbour master",), ()),
        (
            "„harbour master“ «thin ice»",
            "harbour master thin ice",
            ("harbour master", "thin ice"),
            (),
        ),
        ("'harbour master' now", "harbour master now", ("harbour master",), ()),
        ("「氷の海」", "氷の海", ("氷の海",), ()),
        ('say "ice"', "say ice", ("ice",), ()),
        ("ferries -ice", "ferries", (), ("ice",)),
        ('ferries -"thin ice" −snow', "ferries", (), ("thin ice", "snow")),
        ("well-known e-ferry", "well-known e-ferry", (), ()),
        ("it's o'clock, rock 'n' roll", "it's o'clock, rock n roll", (), ()),
        ("the '90s weren't the '80s", "the '90s weren't the '80s", (), ()),
        ("https://example.org/a?b=c&d", "https://example.org/a?b=c&d", (), ()),
        ("C++ (or C#) AND +x OR", "C++ (or C#) AND +x OR", (), ()),
        ("note: mind the gap", "note: mind the gap", (), ()),
        ("a\x00b\u200fc", "a b c", (), ()),
    ],
)
def test_words_phrases_and_exclusions(
    typed: str, text: str, phrases: tuple[str, ...], excluded: tuple[str, ...]
) -> None:
    parsed = parse(typed)
    assert (parsed.text, parsed.phrases, parsed.excluded) == (text, phrases, excluded)
    assert parsed.filters == Filters(phrases=phrases, excluded=excluded)
    assert parsed.ignored == ()


@pytest.mark.parametrize(
    ("typed", "filters", "text"),
    [
        ("speaker:Ida ice", Filters(persons=("person:ida-holm",)), "ice"),
        ('SPEAKER:"Ida Holm" ice', Filters(persons=("person:ida-holm",)), "ice"),
        ("person:Omar Reyes ice", Filters(persons=("person:omar-reyes",)), "ice"),
        ("mentions:“Omar Reyes”", Filters(mentions=("person:omar-reyes",)), ""),
        ("show:north", Filters(shows=("podcast:north",)), ""),
        ("show:podcast:north", Filters(shows=("podcast:north",)), ""),
        ("topic:ice", Filters(topics=("topic:ice", "concept:topic-ice")), ""),
        ("episode:n1 x", Filters(episodes=("n1",)), "x"),
        ("type:Claim", Filters(insight_types=("claim",)), ""),
        (
            "speaker:ida speaker:ida speaker:omar reyes",
            Filters(persons=("person:ida-holm", "person:omar-reyes")),
            "",
        ),
        ("after:2023", Filters(since="2023-01-01"), ""),
        ("since:2023-05", Filters(since="2023-05-01"), ""),
        ("before:2023", Filters(until="2022-12-31"), ""),
        ("before:2024-03", Filters(until="2024-02-29"), ""),
        ("until:2024-02", Filters(until="2024-02-29"), ""),
        ("until:2023", Filters(until="2023-12-31"), ""),
        ("until:2023/5/1", Filters(until="2023-05-01"), ""),
        (
            "after:2023 after:2024 before:2026 before:2025",
            Filters(since="2024-01-01", until="2024-12-31"),
            "",
        ),
    ],
)
def test_fields(typed: str, filters: Filters, text: str) -> None:
    parsed = parse(typed)
    assert parsed.filters == filters
    assert parsed.text == text
    assert parsed.ignored == ()


def test_type_may_name_a_tier() -> None:
    assert parse("type:segment ice").tier == "segment"
    assert parse("type:insight ice").tier == "insight"
    assert parse("ice").tier == "all"


@pytest.mark.parametrize(
    ("typed", "part", "reason"),
    [
        ("speaker:nobody ice", "speaker:nobody", "no speaker"),
        ('show:"no such show" ice', 'show:"no such show"', "no show"),
        ("before:noon ice", "before:noon", "not a date"),
        ("after:2023-13 ice", "after:2023-13", "not a date"),
        ("after:2023-02-30 ice", "after:2023-02-30", "not a date"),
        ("before:0001 ice", "before:0001", "not a date"),
        ("type:rant ice", "type:rant", "no such type"),
        ("-speaker:ida ice", "-speaker:ida", "only words"),
        ('ice "', '"', "without its pair"),
        ("ice … 🙂", "…", "nothing in it"),
        ("ice 🙂", "🙂", "nothing in it"),
        ('ice ""', '""', "nothing in it"),
    ],
)
def test_what_changes_nothing_is_listed(typed: str, part: str, reason: str) -> None:
    parsed = parse(typed)
    assert parsed.text == "ice"
    assert not parsed.filters
    assert parsed.ignored[0].text == part
    assert reason in parsed.ignored[0].reason


def test_an_unbalanced_quote_leaves_its_words() -> None:
    parsed = parse('"harbour master')
    assert parsed.text == "harbour master"
    assert parsed.ignored == (Ignored('"', "a quote without its pair"),)


@pytest.mark.parametrize("typed", ["", "   ", "?!…", "🙂🙂", "\x00\x01", '"""', "- -- +"])
def test_nothing_to_search_is_nothing(typed: str) -> None:
    parsed = parse(typed)
    assert (parsed.text, bool(parsed.filters)) == ("", False)


@pytest.mark.parametrize(
    "typed", ["ice " * 2500, "ice" * 3334, "'a " * 5000, '"a ' * 5001, "氷" * 10_000]
)
def test_ten_thousand_characters_give_words_or_a_reason(typed: str) -> None:
    parsed = parse(typed)
    assert parsed.text or parsed.ignored
    assert len(exact_terms(parsed.text)) <= MAX_TERMS


def test_without_a_resolver_values_are_ids() -> None:
    assert parse_query("speaker:person:ida").filters == Filters(persons=("person:ida",))


def test_typed_restrictions_join_given_ones() -> None:
    given_filters = Filters(shows=("podcast:south",), since="2022-01-01", ads="exclude")
    assert parse("show:north after:2021 before:2023 -ice").restricting(given_filters) == Filters(
        shows=("podcast:south", "podcast:north"),
        since="2022-01-01",
        until="2022-12-31",
        excluded=("ice",),
        ads="exclude",
    )


FRAGMENTS = (
    """ice it's don't - " ' “ speaker: ida holm Omar Reyes before: 2023 type:claim 🙂 東京 ’ :"""
)
WORDS = st.sampled_from([*FRAGMENTS.split(), " ", "\t", "\x00", "\u200f", "e\u0301", "\u0301"])


@given(st.one_of(st.text(max_size=200), st.lists(WORDS, max_size=20).map("".join)))
@example("speaker:Omar Reyes ice")
@example("\ud800 half")
def test_every_term_typed_is_accounted_for(typed: str) -> None:
    parsed = parse(typed)
    parts = [
        parsed.text,
        *parsed.excluded,
        *(field.typed for field in parsed.fields),
        *(ignored.text for ignored in parsed.ignored),
    ]
    found = Counter(term for part in parts for term in exact_terms(part))
    assert found == Counter(exact_terms(typed.encode("utf-8", "replace").decode()))
    assert all(set(exact_terms(p)) <= set(exact_terms(parsed.text)) for p in parsed.phrases)
