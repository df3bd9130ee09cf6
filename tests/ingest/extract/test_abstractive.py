"""Abstractive insights: a local endpoint that answers well, badly and falsely."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from podcast_scraper.artifacts.records import EpisodeRecord, Segment, ShowRecord, Transcript
from podcast_scraper.errors import ConfigurationError
from podcast_scraper.ingest.extract.abstractive import Abstractive, Tally, grounded, listed
from tests.ingest.feeds.server import Handler, Server, serving

if TYPE_CHECKING:
    from collections.abc import Iterator

TEXT = "Ada: Varroa mites kill more colonies than cold winters do.\n"
GOOD = {"text": "Mites kill.", "type": "claim", "quote": "mites kill more colonies than cold"}


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


def record() -> EpisodeRecord:
    segment = Segment(0, 1.0, 5.0, TEXT[5:-1], "Ada", "person:ada", "speech", 5, len(TEXT) - 1)
    return EpisodeRecord(
        "e1", ShowRecord("podcast:s", "S"), "T", "e1", "", (), (), Transcript(TEXT, (segment,))
    )


def ask(server: Server, answer: str, status: int = 200) -> tuple[EpisodeRecord, Abstractive]:
    def post(handler: Handler) -> None:
        length = int(handler.headers["Content-Length"])
        assert TEXT in json.loads(handler.rfile.read(length))["messages"][0]["content"]
        handler.give(status, answer.encode())

    server.answers["/v1/chat/completions"] = post
    model = Abstractive(server.url("/v1"), "m", seconds=5)
    return model.refine(record()), model


def chat(content: Any) -> str:
    text = content if isinstance(content, str) else json.dumps(content)
    return json.dumps({"choices": [{"message": {"content": text}}]})


def test_grounded_statements_become_insights(server: Server) -> None:
    false = {"text": "Bees sing.", "type": "claim", "quote": "bees sing in the rain every day"}
    made, model = ask(server, chat(f"Sure!\n```json\n{json.dumps([GOOD, false])}\n```"))
    assert model.tally == Tally(accepted=1, not_verbatim=1)
    insight, quote = made.nodes
    assert insight.properties["text"] == "Mites kill."
    place = slice(quote.properties["char_start"], quote.properties["char_end"])
    assert TEXT[place] == quote.properties["text"] == GOOD["quote"]
    assert {(e.type, e.target.partition(":")[0]) for e in made.edges} == {
        ("HAS_INSIGHT", "insight"),
        ("SUPPORTED_BY", "quote"),
        ("SPOKEN_BY", "person"),
    }


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ("not json", 200),
        (chat("no list here"), 200),
        (chat("[1, 2"), 200),
        ('{"choices": []}', 200),
        ("[" * 100_000, 200),
        (chat([GOOD]), 500),
    ],
)
def test_bad_answers_change_nothing(server: Server, answer: str, status: int) -> None:
    made, model = ask(server, answer, status)
    assert made == record()
    assert model.tally.failed_answers == 1


@pytest.mark.parametrize(
    "item",
    [
        None,
        "text",
        {},
        {"text": "x", "quote": 5},
        {"text": " ", "quote": GOOD["quote"]},
        {"text": "x", "quote": "mites kill"},
        {"text": "x", "quote": "Mites kill more colonies than cold"},
        {"text": "x", "quote": "mites  kill more colonies than cold"},
    ],
)
def test_what_is_not_verbatim_is_rejected(item: Any) -> None:
    assert grounded(item, TEXT) is None


def test_unknown_types_and_talk_around() -> None:
    found = grounded({**GOOD, "type": "prophecy"}, TEXT)
    assert found is not None
    assert found.type == "unknown"
    assert listed("Here: [1] ok") == [1]


def test_endpoint_must_be_an_address() -> None:
    with pytest.raises(ConfigurationError, match="no http"):
        Abstractive("file:///etc", "m")
