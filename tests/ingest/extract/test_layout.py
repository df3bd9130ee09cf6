"""Text, offsets and estimated times."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podcast_scraper.ingest.extract.layout import estimate_times, lay_out
from podcast_scraper.ingest.transcripts import Cue

CUES = [
    Cue("Hello there.", 0, 2, "Ada"),
    Cue("How are you?", 2, 4, "Ada"),
    Cue("Fine.", 4, 5, "Bob"),
    Cue("Buy this.", 5, 6, None, kind="ad"),
]


def test_paragraphs_are_lines_and_captions_are_joined() -> None:
    paragraphs = lay_out(CUES)
    assert paragraphs.transcript.text == (
        "Ada: Hello there.\nHow are you?\nBob: Fine.\nBuy this.\n"
    )
    captions = lay_out([Cue("and so", 0, 1, "Ada"), Cue("it goes", 1, 2, "Ada"), Cue("on", 2, 3)])
    assert captions.transcript.text == "Ada: and so it goes\non\n"
    assert [line.segments for line in captions.lines] == [range(2), range(2, 3)]


@given(
    st.lists(
        st.builds(
            Cue,
            st.sampled_from(["one.", "two words", "three? Yes!"]),
            speaker=st.sampled_from([None, "Ada", "Bob"]),
            kind=st.sampled_from(["speech", "ad"]),
        ),
        max_size=9,
    )
)
def test_offsets_hold_what_they_say(cues: list[Cue]) -> None:
    layout = lay_out(cues)
    text = layout.transcript.text
    assert [text[s.char_start : s.char_end] for s in layout.transcript.segments] == [
        cue.text for cue in cues
    ]
    covered = [ordinal for line in layout.lines for ordinal in line.segments]
    assert covered == list(range(len(cues)))
    for line in layout.lines:
        inside = [cues[ordinal].text for ordinal in line.segments]
        assert text[line.start : line.end].split() == " ".join(inside).split()


def test_times_are_interpolated_by_characters() -> None:
    """Ten characters a second; the third paragraph states its time, the others do not."""
    texts = ["x" * 99, "x" * 49, "x" * 99, "x" * 99, "x" * 99]
    starts = [None, None, 15.0, 25.0, None]
    cues = [Cue(text, start) for text, start in zip(texts, starts, strict=True)]
    timed, estimated = estimate_times(cues)
    assert estimated
    assert [(cue.start, cue.end) for cue in timed] == [
        (0.0, 10.0),
        (10.0, 15.0),
        (15.0, 25.0),
        (25.0, 35.0),
        (35.0, 45.0),
    ]


@pytest.mark.parametrize(
    "cues",
    [
        [Cue("some words"), Cue("more words", 5.0), Cue("the rest")],
        [Cue("some words", 1.0), Cue("more words", 5.0), Cue("the rest", 9.0)],
        [],
    ],
)
def test_too_little_or_no_need_to_estimate(cues: list[Cue]) -> None:
    assert estimate_times(cues) == (cues, False)
