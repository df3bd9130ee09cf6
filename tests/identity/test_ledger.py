"""Decisions: what they mean, what they forbid, and that undoing restores what was there."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from podcast_scraper.errors import NotFoundError, UsageError
from podcast_scraper.identity.identity_map import IdentityMap
from podcast_scraper.identity.ledger import Decision, Ledger, Standing, replay
from podcast_scraper.storage.state import StateStore
from podcast_scraper.storage.store import store_at

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def ledger(tmp_path: Path, store_url: str | None) -> Iterator[Ledger]:
    store = StateStore(tmp_path / "state.sqlite", store_at(store_url))
    yield Ledger(store, clock=lambda: datetime(2024, 5, 1, tzinfo=UTC))
    store.close()


def canonical(ledger: Ledger, node_id: str, episode: str | None = None) -> str:
    return ledger.standing().identity.canonical(node_id, episode)


def test_nothing_decided_changes_nothing(ledger: Ledger) -> None:
    assert ledger.history() == []
    assert ledger.standing() == Standing()


def test_a_merge_and_its_history(ledger: Ledger) -> None:
    made = ledger.merge("person:bob", "person:robert", author="me", reason="same voice")
    assert canonical(ledger, "person:bob") == "person:robert"
    assert canonical(ledger, "person:robert") == "person:robert"
    assert ledger.history("person:robert") == [made]
    assert ledger.history("person:else") == []
    assert (made.author, made.reason) == ("me", "same voice")
    assert made.created == "2024-05-01T00:00:00.000000+00:00"


def test_merges_of_people_chain(ledger: Ledger) -> None:
    ledger.merge("person:a", "person:b", author="me")
    ledger.merge("person:b", "person:c", author="me")
    assert canonical(ledger, "person:a") == "person:c"


def test_undo_restores_and_stays_in_the_history(ledger: Ledger) -> None:
    made = ledger.merge("person:bob", "person:robert", author="me")
    undone = ledger.undo(made.uid, author="you", reason="two people")
    assert ledger.standing() == Standing()
    assert ledger.history() == [undone]
    assert (undone.undone_by, undone.undone_reason) == ("you", "two people")
    with pytest.raises(UsageError, match="already"):
        ledger.undo(made.uid, author="you")
    with pytest.raises(NotFoundError):
        ledger.undo("nope", author="you")


def test_a_split_takes_an_id_out_of_its_merge(ledger: Ledger) -> None:
    ledger.merge("person:bob", "person:robert", author="me")
    ledger.split("person:bob", author="me")
    assert canonical(ledger, "person:bob") == "person:bob"
    ledger.merge("person:bob", "person:rob", author="me")
    assert canonical(ledger, "person:bob") == "person:rob"


def test_a_split_by_episodes_gives_those_occurrences_their_own_id(ledger: Ledger) -> None:
    made = ledger.split("person:sam", episodes=["episode:e2", "e3", "e2"], author="me")
    assert (made.object, made.episodes) == ("person:sam~2", ("e2", "e3"))
    assert canonical(ledger, "person:sam", "e1") == "person:sam"
    assert canonical(ledger, "person:sam", "episode:e3") == "person:sam~2"
    assert canonical(ledger, "person:sam") == "person:sam"
    assert ledger.split("person:sam", episodes=["e9"], author="me").object == "person:sam~3"
    ledger.merge("person:sam~2", "person:samuel", author="me")
    assert canonical(ledger, "person:sam", "e2") == "person:samuel"


def test_a_split_of_what_was_merged_into(ledger: Ledger) -> None:
    ledger.merge("person:bob", "person:robert", author="me")
    ledger.split("person:robert", episodes=["e2"], author="me")
    assert canonical(ledger, "person:bob", "e2") == "person:robert~2"
    assert canonical(ledger, "person:bob", "e1") == "person:robert"


def test_aliases(ledger: Ledger) -> None:
    ledger.alias("person:sam", "  Sama ", author="me")
    assert ledger.standing().identity.aliases == (("person:sam", "Sama"),)


def test_contradictions_are_refused_and_change_nothing(ledger: Ledger) -> None:
    ledger.merge("person:a", "person:b", author="me")
    for forbidden in (
        lambda: ledger.merge("person:a", "person:c", author="me"),
        lambda: ledger.merge("person:b", "person:a", author="me"),
        lambda: ledger.not_same("person:a", "person:b", author="me"),
        lambda: ledger.merge("person:x", "person:x", author="me"),
        lambda: ledger.merge("person:x", "org:x", author="me"),
        lambda: ledger.merge("insight:1", "insight:2", author="me"),
        lambda: ledger.split("person:c", author="me"),
        lambda: ledger.alias("person:a", " ", author="me"),
        lambda: ledger.alias("nonsense", "x", author="me"),
        lambda: ledger.merge("person:x", "person:y", author=" "),
    ):
        with pytest.raises(UsageError):
            forbidden()
    assert len(ledger.history()) == 1


def test_not_same_forbids_a_merge_through_a_third(ledger: Ledger) -> None:
    ledger.not_same("person:b", "person:a", author="me")
    assert ledger.standing().apart == {frozenset({"person:a", "person:b"})}
    ledger.merge("person:a", "person:c", author="me")
    with pytest.raises(UsageError, match="not to be the same"):
        ledger.merge("person:b", "person:c", author="me")


def test_an_undo_that_would_leave_a_contradiction_is_refused(ledger: Ledger) -> None:
    ledger.merge("person:a", "person:b", author="me")
    split = ledger.split("person:a", author="me")
    ledger.merge("person:b", "person:a", author="me")
    with pytest.raises(UsageError):
        ledger.undo(split.uid, author="me")


def test_a_clock_set_back_keeps_the_order(tmp_path: Path) -> None:
    times = iter([datetime(2024, 5, 2, tzinfo=UTC), datetime(2024, 5, 1, tzinfo=UTC)])
    store = StateStore(tmp_path / "state.sqlite")
    ledger = Ledger(store, clock=lambda: next(times))
    first = ledger.merge("person:a", "person:b", author="me")
    second = ledger.split("person:a", author="me")
    assert ledger.history() == [first, second]
    store.close()


IDS = [f"person:{letter}" for letter in "abcd"]


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["merge", "split", "not-same"]),
            st.sampled_from(IDS),
            st.sampled_from(IDS),
        ),
        max_size=12,
    )
)
def test_what_holds_is_always_a_clean_map(steps: list[tuple[str, str, str]]) -> None:
    held: list[Decision] = []
    for number, (kind, subject, other) in enumerate(steps):
        made = Decision(str(number), kind, subject, other, (), "me", str(number), "")
        if subject == other:
            continue
        try:
            replay([*held, made])
        except UsageError:
            continue
        held.append(made)
    standing = replay(held)
    for node_id in IDS:
        end = standing.identity.canonical(node_id)
        assert standing.identity.canonical(end) == end
    for pair in standing.apart:
        assert len({standing.identity.canonical(i) for i in pair}) == 2
    if held:
        assert replay([]).identity == IdentityMap()


def test_plain_mappings_follow_chains_and_survive_cycles() -> None:
    chain = IdentityMap.of({"a": "b", "b": "c"})
    assert chain.canonical("a") == "c"
    cycle = IdentityMap.of({"x": "y", "y": "x"})
    assert cycle.canonical("x") == cycle.canonical("y")
