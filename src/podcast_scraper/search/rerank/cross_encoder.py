"""Rescoring the head with a cross-encoder: the dearest stage, and the one that reads best.

Its logits mean nothing between queries, so they are normalised over the head, shared with
neighbours like a fused score, and mixed with the first stages' own score, which protects where the
cross-encoder is wrong.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from podcast_scraper.errors import ConfigurationError
from podcast_scraper.search.neighbours import neighbour_weights, shares_of_neighbours

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from podcast_scraper.embed.cross_encoder import CrossEncoder
    from podcast_scraper.search.backend import ScoredResult
    from podcast_scraper.search.tail import RerankQuery

DEPTH: Final = 20
FIRST_STAGE_SHARE: Final = 0.5


class CrossEncoderReranker:
    """Rescores the first ``depth`` documents. ``first_stage_share`` (0 to 1) of their score stays.

    Costs about a core-second for 18 pairs of the packaged model.
    """

    name = "cross-encoder"

    def __init__(
        self,
        model: CrossEncoder,
        *,
        depth: int = DEPTH,
        first_stage_share: float = FIRST_STAGE_SHARE,
    ) -> None:
        if depth < 1 or not 0 <= first_stage_share <= 1:
            raise ConfigurationError(
                "A rescore needs a depth of at least 1 and a first-stage share between 0 and 1.",
                subject=(depth, first_stage_share),
            )
        self._model = model
        self._depth = depth
        self._share = first_stage_share

    def rerank(
        self, query: RerankQuery
    ) -> tuple[list[ScoredResult], Mapping[str, Mapping[str, Any]]]:
        """Return the same documents in the new order; notes hold logit and earlier rank."""
        head = list(query.base[: self._depth])
        logits = self._model.score(query.text, [one.payload["text"] for one in head])
        read = [
            replace(one, score=float(score))
            for one, score in zip(head, _minmax(logits), strict=True)
        ]
        shares = shares_of_neighbours(read, neighbour_weights(query.filters))
        own = _minmax(np.array([one.score + shares.get(one.doc_id, 0.0) for one in read]))
        first = _minmax(np.array([one.score for one in head]))
        mixed = self._share * first + (1 - self._share) * own
        rescored = [
            replace(one, score=float(score)) for one, score in zip(head, mixed, strict=True)
        ]
        rescored.sort(key=lambda one: (-one.score, one.doc_id))
        notes = {
            one.doc_id: {"score": float(logit), "from_rank": one.rank}
            for one, logit in zip(head, logits, strict=True)
        }
        return [*rescored, *query.base[self._depth :]], notes


def _minmax(values: NDArray[Any]) -> NDArray[np.float64]:
    scaled = np.asarray(values, dtype=np.float64)
    if scaled.size == 0:
        return scaled
    spread = scaled.max() - scaled.min()
    return (scaled - scaled.min()) / spread if spread > 0 else np.ones_like(scaled)
