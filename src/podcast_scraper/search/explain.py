"""Why a document stands where it does: stage ranks, raw scores, contributions, bonuses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from podcast_scraper.search.retrieval import Retrieval

_STAGE_NAMES = {"bm25": "bm25", "vector": "dense", "kg": "kg"}


def explain(found: Retrieval, doc_id: str) -> dict[str, Any]:
    """Return the explanation of one base document.

    ``bm25`` and ``dense`` hold rank and raw score (None: not in that list); ``fusion`` what each
    list contributed to the fused score; ``neighbours`` what the documents next to it added;
    ``rerank`` and ``expander`` what moved it afterwards.
    """
    parts = found.contributions.get(doc_id, ())
    by_signal = {_STAGE_NAMES.get(part.signal, part.signal): part for part in parts}
    explanation: dict[str, Any] = {
        stage: {"rank": by_signal[stage].rank, "score": by_signal[stage].raw}
        if stage in by_signal
        else None
        for stage in ("bm25", "dense")
    }
    explanation["fusion"] = {
        "score": sum(part.value for part in parts),
        "contributions": [
            {
                "signal": stage,
                "weight": part.weight,
                "tier_weight": part.tier_weight,
                "value": part.value,
            }
            for stage, part in by_signal.items()
        ],
    }
    explanation["neighbours"] = found.neighbours.get(doc_id)
    explanation["rerank"] = found.rerank.get(doc_id)
    explanation["expander"] = found.bonuses.get(doc_id)
    return explanation
