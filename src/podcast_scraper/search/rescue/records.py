"""The records of graph rescue: what goes in, what one retrieval gives, what a selection gives."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from podcast_scraper.search.tail import GateState as GateDecision

LaneName = Literal["traversal", "hypergraph"]
LANES: Final[tuple[LaneName, ...]] = ("traversal", "hypergraph")
LaneCondition = Literal["ok", "absent", "empty", "failed"]


@dataclass(frozen=True, slots=True)
class QueryBundle:
    """A query with the signals that the caller computed for it.

    ``vector`` is the query's embedding, for the dense engine alone. ``seed_node_ids`` are the graph
    nodes that the text names. ``seed_mentions`` counts the distinct mentions behind them: an
    ambiguous name is one mention with several nodes. None counts the distinct nodes instead.
    """

    text: str
    vector: NDArray[np.float32] | None = None
    seed_node_ids: tuple[str, ...] = ()
    seed_mentions: int | None = None

    @property
    def mentions(self) -> int:
        if self.seed_mentions is not None:
            return self.seed_mentions
        return len(set(self.seed_node_ids))


@dataclass(frozen=True, slots=True)
class Candidate:
    """A document on its way through the pipeline.

    ``score`` is 1.0 for the best of the base and None for a rescued candidate, whose lane scores
    are in ``metadata["rescue"]``; a rescued one has ``metadata["rescued"] is True``.
    ``selection_score`` is ``1 / (60 + rank)`` in the union and is read by selectors only.
    """

    id: str
    score: float | None
    text: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    selection_score: float | None = None

    @property
    def rescued(self) -> bool:
        return self.metadata.get("rescued") is True

    # `dataclasses.replace` takes several times as long, and a query makes a thousand of these.

    def with_score(self, score: float | None) -> Candidate:
        return Candidate(self.id, score, self.text, self.metadata, self.selection_score)

    def with_metadata(self, metadata: Mapping[str, Any]) -> Candidate:
        return Candidate(self.id, self.score, self.text, metadata, self.selection_score)

    def with_selection_score(self, selection_score: float) -> Candidate:
        return Candidate(self.id, self.score, self.text, self.metadata, selection_score)


@dataclass(frozen=True, slots=True)
class LaneState:
    """How a lane fared: ``reason`` says why it is not ``ok``."""

    state: LaneCondition
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class HyperedgeSignal:
    """One hyperedge after diffusion: its nodes, its activation, the documents that state it."""

    id: str
    nodes: tuple[str, ...]
    activation: float
    documents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HypergraphSignals:
    """What ``coe`` selects by: the activation of the seeds, and the hyperedges they reached.

    Only hyperedges with a rescued document are kept, and of their documents the rescued ones.
    """

    seeds: Mapping[str, float]
    hyperedges: tuple[HyperedgeSignal, ...]


@dataclass(frozen=True, slots=True)
class RescueRetrieval:
    """One retrieval, from which any number of selections can be made.

    ``union`` is the base followed by ``rescued`` appended candidates. ``hypergraph`` carries what
    ``coe`` needs later, without engines; None where the lane gave no signal. ``bonuses`` maps ids
    to what the expander added.
    """

    base: tuple[Candidate, ...]
    union: tuple[Candidate, ...]
    gate: GateDecision
    rescued: int
    hypergraph: HypergraphSignals | None
    lanes: Mapping[LaneName, LaneState]
    bonuses: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RescueResult:
    """A selection. ``rescued`` counts the rescued among ``candidates``.

    ``tokens_packed`` are counted by ``tokenizer``; it and ``budget`` are None for selector
    ``none``, which spends nothing. ``redundancy_weight`` is the λ of ``packed``.
    """

    candidates: tuple[Candidate, ...]
    gate: GateDecision
    rescued: int
    tokens_packed: int | None
    budget: int | None
    selector: str = "none"
    tokenizer: str | None = None
    redundancy_weight: float | None = None
