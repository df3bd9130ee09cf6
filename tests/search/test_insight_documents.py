from __future__ import annotations

import pytest

from podcast_scraper.search.insight_documents import insight_documents, quotes_of_insights
from tests.search.episodes import edge, episode, node

NODES = (
    node(
        "insight:1", "insight", 0.75,
        text="Compost needs air.", insight_type="claim", grounded=False,
    ),
    node("insight:2", "insight", text="Nobody said this.", grounded=True, position_hint=0.9),
    node("insight:3", "insight", text="  "),
    node("quote:late", "quote", text="one two three four five six", start_ms=90_000, end_ms=95_000),
    node(
        "quote:early", "quote", text="one two", start_ms=30_500, end_ms=40_000,
        char_start=12, char_end=19,
    ),
    node("person:ada", "person", name="Ada"),
    node("person:ben", "person", name="Ben"),
    node("org:bloom", "org", name="Bloom"),
    node("topic:compost", "topic", label="compost"),
)  # fmt: skip
EDGES = (
    edge("SUPPORTED_BY", "insight:1", "quote:late"),
    edge("SUPPORTED_BY", "insight:1", "quote:early"),
    edge("SUPPORTED_BY", "insight:2", "quote:nowhere"),
    edge("SPOKEN_BY", "quote:early", "person:ada"),
    edge("SPOKEN_BY", "quote:late", "person:ben"),
    edge("ABOUT", "insight:1", "topic:compost"),
    edge("ABOUT", "insight:1", "topic:compost"),
    edge("MENTIONS_PERSON", "insight:1", "person:ada"),
    edge("MENTIONS_ORG", "insight:1", "org:bloom"),
    edge("MENTIONS", "insight:2", "org:bloom"),
    edge("MENTIONS", "insight:2", "topic:compost"),
)


def test_everything_that_the_graph_says_of_an_insight() -> None:
    document = insight_documents(episode(nodes=NODES, edges=EDGES, duration=120.0))[0]
    assert (document.doc_id, document.tier) == ("insight:1", "insight")
    assert (document.episode_id, document.show_id) == ("ep:1", "podcast:soil")
    assert document.published == "2024-03-05"
    assert document.text == "Compost needs air."
    assert (document.insight_type, document.confidence) == ("claim", 0.75)
    # Ben's quote has 6 of the 8 words; the file's "grounded: false" yields to the edges.
    assert document.speakers == ("person:ben", "person:ada")
    assert document.speaker_share == pytest.approx(6 / 8)
    assert document.grounded is True
    assert document.topics == ("topic:compost",)
    assert document.mentions == ("person:ada", "org:bloom")
    assert (document.start, document.end) == (30.5, 40.0)
    assert (document.char_start, document.char_end) == (12, 19)
    # The mean of 30.5 s and 90 s, of 120 s.
    assert document.position_hint == pytest.approx(60.25 / 120)


def test_an_insight_without_quotes() -> None:
    document = insight_documents(episode(nodes=NODES, edges=EDGES))[1]
    assert document.grounded is False
    assert (document.start, document.end, document.speakers) == (None, None, ())
    assert document.speaker_share is None
    assert document.position_hint == 0.9
    assert document.mentions == ("org:bloom",)
    assert document.topics == ()


def test_an_insight_without_text_is_no_document() -> None:
    found = insight_documents(episode(nodes=NODES, edges=EDGES))
    assert [document.doc_id for document in found] == ["insight:1", "insight:2"]


def test_quotes_are_ordered_by_time() -> None:
    quotes = quotes_of_insights(episode(nodes=NODES, edges=EDGES))
    assert [quote.id for quote in quotes["insight:1"]] == ["quote:early", "quote:late"]


def test_insights_are_numbered_in_the_order_of_speech() -> None:
    nodes = [node(f"insight:{name}", "insight", text=name) for name in "abc"]
    nodes.append(node("quote:a", "quote", text="x", start_ms=9000))
    nodes.append(node("quote:c", "quote", text="y", start_ms=3000))
    edges = [edge("SUPPORTED_BY", f"insight:{name}", f"quote:{name}") for name in "ac"]
    found = insight_documents(episode(nodes=nodes, edges=edges))
    assert {document.text: document.ordinal for document in found} == {"a": 1, "b": None, "c": 0}


def test_no_duration_gives_no_position() -> None:
    assert insight_documents(episode(nodes=NODES, edges=EDGES))[0].position_hint is None
