"""Intents of queries, against labels given by people."""

from __future__ import annotations

import json

import pytest

from podcast_scraper.search.router import INTENTS, classify_query, signal_weights_for
from tests.shared_data import shared


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("Ada Lovelace", "entity_lookup"),
        ("who is Ada Lovelace?", "entity_lookup"),
        ("what did Ada say about engines", "raw_evidence"),
        ("“a loom for numbers”", "raw_evidence"),
        ("how has her view of engines changed", "temporal_tracking"),
        ("where do the hosts disagree on engines", "cross_show_synthesis"),
        ("why engines need steam", "semantic"),
        ("", "semantic"),
    ],
)
def test_intents(text: str, intent: str) -> None:
    assert classify_query(text) == intent


def test_a_name_is_found_by_its_letters() -> None:
    shares = {}
    for intent in INTENTS:
        weights = signal_weights_for(intent)
        shares[intent] = weights["vector"] / (weights["vector"] + weights["bm25"])
        # Scores of the base stay comparable between intents.
        assert weights["vector"] + weights["bm25"] == pytest.approx(2)
    assert shares.pop("entity_lookup") == pytest.approx(0.005)
    assert shares.pop("raw_evidence") == pytest.approx(0.4)
    assert set(shares.values()) == {0.5}


def test_labelled_queries() -> None:
    path = shared("identity/query-intents-dev.jsonl")
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    right = sum(classify_query(row["text"]) == row["intent"] for row in rows)
    assert right / len(rows) >= 0.9
