from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podcast_scraper.artifacts.records import Segment
from podcast_scraper.embed.resolve import open_encoder
from podcast_scraper.errors import ModelError
from podcast_scraper.search.chunker import chunk_transcript
from podcast_scraper.search.windows import ChunkSettings
from tests.search.episodes import WordTokens, episode, placed

if TYPE_CHECKING:
    from podcast_scraper.embed.encoder import Encoder
    from podcast_scraper.search.documents import Document

ROOMY = WordTokens(100_000)
ADA, BEN = "person:ada", "person:ben"


def sentences(count: int, word: str = "word") -> str:
    """Sentences of ten words, numbered."""
    return " ".join(f"Sentence {i} has {(word + ' ') * 6}inside." for i in range(count))


def test_windows_have_200_to_300_words_overlap_by_50_and_end_with_sentences() -> None:
    text = sentences(200)
    documents = chunk_transcript(episode(text), ROOMY)
    sizes = [len(document.text.split()) for document in documents]
    assert all(200 <= size <= 300 for size in sizes[:-2])
    assert all(150 <= size <= 300 for size in sizes[-2:])
    assert all(document.text.startswith("Sentence ") for document in documents)
    assert all(document.text.endswith("inside.") for document in documents)
    for before, after in itertools.pairwise(documents):
        assert before.char_end is not None
        assert after.char_start is not None
        shared = text[after.char_start : before.char_end]
        assert 25 <= len(shared.split()) <= 75


def test_a_window_carries_its_episode_speakers_and_times() -> None:
    lines = [("Compost wants air and water.", ADA, "speech"), ("Yes.", BEN, "speech")]
    text = "Ada: Compost wants air and water.\nBen: Yes.\n"
    (document,) = chunk_transcript(episode(text, placed(text, lines)), ROOMY)
    assert document.doc_id == "segment:ep:1:0"
    assert (document.tier, document.kind) == ("segment", "speech")
    assert (document.episode_id, document.show_id) == ("ep:1", "podcast:soil")
    assert document.published == "2024-03-05"
    assert document.text == text.strip()
    assert (document.char_start, document.char_end) == (0, len(text) - 1)
    assert (document.start, document.end) == (0.0, 20.0)
    # "Ada: Compost wants air and water." are 6 words, "Ben: Yes." are 2.
    assert document.speakers == (ADA, BEN)
    assert document.speaker_share == pytest.approx(6 / 8)


def test_times_are_those_of_the_segments_that_a_window_touches() -> None:
    parts = [(f"Part {i} says {'w ' * 26}here.", ADA, "speech") for i in range(30)]
    text = "\n".join(words for words, _, _ in parts)
    documents = chunk_transcript(episode(text, placed(text, parts)), ROOMY)
    assert len(documents) > 2
    for document in documents:
        held = [int(number) for number in re.findall(r"Part (\d+)", document.text)]
        assert document.start == held[0] * 10.0
        assert document.end == held[-1] * 10.0 + 10


def test_ads_and_music_stand_alone() -> None:
    parts = [
        ("We talk.", ADA, "speech"),
        ("Buy Bloom today.Really, buy it.", None, "ad"),
        ("La la.", None, "music"),
        ("We go on.", BEN, "speech"),
    ]
    # The text runs on without a space at both ends of the advertisement.
    text = "Ada: We talk.Buy Bloom today.Really, buy it.\nLa la.\nBen: We go on."
    documents = chunk_transcript(episode(text, placed(text, parts)), ROOMY)
    assert [(d.kind, d.text) for d in documents] == [
        ("speech", "Ada: We talk."),
        ("ad", "Buy Bloom today.Really, buy it."),
        ("music", "La la."),
        ("speech", "Ben: We go on."),
    ]
    assert [d.doc_id for d in documents] == [f"segment:ep:1:{i}" for i in range(4)]
    assert [d.ordinal for d in documents] == [0, 1, 2, 3]


def test_segments_without_a_text_are_the_text() -> None:
    segments = [
        Segment(0, 0.0, 4.0, " Hello there. ", "A", ADA),
        Segment(1, 4.0, 6.0, "General words.", "A", ADA),
        Segment(2, None, None, "Yes.", "B", BEN),
        Segment(3, 8.0, 9.0, "  ", "B", BEN),
    ]
    (document,) = chunk_transcript(episode("", segments), ROOMY)
    assert document.text == "Hello there. General words.\nYes."
    assert (document.char_start, document.char_end) == (None, None)
    assert (document.start, document.end) == (0.0, 6.0)
    assert document.speakers == (ADA, BEN)


def test_a_text_without_segments_has_no_speakers_and_no_times() -> None:
    (document,) = chunk_transcript(episode("Only words.\n"), ROOMY)
    assert (document.text, document.char_end) == ("Only words.", 11)
    assert (document.start, document.end, document.speakers) == (None, None, ())
    assert document.speaker_share is None


@pytest.mark.parametrize("text", ["", " \n\t "])
def test_no_transcript_gives_no_documents(text: str) -> None:
    assert chunk_transcript(episode(text), ROOMY) == []


def test_a_few_words_that_only_the_segments_have_are_an_editors_cut() -> None:
    text = "Compost wants air. It wants water."
    segments = (
        Segment(0, 0.0, 3.0, "Compost wants air.", None, ADA, "speech", 0, 18),
        Segment(1, 3.0, 4.0, "Um, yeah.", None, BEN),
        Segment(2, 4.0, 8.0, "It wants water.", None, ADA, "speech", 19, 34),
    )
    (document,) = chunk_transcript(episode(text, segments), ROOMY)
    assert document.text == text
    assert document.speakers == (ADA,)


def test_a_passage_that_the_text_lost_is_kept_from_the_segments() -> None:
    lost = "and this is a passage " * 5
    segments = (
        Segment(0, 0.0, 3.0, "Compost wants air.", None, ADA, "speech", 0, 18),
        Segment(1, 3.0, 90.0, lost, None, BEN),
    )
    first, second = chunk_transcript(episode("Compost wants air.", segments), ROOMY)
    assert (first.text, first.char_end) == ("Compost wants air.", 18)
    assert (second.text, second.char_start, second.start) == (lost.strip(), None, 3.0)
    assert second.speakers == (BEN,)


def test_text_that_its_segment_spells_otherwise_takes_its_speaker_and_times() -> None:
    text = "Ada: Compost wants air.\nBen: It wants twenty liters.\nAda: Yes."
    segments = (
        Segment(0, 0.0, 3.0, "Compost wants air.", None, ADA, "speech", 5, 23),
        Segment(1, 3.0, 7.0, "It wants 20 litres.", None, BEN),
        Segment(2, 7.0, 8.0, "Yes.", None, ADA, "speech", 58, 62),
    )
    (document,) = chunk_transcript(episode(text, segments), ROOMY, ChunkSettings(1, 300, 0))
    assert document.text == text
    assert document.speakers == (ADA, BEN)
    assert document.speaker_share == pytest.approx(6 / 11)


def test_one_sentence_without_an_end_is_cut_between_words() -> None:
    text = "and so on it goes " * 400
    documents = chunk_transcript(episode(text), ROOMY)
    assert len(documents) > 6
    assert all(len(document.text.split()) <= 300 for document in documents)
    assert {word for document in documents for word in document.text.split()} == set(text.split())


def test_a_word_of_5000_letters_is_cut_and_kept() -> None:
    text = "before " + "x" * 5000 + " after"
    documents = chunk_transcript(episode(text), WordTokens(64))
    assert covered(text, documents) == set(range(len(text))) - {6, 5007}
    assert all(WordTokens(64).count_tokens(d.text) <= 64 for d in documents)


def test_an_encoder_without_room_is_refused() -> None:
    with pytest.raises(ModelError, match="no text fits"):
        chunk_transcript(episode("word"), WordTokens(2))


def test_text_added_at_the_end_leaves_the_documents_before_it() -> None:
    text = sentences(150)
    before = chunk_transcript(episode(text), ROOMY)
    after = chunk_transcript(episode(text + " " + sentences(30, "more")), ROOMY)
    assert after[: len(before) - 2] == before[:-2]
    assert before == chunk_transcript(episode(text), ROOMY)


def covered(text: str, documents: list[Document]) -> set[int]:
    places: set[int] = set()
    for document in documents:
        assert document.char_start is not None
        assert document.char_end is not None
        assert text[document.char_start : document.char_end] == document.text
        places.update(range(document.char_start, document.char_end))
    return {place for place in places if not text[place].isspace()}


WORDS = st.sampled_from(
    ["soil", "a", "Yes.", "Why?", "compost,", "x" * 130, "é😀", "東京。", "no\nno"]
)
PARTS = st.lists(
    st.tuples(
        st.lists(WORDS, min_size=1, max_size=25).map(" ".join),
        st.sampled_from([ADA, BEN, None]),
        st.sampled_from(["speech", "speech", "speech", "ad", "music"]),
        st.sampled_from(["\n", " ", "", "\nAda: ", "\n\nChapter two\n", " [00:01:02] "]),
        st.sampled_from([True, True, True, False]),
    ),
    max_size=25,
)


@settings(max_examples=60, deadline=None)
@given(PARTS, st.integers(8, 120), st.booleans())
def test_every_word_is_in_a_window_that_fits(
    parts: list[tuple[str, str | None, str, str, bool]], max_tokens: int, timed: bool
) -> None:
    text, segments = "", []
    for number, (words, speaker, kind, before, aligned) in enumerate(parts):
        text += before
        start = len(text)
        text += words
        offsets = (start, len(text)) if aligned else (None, None)
        times = (number * 2.0, number * 2.0 + 2) if timed else (None, None)
        segments.append(Segment(number, *times, words, None, speaker, kind, *offsets))  # type: ignore[arg-type]
    tokens = WordTokens(max_tokens, step=3)
    documents = chunk_transcript(
        episode(text, segments), tokens, ChunkSettings(min_words=10, max_words=16, overlap_words=3)
    )
    assert covered(text, documents) == {i for i, c in enumerate(text) if not c.isspace()}
    assert [d.doc_id for d in documents] == [f"segment:ep:1:{i}" for i in range(len(documents))]
    order = [(d.char_start, d.char_end) for d in documents]
    assert order == sorted(order)  # type: ignore[type-var]
    assert all(0 < tokens.count_tokens(d.text) <= max_tokens for d in documents)
    if not timed:
        assert all(d.start is None and d.end is None for d in documents)


@pytest.fixture(scope="module")
def packaged() -> Encoder:
    return open_encoder()


@pytest.mark.model
@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ["soil ", "unbelievably ", "é😀", "東京", "ﷺ", "x" * 90, "1,2;3/", "\u0301", "\n"]
        ),
        min_size=1,
        max_size=400,
    )
)
def test_windows_fit_the_packaged_encoder(packaged: Encoder, words: list[str]) -> None:
    text = "".join(words) * 3
    documents = chunk_transcript(episode(text), packaged)
    assert covered(text, documents) == {i for i, c in enumerate(text) if not c.isspace()}
    assert all(packaged.count_tokens(d.text) <= packaged.max_tokens for d in documents)
