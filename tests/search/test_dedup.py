"""Compound results: what is joined, what stays, and in which order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from podcast_scraper.search.backend import CompoundResult, ScoredResult
from podcast_scraper.search.dedup import Card, deduplicate


def segment(name: str, rank: int, *insights: str) -> ScoredResult:
    return ScoredResult(name, 1 / rank, rank, {"linked_insight_ids": insights}, "rrf", "segment")


def insight(name: str, rank: int, source: str | None = None) -> ScoredResult:
    return ScoredResult(name, 1 / rank, rank, {"source_segment_id": source}, "rrf", "insight")


def shape(cards: list[Card]) -> list[object]:
    return [
        (c.segment.doc_id, c.insight.doc_id, *(a.doc_id for a in c.attached))
        if isinstance(c, CompoundResult)
        else c.doc_id
        for c in cards
    ]


def test_a_pair_takes_the_better_place_and_score() -> None:
    cards = deduplicate([segment("x", 1), insight("i", 2, "s"), segment("y", 3), segment("s", 4)])
    assert shape(cards) == ["x", ("s", "i"), "y"]
    pair = cards[1]
    assert (pair.doc_id, pair.rank, pair.score) == ("i", 2, 0.5)


def test_links_may_come_from_either_side() -> None:
    assert shape(deduplicate([segment("s", 1, "i"), insight("i", 2)])) == [("s", "i")]
    assert shape(deduplicate([insight("i", 1, "s"), segment("s", 2)])) == [("s", "i")]


def test_one_headline_the_others_stay_attached() -> None:
    cards = deduplicate(
        [insight("i2", 1, "s"), segment("z", 2), segment("s", 3), insight("i1", 4, "s")]
    )
    assert shape(cards) == [("s", "i2", "i1"), "z"]


def test_a_segment_is_consumed_once() -> None:
    overlapping = ScoredResult("i", 0.5, 2, {"source_segment_ids": ("s1", "s2")}, "rrf", "insight")
    cards = deduplicate([segment("s1", 1), overlapping, segment("s2", 3)])
    assert shape(cards) == [("s1", "i"), "s2"]


def test_nothing_linked_nothing_changed() -> None:
    results = [segment("s", 1, "absent"), insight("i", 2, "gone"), insight("j", 3)]
    assert deduplicate(results) == results
    assert deduplicate([]) == []


names = st.lists(st.sampled_from(["s1", "s2", "s3", "i1", "i2", "i3", "i4"]), unique=True)


@given(
    names,
    st.dictionaries(
        st.sampled_from(["i1", "i2", "i3", "i4"]), st.sets(st.sampled_from(["s1", "s2", "s3"]))
    ),
)
def test_every_document_appears_exactly_once(order: list[str], links: dict[str, set[str]]) -> None:
    results = [
        segment(name, rank)
        if name.startswith("s")
        else ScoredResult(
            name,
            1 / rank,
            rank,
            {"source_segment_ids": sorted(links.get(name, ()))},
            "rrf",
            "insight",
        )
        for rank, name in enumerate(order, start=1)
    ]
    cards = deduplicate(results)
    flat = []
    for card in shape(cards):
        flat.extend([card] if isinstance(card, str) else card)
    assert sorted(flat) == sorted(order)
    assert [c.rank for c in cards] == sorted(c.rank for c in cards)
