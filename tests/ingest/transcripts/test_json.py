"""JSON transcripts: Podcasting 2.0, other vendors, and recognisers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.ingest.transcripts.cases import kinds, parse, rows


def podcast(*segments: Any) -> str:
    return json.dumps({"version": "1.0.0", "segments": segments})


def test_podcasting_shape_and_missing_ends() -> None:
    source = podcast(
        {"speaker": "Ada", "startTime": 0.5, "endTime": 2, "body": "one two"},
        {"speaker": "Bob", "startTime": 3, "body": "three four"},
        {"speaker": None, "startTime": "5.5", "endTime": "00:00:07", "body": "five six"},
    )
    assert rows(source) == [
        (0.5, 2, "Ada", "one two"),
        (3, 5.5, "Bob", "three four"),
        (5.5, 7, "Bob", "five six"),
    ]
    parsed = parse(source)
    assert parsed.format == "podcast_json"
    assert kinds(parsed) == {"guessed: end from the next cue"}
    assert parsed.cues[2].inherited


@pytest.mark.parametrize(
    "document",
    [
        [{"start": 1, "end": 2, "text": "a b", "speaker": 0}],
        {"utterances": [{"start": "1", "end": "2.0", "text": "a b", "speaker": "0"}]},
        {"results": {"utterances": [{"start": 1, "end": 2, "transcript": "a b", "speaker": 0}]}},
        {
            "segments": [
                {"start": 1, "duration": 1, "text": "a b", "speaker": {"name": "Speaker 0"}}
            ]
        },
    ],
)
def test_other_vendors(document: Any) -> None:
    assert rows(json.dumps(document)) == [(1, 2, "Speaker 0", "a b")]


def test_words_one_a_segment_become_utterances() -> None:
    words = [("Ada", "Hello"), ("Ada", "there."), ("Ada", "How"), ("Ada", "so?"), ("Bob", "Well")]
    source = podcast(
        *(
            {"speaker": who, "startTime": n, "endTime": n + 0.5, "body": word}
            for n, (who, word) in enumerate(words)
        )
    )
    assert rows(source) == [
        (0, 1.5, "Ada", "Hello there."),
        (2, 3.5, "Ada", "How so?"),
        (4, 4.5, "Bob", "Well"),
    ]


def test_milliseconds_are_recognised() -> None:
    segments = [{"start": n * 3000, "end": n * 3000 + 2500, "text": "some words"} for n in range(4)]
    assert rows(json.dumps(segments))[3] == (9, 11.5, None, "some words")
    slow = [{"start": n * 30, "end": n * 30 + 25, "text": "many words " * 20} for n in range(4)]
    assert rows(json.dumps(slow))[3][:2] == (90, 115)


def test_truncated_document_keeps_what_is_whole() -> None:
    whole = podcast(*({"startTime": n, "endTime": n + 1, "body": f"word {n}"} for n in range(3)))
    parsed = parse(whole[: whole.index("word 2")])
    assert [cue.text for cue in parsed.cues] == ["word 0", "word 1"]
    assert "fixed: broken JSON" in kinds(parsed)


def test_bad_segments_go_alone() -> None:
    source = podcast(
        "x", None, {"startTime": True, "body": "kept one"}, {"startTime": 3, "body": ""}
    )
    parsed = parse(source)
    assert rows(source) == [(None, None, None, "kept one")]
    assert kinds(parsed) == {"dropped: segment that is no object", "dropped: empty cue"}


def whisper(*segments: dict[str, Any]) -> str:
    return json.dumps(
        {"text": "", "language": "en", "segments": [{"seek": 0, **s} for s in segments]}
    )


def test_whisper_times() -> None:
    source = whisper(
        {"start": -0.5, "end": 1.0, "text": " a b"},
        {"start": 2.0, "end": 2.0, "text": " c"},
        {"start": float("nan"), "end": 3.0, "text": " d"},
        {"start": 4.0, "end": 5.0, "text": " e"},
    )
    parsed = parse(source)
    assert parsed.format == "whisper_json"
    assert parsed.header == {"language": "en"}
    assert rows(source) == [
        (0, 1, None, "a b"),
        (2, None, None, "c"),
        (None, 3, None, "d"),
        (4, 5, None, "e"),
    ]


def test_whisper_loops_are_dropped_and_reported() -> None:
    looping = [{"start": n, "end": n + 1, "text": "Thank you."} for n in range(7)]
    parsed = parse(whisper({"start": 0, "end": 1, "text": "Hi"}, *looping))
    assert [cue.text for cue in parsed.cues] == ["Hi", "Thank you."]
    (repair,) = (r for r in parsed.repairs if r.action == "dropped")
    assert (repair.kind, repair.count) == ("repetition of a looping recogniser", 6)
    four = [{"start": n, "end": n + 1, "text": "Thank you."} for n in range(4)]
    assert len(parse(whisper(*four)).cues) == 4


def test_segment_across_a_change_of_speaker_is_split() -> None:
    words = [
        {"word": "Hi", "start": 0.0, "end": 0.2, "speaker": "SPEAKER_00"},
        {"word": "there.", "speaker": "SPEAKER_00"},
        {"word": "7", "start": 0.9, "end": 1.0},
        {"word": "Yes?", "start": 1.5, "end": 2.0, "speaker": "SPEAKER_01"},
    ]
    source = whisper({"start": 0, "end": 2, "text": "Hi there. 7 Yes?", "words": words})
    assert rows(source) == [
        (0, 1, "SPEAKER_00", "Hi there. 7"),
        (1.5, 2, "SPEAKER_01", "Yes?"),
    ]


def test_whisper_speaker_is_not_carried_on() -> None:
    source = whisper(
        {"start": 0, "end": 1, "text": "a", "speaker": "SPEAKER_00"},
        {"start": 1, "end": 2, "text": "b"},
    )
    assert [row[2] for row in rows(source)] == ["SPEAKER_00", None]


@pytest.mark.parametrize("source", ["{}", "[]", '{"a": 1}', "[" * 100_000, '{"a":' * 100_000])
def test_no_transcript_is_no_cues(source: str) -> None:
    assert parse(source).cues == ()
