"""Laws of all parsers: no bytes make them raise or hang, and no text is invented."""

from __future__ import annotations

import html
import json
import re
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podcast_scraper.errors import IngestError
from podcast_scraper.ingest.transcripts import (
    Cue,
    parse_transcript,
    require_clean,
    to_podcast_json,
    to_srt,
    to_vtt,
)

FRAGMENTS = [
    "WEBVTT", "NOTE x", "STYLE", "\n", "\n\n", "\r\n", " ", "1", "42", "-->", " --> ",
    "00:00:01.000 --> 00:00:02.000", "00:00:03,5 --> 00:00:02,000", "1:2:3 --> ", "<v Ada>", "</v>",
    "<v.x Bob Lee>", "<c>", "<00:00:18.400>", "&amp;", "&#169;", "&#0;", "&nbsp;", "&bogus;",
    "**Ada:** ", "**Break:** ", "Ada Byron: ", "Note: ", "(00:01:27):", "\\[04:05\\]", "[1:2:3]",
    "# Title", "---", "[a](b)", "*x*", "\\_", "{", "}", "[", "]", '"segments":', '"body":', '"x"',
    ",", ":", "null", "NaN", "1e999", "-5", "<cite>", "</cite>", "<time>", "<p>", "</p>", "<!--",
    "<script>", "<html>", "\x00", "\ufeff", "é", "word", "another", "王", "\ud83d\ude00"[:0] + "😀",
]  # fmt: skip

broken_files = st.lists(
    st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=6)), max_size=40
).map(lambda parts: "".join(parts).encode("utf-8", "replace"))

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["segments", "words", "body", "text", "start", "end", "speaker", "word"]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


def characters(text: str) -> str:
    return "".join(text.split())


def is_subsequence(small: str, large: str) -> bool:
    rest = iter(large)
    return all(character in rest for character in small)


@given(st.one_of(st.binary(max_size=300), broken_files), st.sampled_from(["", "x.vtt", "x.json"]))
@settings(max_examples=400, deadline=None)
def test_no_bytes_make_a_parser_raise_and_cues_are_sound(data: bytes, hint: str) -> None:
    parsed = parse_transcript(data, hint)
    assert parse_transcript(data, hint) == parsed
    starts = [cue.start for cue in parsed.cues if cue.start is not None]
    assert starts == sorted(starts)
    for cue in parsed.cues:
        assert cue.text
        assert cue.text == " ".join(cue.text.split())
        assert cue.start is None or cue.start >= 0
        assert cue.end is None or cue.start is None or cue.end > cue.start


@given(broken_files)
@settings(max_examples=400, deadline=None)
def test_no_text_is_invented(data: bytes) -> None:
    """The characters of every cue occur in the input in that order, markup and escapes resolved."""
    decoded = data.decode("utf-8", "replace")
    sources = [characters(html.unescape(decoded)), characters(decoded)]
    for cue in parse_transcript(data).cues:
        text = characters(cue.text).replace("\ufffd", "")
        assert any(is_subsequence(text, source) for source in sources)


@given(json_values)
@settings(max_examples=200, deadline=None)
def test_any_json_is_read(value: Any) -> None:
    source = json.dumps(value)
    strings = characters(html.unescape(" ".join(_strings(value))))
    for cue in parse_transcript(source.encode()).cues:
        if parse_transcript(source.encode()).format in ("podcast_json", "whisper_json"):
            assert set(characters(cue.text)) <= set(strings)


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for item in items for text in _strings(item)]


WORDS = st.lists(
    st.text(st.characters(categories=["L"], max_codepoint=0x24F), min_size=1, max_size=8),
    min_size=1,
    max_size=12,
).map(" ".join)


@given(
    st.lists(st.tuples(st.sampled_from(["Ada Byron", "Bob Lee"]), WORDS), min_size=1, max_size=8)
)
@settings(max_examples=60, deadline=None)
def test_words_come_out_as_they_went_in(turns: list[tuple[str, str]]) -> None:
    for separator in ("**{}:** {}\n\n", "{}: {}\n\n"):
        source = "".join(separator.format(name, words) for name, words in turns)
        parsed = parse_transcript(source.encode())
        assert [(cue.speaker, cue.text) for cue in parsed.cues] == turns
        assert parsed.repairs == ()


SHARP = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=9)
NAMES = st.none() | st.sampled_from(["Ada Byron", "Zoë Li", "R. Daneel Olivaw", "SPEAKER_01"])


@st.composite
def cue_lists(draw: st.DrawFn, words: st.SearchStrategy[str]) -> list[Cue]:
    """Cues as a parser gives them: ordered, with ends, and once named always named."""
    cues: list[Cue] = []
    now, speaker = 0, draw(NAMES)
    for text in draw(st.lists(words, min_size=1, max_size=8)):
        now += draw(st.integers(1, 5000))
        length = draw(st.integers(1, 5000))
        speaker = draw(NAMES) or speaker
        text = f"{text} {len(cues)} end"
        cues.append(Cue(text, now / 1000, (now + length) / 1000, speaker))
    return cues


def same(cues: list[Cue], source: str, hint: str) -> bool:
    read = parse_transcript(source.encode(), hint)
    assert [(c.text, c.speaker, c.start, c.end) for c in read.cues] == [
        (c.text, c.speaker, c.start, c.end) for c in cues
    ]
    assert read.repairs == ()
    return True


@given(cue_lists(st.lists(SHARP, min_size=1, max_size=4).map(" ".join)))
@settings(max_examples=150, deadline=None)
def test_vtt_and_json_read_back_equal(cues: list[Cue]) -> None:
    if len({cue.speaker for cue in cues if cue.speaker}) or all(":" not in c.text for c in cues):
        assert same(cues, to_vtt(cues), "x.vtt")
    assert same(cues, to_podcast_json(cues), "x.json")


@given(cue_lists(WORDS))
@settings(max_examples=100, deadline=None)
def test_srt_reads_back_equal(cues: list[Cue]) -> None:
    assert same(cues, to_srt(cues), "x.srt")


def test_captions_need_times() -> None:
    cue = Cue("no time", speaker="Ada")
    for export in (to_vtt, to_srt):
        with pytest.raises(IngestError, match="without time"):
            export([cue])
    (back,) = parse_transcript(to_podcast_json([cue]).encode()).cues
    assert back == cue


def test_strict_turns_repairs_into_an_error() -> None:
    clean = parse_transcript(b"WEBVTT\n\n00:01.0 --> 00:02.0\nHi\n")
    assert require_clean(clean, "a.vtt") is clean
    with pytest.raises(IngestError, match=r"a\.vtt needs repairs: .*end before start"):
        require_clean(parse_transcript(b"WEBVTT\n\n00:03.0 --> 00:02.0\nHi\n"), "a.vtt")


@pytest.mark.parametrize(
    "unit",
    ["<", "<!--", "<p", "<v ", "&", "[", "{", '{"a":[', "**", "*a ", "[a](", "\\[", "(1:", "A.",
     "A: ", "1:", "00:00:01.0 -->", "WEBVTT\n\n", "1\n", "- ", "a.b", "Ab ", "(", "-", "_", "<c"],
)  # fmt: skip
def test_time_is_linear(unit: str) -> None:
    """Two megabytes of any one unit take seconds at most: no pattern backtracks."""
    for prefix in ("", "WEBVTT\n\n00:01.0 --> 00:02.0\n", "<html>", "**A:** b\n\n"):
        source = (prefix + unit * (400_000 // len(unit))).encode()
        started = time.process_time()
        parse_transcript(source)
        assert time.process_time() - started < 10, (prefix, unit)


def test_words_survive_in_order_over_every_format() -> None:
    cues = [Cue(f"word{n} and more{n}.", n, n + 0.5, "Ada Byron") for n in range(50)]
    for source in (to_vtt(cues), to_srt(cues), to_podcast_json(cues)):
        text = " ".join(cue.text for cue in parse_transcript(source.encode()).cues)
        assert re.findall(r"word\d+", text) == [f"word{n}" for n in range(50)]
