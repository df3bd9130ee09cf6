"""Learning the linear reranker on development sets: listwise, deterministic, with its record.

The loss of a query is the cross-entropy between its normalised grades and the softmax of the scores
(ListNet's top-one loss; Cao, Qin, Liu, Tsai and Li, ICML 2007). Every set has the same weight
whatever its size. A quadratic penalty pulls towards the fusion that the model starts from, so that
a feature must earn its weight.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scipy import optimize

from podcast_scraper.evaluate.spans import to_judged_ids
from podcast_scraper.search.default_layer import default_layer
from podcast_scraper.search.neighbours import OVER_CORPUS, WITHIN_EPISODE
from podcast_scraper.search.rerank.features import FEATURES, feature_matrix
from podcast_scraper.search.rerank.linear import HEAD

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from podcast_scraper.evaluate.workbench import Workbench
    from podcast_scraper.search.backend import ScoredResult
    from podcast_scraper.search.tail import RerankQuery

PENALTY: Final = 1e-3
# The softmax needs room: min-max scores lie in 0..1, and e^1 is no preference.
_SCALE: Final = 6.0


@dataclass(frozen=True, slots=True)
class Example:
    """One query: its head's features, shape ``(documents, features)``; grades that sum to 1.

    ``doc_ids`` are those of the index, in the order of the rows.
    """

    features: NDArray[np.float64]
    grades: NDArray[np.float64]
    query_id: str = ""
    doc_ids: tuple[str, ...] = ()


class _Recorder:
    """A reranker that keeps what it is shown and changes nothing."""

    name = "recorder"

    def __init__(self) -> None:
        self.seen: tuple[NDArray[np.float64], list[str]] | None = None

    def rerank(
        self, query: RerankQuery
    ) -> tuple[list[ScoredResult], Mapping[str, Mapping[str, Any]]]:
        head = [one.doc_id for one in query.base[:HEAD]]
        self.seen = feature_matrix(query, HEAD), head
        return list(query.base), {}


def examples_of(workbench: Workbench) -> list[Example]:
    """Run every query of a set through the product's layer and keep what a reranker would see.

    A query without a relevant document among the head teaches nothing and is left out.
    """
    recorder = _Recorder()
    # No name is known: what a known name is ranked by is not up to a reranker.
    layer = default_layer(
        workbench.backend, reranker=recorder, known_name=None, pool_k=workbench.pool_k
    )
    examples: list[Example] = []
    for query in workbench.query_set.queries:
        recorder.seen = None
        layer.run(query.text, workbench.embed(query)[0], filters=workbench.filters_for(query))
        if recorder.seen is None:
            continue
        features, doc_ids = recorder.seen
        judged = workbench.query_set.qrels[query.id]
        grades = np.array([_grade(workbench, doc_id, judged) for doc_id in doc_ids])
        if grades.sum() > 0:
            examples.append(Example(features, grades / grades.sum(), query.id, tuple(doc_ids)))
    return examples


def _grade(workbench: Workbench, doc_id: str, judged: Mapping[str, int]) -> float:
    """The best grade of what a document answers, by its id or by a span; 0 where nothing."""
    names = to_judged_ids(workbench.to_set_ids([doc_id]), judged, workbench.span_of)
    return float(max(0, *(judged.get(name, 0) for name in names)))


def start_weights(scope: str) -> NDArray[np.float64]:
    """The weights that make the default fusion with its neighbours: where learning starts."""
    shares = WITHIN_EPISODE if scope == "episode" else OVER_CORPUS
    row = dict.fromkeys(FEATURES, 0.0)
    for stage in ("bm25", "vector"):
        row[stage] = 1.0
        for distance, share in enumerate(shares, start=1):
            row[f"{stage} {distance}-{distance} away"] = share
    return _SCALE * np.array(list(row.values()))


def learn(sets: Sequence[Sequence[Example]], scope: str) -> NDArray[np.float64]:
    """Return one weight a feature, learnt on several sets of examples by L-BFGS from a fixed start.

    Nothing is drawn at random: the same examples give the same weights.
    """
    start = start_weights(scope)
    weighted = [(one, 1.0 / len(examples)) for examples in sets for one in examples]

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        distance = weights - start
        total = PENALTY * float(distance @ distance)
        gradient = 2 * PENALTY * distance
        for example, share in weighted:
            scores = example.features @ weights
            exponents = np.exp(scores - scores.max())
            softmax = exponents / exponents.sum()
            total -= share * float(example.grades @ np.log(softmax + 1e-12))
            gradient -= share * example.features.T @ (example.grades - softmax)
        return total, gradient

    found = optimize.minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 100})
    learnt: NDArray[np.float64] = np.round(found.x, 4)
    return learnt
