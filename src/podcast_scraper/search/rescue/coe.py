"""``coe``: a chain of evidence over hyperedges, then the base in rank order.

The greedy takes the rescued document, by one of its hyperedges h, with the largest gain::

    gain = (Σ activation of the seeds that h covers anew
            + 0.5 · share of h's nodes already in the chain
            − 0.5 · largest word overlap (Jaccard) with a text already chosen) / tokens

and stops at a gain ≤ 0. The base fills what is left of the budget. Without signals there is no
evidence to choose, and the base alone fills it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from podcast_scraper.search.rescue.packer import Packed, check_budget
from podcast_scraper.search.rescue.words import UNICODE_WORDS, distinct_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from podcast_scraper.search.rescue.records import (
        Candidate,
        HyperedgeSignal,
        HypergraphSignals,
    )
    from podcast_scraper.search.rescue.words import TokenCounter

CHAIN_WEIGHT: Final = 0.5
OVERLAP_WEIGHT: Final = 0.5


def select(
    union: Sequence[Candidate],
    signals: HypergraphSignals | None,
    budget: int,
    *,
    count_tokens: TokenCounter = UNICODE_WORDS,
) -> Packed:
    """Choose at most ``budget`` tokens (≥ 0): the base part in rank order, then the evidence.

    Candidates without text and those larger than what is left are passed over; the smaller ones
    after them still count.
    """
    check_budget(budget)
    tokens = {one.id: count_tokens(one.text) if one.text else 0 for one in union}
    evidence: list[Candidate] = []
    left = budget
    if signals is not None:
        rescued = {one.id: one for one in union if one.rescued and tokens[one.id] > 0}
        evidence = _chain(rescued, signals, tokens, left)
        left -= sum(tokens[one.id] for one in evidence)
    filled: list[Candidate] = []
    for candidate in union:
        if not candidate.rescued and 0 < tokens[candidate.id] <= left:
            filled.append(candidate)
            left -= tokens[candidate.id]
    return Packed((*filled, *evidence), budget - left)


def _chain(
    rescued: Mapping[str, Candidate],
    signals: HypergraphSignals,
    tokens: Mapping[str, int],
    budget: int,
) -> list[Candidate]:
    # In order of ids, so that the first of equal gains is the tie-break.
    links = sorted(
        (
            (hyperedge, document)
            for hyperedge in signals.hyperedges
            for document in hyperedge.documents
            if document in rescued
        ),
        key=lambda link: (link[0].id, link[1]),
    )
    overlap = dict.fromkeys(rescued, 0.0)
    covered: set[str] = set()
    chain: set[str] = set()
    chosen: list[Candidate] = []
    while True:
        best, best_gain = None, 0.0
        for hyperedge, document in links:
            if tokens[document] > budget:
                continue
            gain = _gain(hyperedge, signals.seeds, covered, chain) - (
                OVERLAP_WEIGHT * overlap[document]
            )
            gain /= tokens[document]
            if gain > best_gain:
                best, best_gain = (hyperedge, document), gain
        if best is None:
            return chosen
        hyperedge, document = best
        pick = rescued[document]
        chosen.append(pick)
        budget -= tokens[document]
        covered.update(node for node in hyperedge.nodes if node in signals.seeds)
        chain.update(hyperedge.nodes)
        links = [link for link in links if link[1] != document]
        for other in {link[1] for link in links}:
            overlap[other] = max(overlap[other], _jaccard(pick.text, rescued[other].text))


def _gain(
    hyperedge: HyperedgeSignal, seeds: Mapping[str, float], covered: set[str], chain: set[str]
) -> float:
    anew = sum(seeds[node] for node in hyperedge.nodes if node in seeds and node not in covered)
    share = sum(node in chain for node in hyperedge.nodes) / len(hyperedge.nodes)
    return anew + CHAIN_WEIGHT * share


def _jaccard(first: str, second: str) -> float:
    one, other = distinct_words(first), distinct_words(second)
    either = len(one | other)
    return len(one & other) / either if either else 0.0
