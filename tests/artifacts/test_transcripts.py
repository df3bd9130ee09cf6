"""Segments: reading, aligning, and making them from a text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from podcast_scraper.artifacts.records import Segment
from podcast_scraper.artifacts.report import Issues
from podcast_scraper.artifacts.transcripts import align, read_segments, split_text
from podcast_scraper.artifacts.whitespace import Squeezed


def segments(*texts: str) -> list[Segment]:
    return [Segment(place, None, None, text) for place, text in enumerate(texts)]


def held(text: str, aligned: tuple[Segment, ...]) -> list[str | None]:
    return [
        None if one.char_start is None else text[one.char_start : one.char_end] for one in aligned
    ]


def test_reading_repairs_times_and_keeps_the_words() -> None:
    issues = Issues()
    found = read_segments(
        {
            "segments": [
                {"start": 9, "end": 8, "text": "late", "speaker": "Ada"},
                {"start": -1, "end": "2.5", "text": "early", "speaker_label": "SPEAKER_00"},
                {"start": "NaN", "end": None, "text": ""},
                {"start": 3, "text": 7}, "text", None,
            ]
        },
        "s.json", "e", issues,
    )  # fmt: skip
    assert [(one.start, one.end, one.text, one.speaker_label) for one in found] == [
        (9.0, 9.0, "late", "Ada"),
        (0.0, 2.5, "early", "SPEAKER_00"),
        (None, None, "", None),
    ]
    assert [item.item for item in issues.dropped] == [f"segments[{n}]" for n in (3, 4, 5)]
    assert len(issues.repairs) == 3


def test_segments_are_sorted_by_start_and_numbered() -> None:
    issues = Issues()
    items = [{"start": start, "end": start + 1, "text": str(start)} for start in (5, 1, 3)]
    found = read_segments(items, "s.json", "e", issues)
    assert [(one.ordinal, one.text) for one in found] == [(0, "1"), (1, "3"), (2, "5")]
    assert [repair.kind for repair in issues.repairs] == ["segment order"]


def test_labels_that_are_kinds() -> None:
    labels = {
        "Ad": "ad", "COMMERCIAL": "ad", "[Advertisement]": "ad", "Sponsor": "ad", "Break": "music",
        "♪ Music ♪": "music", "Adam": "speech", "Ada": "speech", "Musica": "speech",
    }  # fmt: skip
    found = read_segments(
        [{"text": "x", "speaker_label": label} for label in labels], "s.json", "e", Issues()
    )
    assert [one.kind for one in found] == list(labels.values())


def test_alignment_over_other_white_space_and_missing_segments() -> None:
    text = "Ada: One two\nthree.\r\n\r\nBo: Yes. Cy: No  more\n"
    parts = segments("One two three.", "never said", "Yes.", " No more ", "")
    assert held(text, align(text, parts)) == ["One two\nthree.", None, "Yes.", "No  more", None]


def test_a_short_missing_segment_does_not_pull_the_rest_away() -> None:
    filler = "Words that go on and on. " * 100
    text = f"Begin here. The middle part. {filler}Right. The end."
    parts = segments("Begin here.", "Right.", "The middle part.", filler, "The end.")
    found = held(text, align(text, parts))
    assert found == ["Begin here.", None, "The middle part.", filler.strip(), "The end."]


def test_offsets_of_the_file_hold_where_they_are_right() -> None:
    text = "Yes. Yes. Yes."
    right = Segment(0, None, None, "Yes.", char_start=10, char_end=14)
    wrong = Segment(1, None, None, "Yes.", char_start=1, char_end=3)
    (kept,) = align(text, [right])
    assert (kept.char_start, kept.char_end) == (10, 14)
    (mended,) = align(text, [wrong])
    assert (mended.char_start, mended.char_end) == (0, 4)
    (unknown,) = align("", [right])
    assert unknown.char_start is None


@given(st.lists(st.text("ab .\n", min_size=1, max_size=12), max_size=8), st.text(" \n", min_size=1))
def test_every_piece_of_a_text_aligns_in_order(pieces: list[str], gap: str) -> None:
    text = gap.join(pieces)
    parts = [piece for piece in pieces if piece.strip()]
    aligned = align(text, segments(*parts))
    cursor = 0
    for part, one in zip(parts, aligned, strict=True):
        assert one.char_start is not None
        assert one.char_end is not None
        assert one.char_start >= cursor
        assert text[one.char_start : one.char_end].split() == part.split()
        cursor = one.char_end


@given(st.text("ab \n\t\u00a0é😀"))
def test_squeezed_spans_lead_back(text: str) -> None:
    squeezed = Squeezed(text)
    assert squeezed.text == " ".join(text.split())
    for start in range(len(squeezed.text)):
        if squeezed.text[start] != " ":
            first, last = squeezed.span(start, start + 1)
            assert text[first:last] == squeezed.text[start]
            assert squeezed.place(first) == start


def test_a_text_alone_is_split_at_its_lines() -> None:
    text = (
        "Ada Byron: Hello: there.\nNote: this is no speaker.\n\n"
        "SPEAKER_01: I said:  two.\r\nAd: Buy it.\nBo: Once.\nAda Byron: Bye.\n"
    )
    found = split_text(text, ["Bo"], "e")
    assert [(one.speaker_label, one.text, one.kind) for one in found] == [
        ("Ada Byron", "Hello: there.", "speech"),
        ("Ada Byron", "Note: this is no speaker.", "speech"),
        ("SPEAKER_01", "I said:  two.", "speech"),
        ("Ad", "Buy it.", "ad"),
        ("Bo", "Once.", "speech"),
        ("Ada Byron", "Bye.", "speech"),
    ]
    for one in found:
        assert text[one.char_start : one.char_end] == one.text
