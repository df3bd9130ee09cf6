"""WebVTT: each known trap with its outcome."""

from __future__ import annotations

import pytest

from tests.ingest.transcripts.cases import kinds, parse, rows, texts

HEAD = "WEBVTT\n\n"
T1 = "00:00:01.000 --> 00:00:02.000"
T2 = "00:00:02.000 --> 00:00:04.000"
T3 = "00:00:04.000 --> 00:00:05.000"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param(
            b"\xef\xbb\xbfWEBVTT\r\n\r\n00:01.000 --> 00:02.500\r\nHi\r\n",
            [(1, 2.5, None, "Hi")],
            id="BOM, CRLF and times without hours",
        ),
        pytest.param(f"{HEAD}{T1}\n<v Ada>Hi", [(1, 2, "Ada", "Hi")], id="voice, no final newline"),
        pytest.param(f"{HEAD}{T1}\n<v.loud.x Ada B>Hi</v>", [(1, 2, "Ada B", "Hi")], id="class"),
        pytest.param(f"{HEAD}{T1}\n<v Ada>\nHi", [(1, 2, "Ada", "Hi")], id="tag alone on a line"),
        pytest.param(
            f"{HEAD}{T1}\n<v Ada>one\ntwo</v>", [(1, 2, "Ada", "one two")], id="span over lines"
        ),
        pytest.param(
            f"{HEAD}{T1}\n<v Ada>Hi <v Bob>Ho",
            [(1, 2, "Ada", "Hi"), (1, 2, "Bob", "Ho")],
            id="two voices in a cue",
        ),
        pytest.param(
            f"{HEAD}{T1}\n<v A &amp; B>R&amp;D &#169;&nbsp;2020",
            [(1, 2, "A & B", "R&D © 2020")],
            id="character references",
        ),
        pytest.param(
            f"{HEAD}{T1} align:start position:0%\nso<00:00:01.400><c> we</c><00:00:01.9><c> go</c>",
            [(1, 2, None, "so we go")],
            id="settings and word times",
        ),
        pytest.param(
            f"{HEAD}NOTE a --> b\n{T3}\nhidden\n\nSTYLE\n::cue {{}}\n\nREGION\nid:x\n\n{T1}\nHi",
            [(1, 2, None, "Hi")],
            id="NOTE, STYLE and REGION",
        ),
        pytest.param(
            f"{HEAD}{T1}\nNOTE this\n\n{T2}\nand the WEBVTT format",
            [(1, 2, None, "NOTE this"), (2, 4, None, "and the WEBVTT format")],
            id="NOTE and WEBVTT inside text",
        ),
        pytest.param(f"{HEAD}{T1}\n\n{T2}\nHi", [(2, 4, None, "Hi")], id="empty cue"),
        pytest.param(
            f"{HEAD}{T1}\none\n  \ntwo", [(1, 2, None, "one two")], id="space-only line in a cue"
        ),
        pytest.param(
            f"{HEAD}{T2}\nb\n\n{T1}\na", [(1, 2, None, "a"), (2, 4, None, "b")], id="unordered"
        ),
        pytest.param(
            f"{HEAD}00:01.0 --> 00:03.0\na\n\n00:02.0 --> 00:04.0\nb",
            [(1, 3, None, "a"), (2, 4, None, "b")],
            id="overlap stays",
        ),
        pytest.param(
            f"{HEAD}00:05.0 --> 00:03.0\na\n\n00:06.0 --> 00:06.0\nb\n\n00:08.0 --> 00:09.0\nc",
            [(5, 6, None, "a"), (6, 8, None, "b"), (8, 9, None, "c")],
            id="reversed and zero-length cues end at the next",
        ),
        pytest.param(
            f"{HEAD}intro\n{T1}\nHi\n\n2\n{T2}\n42",
            [(1, 2, None, "Hi"), (2, 4, None, "42")],
            id="identifiers, text that is a number",
        ),
        pytest.param(
            f"{HEAD}{T1}\na < b and 5 <3", [(1, 2, None, "a < b and 5 <3")], id="less than"
        ),
        pytest.param(f"{T1}\nHi", [(1, 2, None, "Hi")], id="no WEBVTT line"),
        pytest.param(
            f"{HEAD}100:00:01.5 --> 100:00:02.5\nHi",
            [(360001.5, 360002.5, None, "Hi")],
            id="hours over 99",
        ),
    ],
)
def test_traps(source: str | bytes, expected: list[tuple[object, ...]]) -> None:
    assert rows(source, "x.vtt") == expected


def test_header_fields() -> None:
    parsed = parse(f"WEBVTT - title\nKind: captions\nLanguage: en\n\n{T1}\nHi")
    assert parsed.header == {"kind": "captions", "language": "en"}
    assert texts(f"WEBVTT\n{T1}\nHi") == ["Hi"]
    assert parsed.repairs == ()


def test_speaker_is_inherited_and_marked() -> None:
    cues = parse(f"{HEAD}{T1}\n<v Ada>Hi\n\n{T2}\nthere\n\n{T3}\n<v Bob>Ho").cues
    assert [(cue.speaker, cue.inherited) for cue in cues] == [
        ("Ada", False),
        ("Ada", True),
        ("Bob", False),
    ]


def test_rolling_captions_hold_each_line_once() -> None:
    lines = ["so today we", "talk about bees", "and their", "hives in winter", "and more"]
    source = HEAD
    for second, (above, below) in enumerate(zip(["", *lines], lines, strict=False)):
        source += f"00:00:0{second}.000 --> 00:00:0{second + 1}.000\n{above}\n{below}\n\n"
    parsed = parse(source)
    assert " ".join(cue.text for cue in parsed.cues) == " ".join(lines)
    assert "fixed: repeated line of rolling captions" in kinds(parsed)


def test_growing_captions_hold_each_word_once() -> None:
    source = HEAD
    for second in range(6):
        words = " ".join(["one", "two", "three", "four", "five", "six"][: second + 1])
        source += f"00:00:0{second}.000 --> 00:00:0{second + 1}.000\n{words}\n\n"
    assert rows(source) == [(0, 6, None, "one two three four five six")]


def test_dialogue_that_repeats_a_line_is_kept() -> None:
    source = f"{HEAD}{T1}\nNo.\n\n{T2}\nNo.\n\n{T3}\nReally?\n\n00:06.0 --> 00:07.0\nYes, it is."
    assert texts(source) == ["No.", "No.", "Really?", "Yes, it is."]


def test_pseudo_speaker_is_a_kind() -> None:
    cues = parse(f"{HEAD}{T1}\n<v Jingles>la la\n\n{T2}\n<v Ada>Hi\n\n{T3}\n<v Ad>Buy").cues
    assert [(cue.kind, cue.speaker) for cue in cues] == [
        ("music", None),
        ("speech", "Ada"),
        ("ad", None),
    ]


def test_two_recordings_in_one_file_keep_their_order() -> None:
    source = f"{HEAD}00:01.0 --> 00:02.0\na\n\n10:00.0 --> 10:02.0\nb\n\n00:01.0 --> 00:02.0\nc\n\n"
    source += "00:03.0 --> 00:04.0\nd"
    assert rows(source) == [
        (1, 2, None, "a"),
        (600, 602, None, "b"),
        (601, 602, None, "c"),
        (603, 604, None, "d"),
    ]
