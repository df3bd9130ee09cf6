"""The slots after fusion: a reranker of the base, and the tail that graph rescue appends."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from podcast_scraper.search.backend import Filters, ScoredResult, Tier
    from podcast_scraper.search.fusion import Contribution
    from podcast_scraper.search.rescue.records import RescueRetrieval


GraphMode = Literal["off", "auto", "force"]


@dataclass(frozen=True, slots=True)
class GateState:
    """The policy decision of one query, as results show it.

    ``auto`` holds what mode ``auto`` says (fired, reasons, vetoed_by), whatever the mode is;
    ``confidence_threshold`` is the cosine below which a query is unconfident.
    """

    mode: str = "off"
    fired: bool = False
    reasons: tuple[str, ...] = ()
    vetoed_by: str | None = "mode-off"
    agreement: float | None = None
    confidence: float | None = None
    confidence_threshold: float | None = None
    auto: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class TailQuery:
    """What a tail may look at: the query, the base in its final order, the raw first stages.

    ``agreement`` (Jaccard of the two top-10 id sets) and ``confidence`` (cosine of the dense top
    hit) come from the raw stages and are None where a stage is missing or empty. ``fused`` tells
    whether RRF made the scores of the base.
    """

    text: str
    embedding: NDArray[np.float32] | None
    base: Sequence[ScoredResult]
    agreement: float | None
    confidence: float | None
    filters: Filters
    mode: str | None = None
    fused: bool = True
    tier: Tier = "all"


@dataclass(frozen=True, slots=True)
class Tail:
    """The base (its order changed by the expander's bounded bonus alone) and what is appended.

    ``union`` gives the retrieval that selectors spend budgets over; it is made on demand, since
    most queries are never selected from.
    """

    base: Sequence[ScoredResult]
    rescued: Sequence[ScoredResult] = ()
    gate: GateState = field(default_factory=GateState)
    lanes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    bonuses: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    union: Callable[[], RescueRetrieval] | None = None


class RescueTail(Protocol):
    """Appends what the graph found below the base; never fuses."""

    def extend(self, query: TailQuery) -> Tail: ...


@dataclass(frozen=True, slots=True)
class RerankQuery:
    """What a reranker may look at: ``base`` has payloads and the scores of the fusion's own scale.

    ``contributions`` hold rank and raw score of each document in each first stage.
    """

    text: str
    base: Sequence[ScoredResult]
    contributions: Mapping[str, tuple[Contribution, ...]]
    filters: Filters


class Reranker(Protocol):
    """Reorders the head of the base and nothing else; returns the same documents.

    The notes, by document id, are for the explanation; none means that nothing was reordered, and
    the base keeps its scale.
    """

    name: str

    def rerank(
        self, query: RerankQuery
    ) -> tuple[list[ScoredResult], Mapping[str, Mapping[str, Any]]]: ...
