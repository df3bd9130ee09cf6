"""Decoration: more metadata, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from podcast_scraper.errors import ColumnError, ConfigurationError
from podcast_scraper.search.rescue.decoration import KgColumnDecorator, decorated
from podcast_scraper.search.rescue.packer import Packer
from podcast_scraper.search.rescue.records import Candidate

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

CANDIDATES = (
    Candidate("a", 1.0, "red green blue", {"tier": "segment"}, 0.02),
    Candidate("b", None, "red green pink", {"rescued": True}, 0.01),
)


def test_none_is_no_decoration() -> None:
    assert decorated(None, CANDIDATES) == CANDIDATES


@pytest.mark.parametrize(
    "tamper",
    [
        lambda them: list(reversed(them)),
        lambda them: them[:1],
        lambda them: [*them, them[0]],
        lambda them: [replace(them[0], score=0.9), them[1]],
        lambda them: [replace(them[0], selection_score=1.0), them[1]],
        lambda them: [replace(them[0], text="other"), them[1]],
        lambda them: [replace(them[0], id="c"), them[1]],
        lambda them: [them[0], replace(them[1], metadata={})],
        lambda them: [replace(them[0], metadata={"rescued": True}), them[1]],
    ],
)
def test_whatever_is_not_metadata_is_refused(
    tamper: Callable[[Sequence[Candidate]], Sequence[Candidate]],
) -> None:
    with pytest.raises(ConfigurationError, match="may only add metadata"):
        decorated(tamper, CANDIDATES)


def test_columns_by_id() -> None:
    decorator = KgColumnDecorator({"b": {"kg_node_ids": ["x"], "kg_node_centrality": [0.5]}})
    first, second = decorated(decorator, CANDIDATES)
    assert first is CANDIDATES[0]
    assert second.metadata == {
        "rescued": True,
        "kg_node_ids": ["x"],
        "kg_node_centrality": [0.5],
    }


@pytest.mark.parametrize(
    "columns", [{"kg_node_ids": "x"}, {"kg_nodes": ["x"]}, {"kg_node_centrality": [float("nan")]}]
)
def test_malformed_columns_are_loud(columns: dict[str, object]) -> None:
    with pytest.raises(ColumnError, match="candidate 'a'"):
        KgColumnDecorator({"a": columns})(CANDIDATES)


def test_precomputed_redundancy_is_what_the_packer_would_compute() -> None:
    texts = ["red green blue", "red green pink", "one two", "", "red one two green"]
    pool = [Candidate(f"d{n}", 1.0 / (n + 1), text) for n, text in enumerate(texts)]
    enriched = KgColumnDecorator({}, redundancy_key="redundancy")(pool)
    # d0 and d1 share 2 of 4 distinct words, d0 and d4 two of five.
    assert enriched[0].metadata["redundancy"] == {"d1": 0.5, "d2": 0.0, "d3": 0.0, "d4": 0.4}
    for weight in (0.3, 0.5, 0.9):
        packer = Packer(redundancy_weight=weight)
        plain = packer.pack(pool, 9)
        precomputed = packer.pack(list(enriched), 9)
        assert [one.id for one in plain.candidates] == [one.id for one in precomputed.candidates]
