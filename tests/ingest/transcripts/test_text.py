"""Plain text and Markdown: names, times, and what only looks like them."""

from __future__ import annotations

import pytest

from tests.ingest.transcripts.cases import kinds, parse, rows, texts


@pytest.mark.parametrize(
    "opening",
    [
        "Ada Byron: Hi",
        "**Ada Byron:** Hi",
        "**Ada Byron**: Hi",
        "__Ada Byron:__ Hi",
        "- **Ada Byron:** Hi",
        "Ada Byron:\nHi",
    ],
)
def test_names(opening: str) -> None:
    assert rows(f"{opening}\n\nMore.\n") == [
        (None, None, "Ada Byron", "Hi"),
        (None, None, "Ada Byron", "More."),
    ]


@pytest.mark.parametrize(
    "opening",
    [
        "Ada Byron (00:01:02): Hi",
        "Ada Byron (1:02):\nHi",
        "Ada Byron 00:01:02\nHi",
        "[00:01:02] Ada Byron: Hi",
        "(00:01:02) Ada Byron: Hi",
        "00:01:02\nAda Byron: Hi",
        "**Ada Byron (1:02):** Hi",
        "**Ada Byron:** \\[01:02\\] Hi",
        "**Ada Byron:** [00:01:02.00] Hi",
        "Ada Byron: [01:02] Hi",
    ],
)
def test_times_by_the_name(opening: str) -> None:
    assert rows(opening)[0] == (62, None, "Ada Byron", "Hi")


def test_time_without_name_goes_on_with_the_speaker() -> None:
    source = "Ada Byron (00:01:02): Hi\n\n(00:01:27):\nand so on\n\nBob Lee (00:02:00): Ho"
    assert rows(source) == [
        (62, 87, "Ada Byron", "Hi"),
        (87, 120, "Ada Byron", "and so on"),
        (120, None, "Bob Lee", "Ho"),
    ]


def test_inline_times_split_a_paragraph() -> None:
    source = "**Ada:** One two. \\[00:04:01.06\\] Three.\n\n"
    source += "**Bob:** \\[04:05\\] Four \\[unintelligible 05:00\\]"
    assert rows(source) == [
        (*(None, 241.06, "Ada", "One two.")[:1], None, "Ada", "One two."),
        (241.06, 245, "Ada", "Three."),
        (245, None, "Bob", "Four [unintelligible 05:00]"),
    ]


def test_breaks_are_marks_and_name_nobody() -> None:
    source = "**Ada:** One.\n\n**Break:** \\[01:44\\]\n\n"
    parsed = parse(source + "**Break**: \\[02:00\\] Buy.\n\n**Ada:** Two.")
    assert [(cue.kind, cue.speaker, cue.text) for cue in parsed.cues] == [
        ("speech", "Ada", "One."),
        ("ad", None, "Buy."),
        ("speech", "Ada", "Two."),
    ]
    assert parsed.marks == ((1, 104.0),)
    assert parsed.speakers == ("Ada",)


def test_openings_that_name_nobody() -> None:
    source = (
        "Ada Byron: Hi there\n\nNote: this is one\n\nWarning: so is this\n\n"
        "https: //example.com is a link\n\nThe thing is: it works\n\n10:30 is when we met"
    )
    parsed = parse(source)
    assert parsed.speakers == ("Ada Byron",)
    assert [cue.text for cue in parsed.cues][1:] == [
        "Note: this is one",
        "Warning: so is this",
        "https: //example.com is a link",
        "The thing is: it works",
        "10:30 is when we met",
    ]


def test_initials_and_numbered_voices() -> None:
    assert parse("AB: one\n\nCD: two\n\nAB: three").speakers == ("AB", "CD")
    assert parse("Speaker 0: one\n\nSpeaker 1: two").speakers == ("Speaker 0", "Speaker 1")
    assert parse("Zoë Ångström-Li: one\n\n王伟: two\n\n王伟: three").speakers == (
        "Zoë Ångström-Li",
        "王伟",
    )


def test_lines_of_one_paragraph_are_joined() -> None:
    assert texts("Ada Byron: one\ntwo\nthree\n\nfour") == ["one two three", "four"]
    source = "Ada Byron:\none\ntwo\n\nBob Lee:\nthree"
    assert [row[2:] for row in rows(source)] == [("Ada Byron", "one two"), ("Bob Lee", "three")]


def test_markdown_is_unmarked() -> None:
    source = (
        "---\ntitle: 'The Show'\ndate: 2020-01-02\n---\n# Heading\n\n## Part\n\n"
        "**Ada:** a *very* [good](https://x.y) \\_thing\\_ with C\\# and 2 * 3 * 4, **yes**"
        "\n\n---\n"
    )
    parsed = parse(source)
    assert parsed.header == {"title": "The Show", "date": "2020-01-02"}
    assert [cue.text for cue in parsed.cues] == ["a very good _thing_ with C# and 2 * 3 * 4, yes"]
    assert texts("a *very* plain text") == ["a *very* plain text"]


def test_a_time_against_the_order_of_the_others_is_dropped() -> None:
    source = "\n\n".join(f"[{clock}] Ada Byron: x" for clock in ("0:10", "9:20", "0:30", "0:40"))
    assert [row[0] for row in rows(source)] == [10, None, 30, 40]
    assert kinds(parse(source)) == {"dropped: time out of order"}
