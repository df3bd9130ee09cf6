"""Chunking and linking a whole corpus, held to what its raw files say."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from podcast_scraper.artifacts.reading import open_reading
from podcast_scraper.search.chunker import chunk_transcript
from podcast_scraper.search.insight_documents import insight_documents
from podcast_scraper.search.linking import link_documents
from tests.search.episodes import WordTokens
from tests.shared_data import shared

if TYPE_CHECKING:
    from podcast_scraper.search.documents import Document

Documents = dict[str, tuple[list["Document"], list["Document"]]]


@pytest.fixture(scope="module")
def documents() -> Documents:
    """Segment and insight documents of each episode of the corpus, linked."""
    found: Documents = {}
    for record in open_reading(shared("corpora/nine-shows-v3")).episodes():
        segments = chunk_transcript(record, WordTokens(512))
        found[record.episode_id] = link_documents(segments, insight_documents(record), record)
    return found


@pytest.fixture(scope="module")
def files() -> dict[str, dict[str, Any]]:
    """The GI file of each episode, with its transcript as ``transcript``."""
    found = {}
    for path in shared("corpora/nine-shows-v3").rglob("*.gi.json"):
        file = json.loads(path.read_text("utf-8"))
        name = path.name.replace(".gi.json", ".txt")
        (text,) = path.parent.parent.rglob(name)
        file["transcript"] = text.read_text("utf-8")
        found[file["episode_id"].removeprefix("episode:")] = file
    return found


def test_every_insight_is_a_document(documents: Documents, files: dict[str, Any]) -> None:
    assert len(documents) == len(files) == 36
    for episode_id, (_, insights) in documents.items():
        texts = [
            n["properties"]["text"] for n in files[episode_id]["nodes"] if n["type"] == "Insight"
        ]
        assert sorted(document.text for document in insights) == sorted(texts)


def test_the_words_of_a_transcript_are_in_its_documents(
    documents: Documents, files: dict[str, Any]
) -> None:
    for episode_id, (segments, _) in documents.items():
        text = files[episode_id]["transcript"]
        held: set[int] = set()
        for document in segments:
            assert document.char_start is not None
            assert document.char_end is not None
            assert text[document.char_start : document.char_end] == document.text
            held.update(range(document.char_start, document.char_end))
        assert {place for place, char in enumerate(text) if not char.isspace()} <= held
        assert {document.kind for document in segments} <= {"speech", "ad"}
        assert all(document.start is not None for document in segments)


def test_grounded_insights_are_linked_to_the_text_of_their_quotes(
    documents: Documents, files: dict[str, Any]
) -> None:
    linked = 0
    for episode_id, (segments, insights) in documents.items():
        nodes = {node["id"]: node for node in files[episode_id]["nodes"]}
        edges = [e for e in files[episode_id]["edges"] if e["type"] == "SUPPORTED_BY"]
        by_id = {document.doc_id: document for document in segments}
        for insight in insights:
            own = insight.doc_id.partition("@")[0]
            quotes = [nodes[e["to"]]["properties"]["text"] for e in edges if e["from"] == own]
            texts = [by_id[doc_id].text for doc_id in insight.linked]
            assert insight.grounded == bool(quotes)
            verbatim = [quote for quote in quotes if quote in files[episode_id]["transcript"]]
            assert bool(texts) == bool(verbatim)
            for quote in verbatim:
                assert any(" ".join(quote.split()) in " ".join(text.split()) for text in texts)
            assert all(insight.doc_id in by_id[doc_id].linked for doc_id in insight.linked)
            linked += bool(texts)
    assert linked > 50
