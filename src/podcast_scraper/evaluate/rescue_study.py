"""What rescue is worth on a set: beyond the base, at the front, and inside a token budget.

All figures are means over the queries of a set, from rankings that were already made.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from podcast_scraper.evaluate.measures import MeasureInput, measure
from podcast_scraper.evaluate.statistics import PairedTest, paired_test

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from podcast_scraper.evaluate.sets import Qrels
    from podcast_scraper.evaluate.systems import Ranking


@dataclass(frozen=True, slots=True)
class RescueStudy:
    """``relevant`` judgements in all, those that the base lacks, those of them that were rescued.

    Recall is the mean of each query's share. ``promotion`` is nDCG@10 of an oracle that moves every
    rescued relevant document to the front, against the union as it is. ``budgets`` maps tokens to
    the recall of what a selector chose.
    """

    relevant: int
    missing: int
    rescued_relevant: int
    rescued: int
    base_recall: float
    union_recall: float
    promotion: PairedTest
    budgets: Mapping[int, float]


def study(rankings: Mapping[str, Ranking], qrels: Qrels) -> RescueStudy:
    """Look at what one system rescued. Queries without a relevant document count 0 in recalls."""
    relevant = {query: _relevant(qrels[query]) for query in rankings}
    missing = rescued_relevant = 0
    base_recalls, union_recalls = [], []
    for query, ranking in rankings.items():
        wanted = relevant[query]
        base = [doc for doc in ranking.doc_ids if doc not in ranking.rescued]
        missing += len(wanted.difference(base))
        rescued_relevant += len(wanted & ranking.rescued)
        base_recalls.append(_recall(base, wanted))
        union_recalls.append(_recall(ranking.doc_ids, wanted))
    return RescueStudy(
        relevant=sum(map(len, relevant.values())),
        missing=missing,
        rescued_relevant=rescued_relevant,
        rescued=sum(len(ranking.rescued) for ranking in rankings.values()),
        base_recall=_mean(base_recalls),
        union_recall=_mean(union_recalls),
        promotion=_promotion(rankings, qrels),
        budgets=_budgets(rankings, relevant),
    )


def _promotion(rankings: Mapping[str, Ranking], qrels: Qrels) -> PairedTest:
    promoted = {
        query: sorted(
            ranking.doc_ids,
            key=lambda doc: not (doc in ranking.rescued and qrels[query].get(doc, 0) > 0),
        )
        for query, ranking in rankings.items()
    }
    judged = {query: qrels[query] for query in rankings}
    values = [
        measure(["nDCG@10"], MeasureInput(ranked, judged, {}))["nDCG@10"]
        for ranked in (promoted, {query: one.doc_ids for query, one in rankings.items()})
    ]
    return paired_test([values[0][query] for query in rankings], [values[1][q] for q in rankings])


def _budgets(
    rankings: Mapping[str, Ranking], relevant: Mapping[str, frozenset[str]]
) -> dict[int, float]:
    budgets = sorted({budget for one in rankings.values() for budget in one.budget_curve})
    return {
        budget: _mean(
            [
                _recall(one.budget_curve.get(budget, ()), relevant[query])
                for query, one in rankings.items()
            ]
        )
        for budget in budgets
    }


def _relevant(grades: Mapping[str, int]) -> frozenset[str]:
    return frozenset(doc for doc, grade in grades.items() if grade > 0)


def _recall(found: Sequence[str], relevant: frozenset[str]) -> float:
    return len(relevant.intersection(found)) / len(relevant) if relevant else 0.0


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
