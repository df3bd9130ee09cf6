"""SRT: each known trap with its outcome."""

from __future__ import annotations

import pytest

from tests.ingest.transcripts.cases import kinds, parse, rows


@pytest.mark.parametrize(
    ("stamp", "seconds"),
    [
        ("00:00:01,500", 1.5),
        ("00:00:01.500", 1.5),
        ("00:00:01", 1.0),
        ("00:00:01,5", 1.5),
        ("00:00:01,05", 1.05),
        ("00:00:01,0506", 1.051),
        ("0:0:1,5", 1.5),
        ("00:01.500", 1.5),
        ("123:00:01,000", 442801.0),
    ],
)
def test_times(stamp: str, seconds: float) -> None:
    (row,) = rows(f"1\n{stamp} --> 999:00:00,000\nHi\n")
    assert row == (pytest.approx(seconds, abs=0.0006), 3596400.0, None, "Hi")


ONE = "1\n00:00:01,000 --> 00:00:02,000\n"
TWO = "2\n00:00:03,000 --> 00:00:04,000\n"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param(f"{ONE}a\n\n{TWO}b\n", ["a", "b"], id="plain"),
        pytest.param(f"{ONE[2:]}a\n\n{TWO[2:]}b\n", ["a", "b"], id="no numbers"),
        pytest.param(f"7{ONE[1:]}a\n\n7{TWO[1:]}b\n", ["a", "b"], id="wrong numbers"),
        pytest.param(f"{ONE}\na\n\n{TWO}b\n", ["a", "b"], id="blank line under the time"),
        pytest.param(f"{ONE}a\n{TWO}b", ["a", "b"], id="no blank between cues"),
        pytest.param(f"{ONE}42\n\n{TWO}7\n", ["42", "7"], id="only a number"),
        pytest.param(f"{ONE[2:]}42\n\n{TWO[2:]}7\n", ["42", "7"], id="only a number, unnumbered"),
        pytest.param(f"{ONE}at 10:30 we met\n\n{TWO}b", ["at 10:30 we met", "b"], id="clock"),
        pytest.param(f"{ONE}a\n\nmore\n\n{TWO}b", ["a more", "b"], id="blank line in the text"),
        pytest.param(f"{ONE}<i>a</i> <font color='x'>b</font>\n", ["a b"], id="tags"),
        pytest.param(f"{ONE}\n{TWO}b\n", ["b"], id="empty cue"),
        pytest.param(f"{ONE}a\n\n3", ["a"], id="broken off after a number"),
        pytest.param("\ufeff" + ONE.replace("\n", "\r\n") + "a\r\n", ["a"], id="BOM, CRLF"),
    ],
)
def test_structure(source: str, expected: list[str]) -> None:
    assert [row[3] for row in rows(source)] == expected


def test_speakers_by_prefix() -> None:
    source = (
        f"{ONE}Ada Byron: hi: you\n\n{TWO}still me\n\n"
        "3\n00:00:05,000 --> 00:00:06,000\n>> BOB: Note: this\n\n"
        "4\n00:00:06,000 --> 00:00:07,000\nBOB: yes\n"
    )
    assert [row[2:] for row in rows(source)] == [
        ("Ada Byron", "hi: you"),
        ("Ada Byron", "still me"),
        ("BOB", "Note: this"),
        ("BOB", "yes"),
    ]


def test_sentences_with_a_colon_name_nobody() -> None:
    source = f"{ONE}Note: be careful\n\n{TWO}Warning: it bites, see https: //x\n"
    assert [row[2:] for row in rows(source)] == [
        (None, "Note: be careful"),
        (None, "Warning: it bites, see https: //x"),
    ]


def test_report_says_what_and_where() -> None:
    parsed = parse(f"{ONE}a\n{TWO}b\n\nmore\n\n3\n00:00:09,000 --> 00:00:08,000\nc")
    assert kinds(parsed) == {
        "fixed: no empty line between cues",
        "fixed: text after an empty line",
        "fixed: end before start",
    }
    assert next(r for r in parsed.repairs if "no empty" in r.kind).places == (5,)


def test_wrong_charset_is_repaired_byte_by_byte() -> None:
    parsed = parse(ONE.encode() + b"caf\xe9 \x93x\x94 \xc3\xa9\n")
    assert [cue.text for cue in parsed.cues] == ["café “x” é"]
    assert kinds(parsed) == {"guessed: charset"}
