from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit

from podcast_scraper.embed.tokens import TextTokenizer, even_windows


def words() -> TextTokenizer:
    tokenizer = Tokenizer(WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = WhitespaceSplit()
    tokenizer.enable_padding(length=8)
    tokenizer.enable_truncation(2)
    return TextTokenizer(tokenizer)


def test_padding_and_truncation_of_the_file_are_off() -> None:
    assert words().count("a b c") == 3


def test_fit_cuts_after_the_last_token_that_has_room() -> None:
    assert words().fit("one two  three ", 2) == ("one two", True)
    assert words().fit("one two  three ", 3) == ("one two  three ", False)


def test_spans_count_code_points() -> None:
    assert words().spans("é 😀x") == [(0, 1), (2, 4)]
    assert words().spans("\ud83d y") == [(0, 1), (2, 3)]


def test_windows_of_ten_words() -> None:
    spans = [(i * 2, i * 2 + 1) for i in range(10)]
    assert even_windows(spans, 10, 2) == [(0, 19)]
    assert even_windows(spans, 6, 2) == [(0, 11), (8, 19)]
    assert even_windows([], 6, 2) == []


def test_a_window_does_not_start_inside_a_short_word() -> None:
    # Tokens 4 and 5 are one word; an even start would fall on 5.
    spans = [
        (0, 1),
        (2, 3),
        (4, 5),
        (6, 7),
        (8, 9),
        (9, 10),
        (11, 12),
        (13, 14),
        (15, 16),
        (17, 18),
    ]
    assert even_windows(spans, 5, 2)[-1] == (11, 18)


@given(st.lists(st.integers(0, 2), min_size=1, max_size=80), st.integers(2, 30), st.data())
def test_windows_cover_every_token_within_the_limit(
    gaps: list[int], room: int, data: st.DataObject
) -> None:
    overlap = data.draw(st.integers(0, room - 1))
    spans, position = [], 0
    for gap in gaps:
        position += gap
        spans.append((position, position + 1))
        position += 1
    windows = even_windows(spans, room, overlap)
    held = [
        [span for span in spans if start <= span[0] and span[1] <= end] for start, end in windows
    ]
    assert {span for part in held for span in part} == set(spans)
    assert all(1 <= len(part) <= room for part in held)
    assert windows == sorted(windows)
