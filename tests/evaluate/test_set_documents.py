"""A set's documents in the product's form: episodes, order, and windows of what is too long."""

from __future__ import annotations

from pathlib import Path

from podcast_scraper.evaluate.set_documents import episode_field, indexed_documents, parent_of
from podcast_scraper.evaluate.sets import QuerySet, SetItem


class WordEncoder:
    """Counts words as tokens and takes ten of them."""

    name = "words"
    dimension = 2
    max_tokens = 100
    fingerprint = "words@1"

    def count_tokens(self, text: str) -> int:
        return len(text.split()) + 2

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        spans, place = [], 0
        for word in text.split():
            start = text.index(word, place)
            place = start + len(word)
            spans.append((start, place))
        return spans


def query_set(*items: SetItem) -> QuerySet:
    return QuerySet("set", Path("set"), items, (), {})


def test_windows_of_a_meeting_follow_each_other() -> None:
    found = list(
        indexed_documents(
            query_set(
                SetItem("a#0", "one", {"meeting": "a"}),
                SetItem("b#0", "two", {"meeting": "b", "show": "s", "date": "2020-02-03"}),
                SetItem("a#1", "three", {"meeting": "a", "speakers": ["Ann Lee"]}),
            ),
            WordEncoder(),  # type: ignore[arg-type]
        )
    )
    placed = {d.doc_id: (d.episode_id, d.show_id, d.ordinal) for d in found}
    assert placed == {"a#0": ("a", "set", 0), "a#1": ("a", "set", 1), "b#0": ("b", "s", 0)}
    assert [d.published for d in found] == [None, None, "2020-02-03"]
    assert found[1].speakers == ("person:ann-lee",)


def test_known_times_give_the_order() -> None:
    items = [
        SetItem("late", "x", {"episode": "e", "start_ms": 5000}),
        SetItem("early", "y", {"episode": "e", "start_ms": 10}),
    ]
    found = indexed_documents(query_set(*items), WordEncoder())  # type: ignore[arg-type]
    assert [d.doc_id for d in found] == ["early", "late"]


def test_a_long_text_becomes_windows_that_lose_nothing() -> None:
    text = " ".join(f"w{i}" for i in range(250))
    found = list(indexed_documents(query_set(SetItem("talk", text)), WordEncoder()))  # type: ignore[arg-type]
    assert len(found) > 2
    assert {parent_of(d.doc_id) for d in found} == {"talk"}
    assert all(len(d.text.split()) + 2 <= 100 for d in found)
    assert {word for d in found for word in d.text.split()} == set(text.split())
    assert [d.ordinal for d in found] == list(range(len(found)))
    assert {d.episode_id for d in found} == {"talk"}


def test_the_restriction_names_the_episode() -> None:
    items = query_set(SetItem("a", "x", {"episode": "e", "chapter": "c", "show": "s"}))
    assert episode_field(items, None) == "episode"
    assert episode_field(items, "chapter") == "chapter"
    assert episode_field(items, "show") == "episode"
    assert episode_field(query_set(), None) is None
