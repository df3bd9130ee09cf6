from __future__ import annotations

from typing import Any

from podcast_scraper.search.documents import Document
from podcast_scraper.search.linking import link_documents
from tests.search.episodes import edge, episode, node


def segment(number: int, **place: Any) -> Document:
    return Document(f"segment:ep:1:{number}", "segment", "words", "ep:1", "podcast:soil", **place)


def insight(name: str) -> Document:
    return Document(f"insight:{name}", "insight", "words", "ep:1", "podcast:soil")


def link(
    segments: list[Document], quotes: dict[str, list[dict[str, Any]]]
) -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]], list[Document]]:
    """Link insights with these quotes; return the numbers that each side links to."""
    nodes, edges = [], []
    for name, places in quotes.items():
        nodes.append(node(f"insight:{name}", "insight", text="words"))
        for number, place in enumerate(places):
            quote = f"quote:{name}{number}"
            nodes.append(node(quote, "quote", text="words", **place))
            edges.append(edge("SUPPORTED_BY", f"insight:{name}", quote))
    insights = [insight(name) for name in quotes]
    linked_segments, linked_insights = link_documents(
        segments, insights, episode(nodes=nodes, edges=edges)
    )
    return (
        {d.doc_id[-1]: tuple(i[-1] for i in d.linked) for d in linked_segments},
        {d.doc_id[-1]: tuple(s[-1] for s in d.linked) for d in linked_insights},
        linked_insights,
    )


SEGMENTS = [
    segment(0, char_start=0, char_end=100, start=0.0, end=30.0),
    segment(1, char_start=80, char_end=200, start=25.0, end=60.0),
    segment(2, char_start=180, char_end=300, start=55.0, end=90.0),
]


def test_a_quote_lies_in_every_segment_that_contains_it() -> None:
    segments, insights, _ = link(
        SEGMENTS,
        {
            "a": [{"char_start": 10, "char_end": 80}],
            "b": [{"char_start": 80, "char_end": 100}],
        },
    )
    assert insights == {"a": ("0",), "b": ("0", "1")}
    assert segments == {"0": ("a", "b"), "1": ("b",), "2": ()}


def test_a_quote_that_a_cut_goes_through_lies_where_most_of_it_is() -> None:
    _, insights, _ = link(SEGMENTS, {"a": [{"char_start": 170, "char_end": 230}]})
    assert insights == {"a": ("2",)}


def test_offsets_win_over_times() -> None:
    place = {"char_start": 10, "char_end": 20, "start_ms": 70_000, "end_ms": 80_000}
    assert link(SEGMENTS, {"a": [place]})[1] == {"a": ("0",)}


def test_times_have_two_seconds_of_tolerance() -> None:
    by_time = [segment(0, start=0.0, end=30.0), segment(1, start=40.0, end=60.0)]
    quotes = {
        "a": [{"start_ms": 29_000, "end_ms": 32_000}],
        "b": [{"start_ms": 32_100, "end_ms": 35_000}],
        "c": [{"start_ms": 38_000, "end_ms": 62_000}],
    }
    assert link(by_time, quotes)[1] == {"a": ("0",), "b": (), "c": ("1",)}


def test_offsets_that_no_segment_knows_fall_back_to_times() -> None:
    by_time = [segment(0, start=0.0, end=30.0)]
    place = {"char_start": 10, "char_end": 20, "start_ms": 1_000, "end_ms": 2_000}
    assert link(by_time, {"a": [place]})[1] == {"a": ("0",)}


def test_the_segment_with_most_quotes_is_first() -> None:
    quotes = [
        {"char_start": 10, "char_end": 20},
        {"char_start": 210, "char_end": 220},
        {"char_start": 230, "char_end": 240},
    ]
    assert link(SEGMENTS, {"a": quotes})[1] == {"a": ("2", "0")}


def test_an_insight_from_advertisements_alone_is_an_advertisement() -> None:
    segments = [
        segment(0, char_start=0, char_end=100, kind="ad"),
        segment(1, char_start=101, char_end=200),
    ]
    ad, both = {"char_start": 10, "char_end": 20}, {"char_start": 110, "char_end": 120}
    _, _, insights = link(segments, {"a": [ad], "b": [ad, both], "c": []})
    assert [document.kind for document in insights] == ["ad", "speech", "speech"]


def test_unlocated_quotes_link_nothing() -> None:
    assert link(SEGMENTS, {"a": [{}], "b": []})[1] == {"a": (), "b": ()}
