"""Contexts over the sample corpus: within budget, in reading order, with their caveats."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from podcast_scraper.context import to_markdown
from podcast_scraper.errors import ConfigurationError, QueryError

if TYPE_CHECKING:
    from podcast_scraper.corpus import Corpus

WHY = "why did the bus change the town"


@pytest.mark.parametrize("selector", ["packed", "coe"])
@pytest.mark.parametrize("budget", [0, 60, 700])
def test_never_over_budget_and_counted_by_the_encoder(
    sample: Corpus, selector: str, budget: int
) -> None:
    made = sample.context(WHY, selector=selector, budget=budget)
    encoder = sample.index.encoder
    overhead = encoder.count_tokens("")
    assert made.tokens <= budget
    assert made.tokens == sum(encoder.count_tokens(p.text) - overhead for p in made.passages)
    assert (made.selector, made.budget, made.tokenizer) == (selector, budget, encoder.name)
    assert bool(made.passages) is (budget > 0)


def test_defaults_are_the_configured_ones(sample: Corpus) -> None:
    made = sample.context(WHY)
    assert (made.selector, made.budget) == ("packed", 10_000)
    assert sample.context(WHY, selector="coe").budget == 16_000
    assert sample.context(WHY, selector="none").budget is None


def test_grounded_first_then_rescued_then_the_rest(sample: Corpus) -> None:
    made = sample.context(WHY, graph="force", budget=4000)
    parts = [
        (2 if not passage.grounded else 1 if passage.rescued else 0) for passage in made.passages
    ]
    assert parts == sorted(parts)
    assert set(parts) == {0, 1, 2}
    rescued = sum(passage.rescued for passage in made.passages)
    assert f"{rescued} passages were found through the graph alone." in made.notes
    assert made.coverage["rescued"] == rescued
    assert made.gate.fired


def test_a_passage_says_who_where_and_when(sample: Corpus) -> None:
    passage = sample.context("robot pulled up the leeks", budget=200).passages[0]
    assert passage.speakers
    assert passage.speakers[0]["name"] == sample.graph.label(passage.speakers[0]["id"])
    assert passage.episode["id"] in sample.catalog.episodes()
    assert passage.show["title"]
    assert passage.start is not None


def test_markdown_ends_with_the_coverage(sample: Corpus) -> None:
    made = sample.context(WHY, budget=300)
    text = to_markdown(made)
    assert text.startswith(f"# {WHY}\n\n[1] ")
    tail = text.partition("## Coverage")[2]
    assert f"{len(made.passages)} passages, {made.tokens} tokens" in tail
    assert all(passage.text in text for passage in made.passages)


def test_filters_hold(sample: Corpus) -> None:
    made = sample.context(WHY, graph="force", budget=2000, shows=("podcast:desire-lines",))
    assert {passage.show["id"] for passage in made.passages} == {"podcast:desire-lines"}


def test_what_cannot_be_asked(sample: Corpus) -> None:
    with pytest.raises(QueryError, match="no words"):
        sample.context("show:desire-lines")
    with pytest.raises(ConfigurationError, match="budget"):
        sample.context(WHY, budget=-1)
    with pytest.raises(ConfigurationError, match="spends no budget"):
        sample.context(WHY, selector="none", budget=10)
