"""The product's first stages and fusions as systems: what a user's query runs through."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from podcast_scraper.embed.cross_encoder import open_cross_encoder
from podcast_scraper.errors import UsageError
from podcast_scraper.evaluate.systems import Ranking, register
from podcast_scraper.search.default_layer import default_layer
from podcast_scraper.search.fusion import FUSIONS, fusion_named
from podcast_scraper.search.neighbours import neighbour_weights
from podcast_scraper.search.rerank.cross_encoder import DEPTH, CrossEncoderReranker
from podcast_scraper.search.rerank.linear import LinearReranker
from podcast_scraper.search.retrieval import RetrievalLayer, Signals

if TYPE_CHECKING:
    from podcast_scraper.evaluate.sets import SetItem
    from podcast_scraper.evaluate.systems import System
    from podcast_scraper.evaluate.workbench import Workbench
    from podcast_scraper.search.tail import Reranker


class LayerSystem:
    """A retrieval layer over a workbench; ``signals`` as in :meth:`RetrievalLayer.run`."""

    def __init__(
        self, workbench: Workbench, layer: RetrievalLayer, signals: Signals = "hybrid"
    ) -> None:
        self._workbench = workbench
        self._layer = layer
        self._signals = signals

    def rank(self, query: SetItem, k: int) -> Ranking:
        """Answer with the base: single documents, before they are joined into cards."""
        embedding, timings = None, {}
        if self._signals != "bm25":
            embedding, timings["encode"] = self._workbench.embed(query)
        started = time.perf_counter()
        filters = self._workbench.filters_for(query)
        found = self._layer.run(query.text, embedding, filters=filters, signals=self._signals)
        doc_ids = self._workbench.to_set_ids(result.doc_id for result in found.base)
        timings |= found.timings_ms
        elapsed = (time.perf_counter() - started) * 1000
        timings["all"] = elapsed + timings.get("encode", 0.0)
        return Ranking(doc_ids[:k], timings)


def layer_over(workbench: Workbench, **parts: Any) -> RetrievalLayer:
    """A layer of the product over a workbench's index; ``parts`` are its constructor's."""
    return RetrievalLayer(workbench.backend, pool_k=workbench.pool_k, **parts)


@register("bm25", "BM25 alone")
def bm25(workbench: Workbench, parameter: str | None) -> System:
    return LayerSystem(workbench, layer_over(workbench), "bm25")


@register("dense", "dense vectors alone")
def dense(workbench: Workbench, parameter: str | None) -> System:
    return LayerSystem(workbench, layer_over(workbench), "vector")


@register(
    "hybrid",
    "what the product runs; or one fusion, alone or with neighbours",
    parameter=f"{'|'.join(FUSIONS)}[+neighbours]",
)
def hybrid(workbench: Workbench, parameter: str | None) -> System:
    if parameter is None:
        return LayerSystem(workbench, default_layer(workbench.backend, pool_k=workbench.pool_k))
    name, plus, extra = parameter.partition("+")
    if plus and extra != "neighbours":
        raise UsageError(f"A fusion goes with +neighbours, not +{extra}.", subject=parameter)
    neighbours = neighbour_weights if plus else None
    # One fusion is looked at, not what an intent makes of its weights.
    layer = layer_over(
        workbench, fusion=fusion_named(name), neighbours=neighbours, router=lambda _: "semantic"
    )
    return LayerSystem(workbench, layer)


@register(
    "hybrid+rerank",
    "hybrid with the head reordered: linear, or cross-encoder (top 20 unless a depth is named)",
    parameter="linear|cross-encoder[@DEPTH]",
)
def hybrid_rerank(workbench: Workbench, parameter: str | None) -> System:
    layer = default_layer(
        workbench.backend, reranker=_reranker(parameter or "linear"), pool_k=workbench.pool_k
    )
    return LayerSystem(workbench, layer)


def _reranker(parameter: str) -> Reranker:
    name, _, depth = parameter.partition("@")
    if name == "linear" and not depth:
        return LinearReranker()
    if name == "cross-encoder" and (depth.isdecimal() or not depth):
        return CrossEncoderReranker(open_cross_encoder(), depth=int(depth or DEPTH))
    raise UsageError(
        f"There is no reranker {parameter}.",
        mend="Name linear, cross-encoder or cross-encoder@DEPTH.",
        subject=parameter,
    )
