"""A learned linear reranker: no weights to download, a model of a few dozen numbers.

``podcast-scraper eval train`` learns it; ``linear.json`` beside this module is what it learnt on
the development sets, with the record of its training. There is one row of weights for a search
within one episode and one for a search over a corpus, since the two ask for different things.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from podcast_scraper.errors import ModelError
from podcast_scraper.search.rerank.features import FEATURES, feature_matrix

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from podcast_scraper.search.backend import Filters, ScoredResult
    from podcast_scraper.search.tail import RerankQuery

# Documents of a query that are learnt from and reordered: those below hardly come to the page.
HEAD: Final = 60
# Features that an explanation names: the others together seldom move a rank.
PARTS: Final = 4
SCOPES: Final = ("episode", "corpus")
PACKAGED: Final = Path(__file__).with_name("linear.json")


@dataclass(frozen=True, slots=True)
class LinearModel:
    """``weights`` maps a scope to one weight a feature; ``training`` says what they came from."""

    weights: Mapping[str, tuple[float, ...]]
    training: Mapping[str, Any]

    def save(self, path: Path) -> None:
        """Write the model as JSON."""
        rows = {scope: dict(zip(FEATURES, row, strict=True)) for scope, row in self.weights.items()}
        text = json.dumps({"weights": rows, "training": self.training}, indent=1)
        path.write_text(text + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: Path = PACKAGED) -> LinearModel:
        """Read a model; ModelError where it is not one or knows other features."""
        try:
            stored = json.loads(path.read_text(encoding="utf-8"))
            weights = {
                scope: tuple(float(stored["weights"][scope][name]) for name in FEATURES)
                for scope in SCOPES
            }
            return cls(weights, stored["training"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ModelError(
                f"{path} is not a linear reranker of this version: {error!r}.",
                mend="Make one with `podcast-scraper eval train`.",
                subject=path,
            ) from error


def scope_of(filters: Filters) -> str:
    """Return the scope of a search: ``episode`` where the filters leave only one."""
    return "episode" if len(filters.episodes) == 1 else "corpus"


class LinearReranker:
    """Orders the first 60 of the base by a weighted sum of their features.

    A list that stands alone stays as it is.
    """

    name = "linear"

    def __init__(self, model: LinearModel | None = None) -> None:
        self._given = model

    @cached_property
    def _model(self) -> LinearModel:
        # Read when it first reranks: `eval train` runs where no packaged model fits the features.
        return self._given or LinearModel.load()

    def rerank(
        self, query: RerankQuery
    ) -> tuple[list[ScoredResult], Mapping[str, Mapping[str, Any]]]:
        """Return the same documents in the new order.

        Notes hold the score, the rank before, and ``parts``: what each feature adds to the score
        beyond what it adds to the average of these documents, the largest first.
        """
        signals = {part.signal for parts in query.contributions.values() for part in parts}
        if len(signals) < 2:
            return list(query.base), {}
        weights = self._model.weights[scope_of(query.filters)]
        parts = feature_matrix(query, HEAD) * np.array(weights)
        scores = parts.sum(axis=1)
        head = [
            replace(one, score=float(score))
            for one, score in zip(query.base[:HEAD], scores, strict=True)
        ]
        notes = {
            one.doc_id: {"score": round(one.score, 4), "from_rank": one.rank, "parts": beyond}
            for one, beyond in zip(head, _beyond_average(parts), strict=True)
        }
        head.sort(key=lambda one: (-one.score, one.doc_id))
        return [*head, *query.base[HEAD:]], notes


def _beyond_average(parts: NDArray[np.float64]) -> Iterator[dict[str, float]]:
    beyond = np.round(parts - parts.mean(axis=0), 3)
    largest = np.argsort(-np.abs(beyond), axis=1, kind="stable")[:, :PARTS]
    values = np.take_along_axis(beyond, largest, axis=1)
    for places, row in zip(largest.tolist(), values.tolist(), strict=True):
        yield {FEATURES[at]: value for at, value in zip(places, row, strict=True) if value}
