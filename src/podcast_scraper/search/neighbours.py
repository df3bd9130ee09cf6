"""Speech says one thing over several windows: a document's score takes in those of its neighbours.

A window that answers a question is seldom alone: the windows before and after it are about the same
thing, in other words. So a fused score gets a share of the scores of the documents next to it in
the same episode and tier: local context, as sentence retrieval uses it (Fernández, Losada and
Azzopardi, Information Retrieval 14, 2011). ``docs/rfc/100-evaluation.md``
has what it is worth.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from podcast_scraper.search.backend import Filters, ScoredResult

# Shares taken from the documents one, two, … places before and after. Within one episode people
# look for the stretch where something is discussed; over a corpus also for single remarks, which a
# wide share would drown.
WITHIN_EPISODE: Final = (0.5, 0.3, 0.15)
OVER_CORPUS: Final = (0.3, 0.1)


def neighbour_weights(filters: Filters) -> tuple[float, ...]:
    """Return the weights for a search: those of one episode where the filters leave only one."""
    return WITHIN_EPISODE if len(filters.episodes) == 1 else OVER_CORPUS


def shares_of_neighbours(
    results: Sequence[ScoredResult], weights: Sequence[float]
) -> dict[str, float]:
    """Return document id → what its neighbours add to its score; 0 adds nothing and is left out.

    Neighbours are found among ``results`` by the payload's ``episode_id`` and ``ordinal``; a
    document that was not retrieved counts 0, one without an ordinal has no neighbours. Scores are
    on any scale that starts at 0.
    """
    places: dict[tuple[str, str], dict[int, ScoredResult]] = defaultdict(dict)
    for result in results:
        if result.payload.get("ordinal") is not None:
            episode = (result.source_tier, result.payload["episode_id"])
            places[episode][result.payload["ordinal"]] = result
    shares: dict[str, float] = {}
    for row in places.values():
        for ordinal, result in row.items():
            share = sum(
                weight * row[ordinal + step].score
                for distance, weight in enumerate(weights, start=1)
                for step in (-distance, distance)
                if ordinal + step in row
            )
            if share:
                shares[result.doc_id] = share
    return shares


def add_shares(results: Sequence[ScoredResult], shares: Mapping[str, float]) -> list[ScoredResult]:
    """Return the results with their shares added, ranked anew, ties by id."""
    scored = [
        (-(result.score + shares.get(result.doc_id, 0.0)), result.doc_id, result)
        for result in results
    ]
    scored.sort(key=lambda entry: entry[:2])
    return [
        result.moved(-negative, rank) for rank, (negative, _, result) in enumerate(scored, start=1)
    ]
