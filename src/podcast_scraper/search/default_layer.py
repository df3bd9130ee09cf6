"""The retrieval layer as the product runs it: what measured best on the development sets.

``docs/rfc/100-evaluation.md`` has the figures and the command that makes them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from podcast_scraper.search.fusion import DEFAULT_FUSION, fusion_named
from podcast_scraper.search.known_names import KnownNames
from podcast_scraper.search.neighbours import neighbour_weights
from podcast_scraper.search.rerank.linear import LinearReranker
from podcast_scraper.search.retrieval import RetrievalLayer

if TYPE_CHECKING:
    from podcast_scraper.search.backend import SearchBackend


def default_layer(backend: SearchBackend, **parts: Any) -> RetrievalLayer:
    """Return a layer with the default parts; ``parts`` override them."""
    defaults = {
        "known_name": KnownNames(backend),
        "fusion": fusion_named(DEFAULT_FUSION),
        "neighbours": neighbour_weights,
        "reranker": LinearReranker(),
    }
    return RetrievalLayer(backend, **{**defaults, **parts})
