"""What a lane over the graph gives, and what the pipeline asks of engines and lanes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from podcast_scraper.search.rescue.hypergraph import HypergraphRanking
    from podcast_scraper.search.rescue.records import Candidate, QueryBundle
    from podcast_scraper.search.rescue.seeds import Seeds


class FirstStage(Protocol):
    """An engine over the whole corpus. Scores are its own scale, best first."""

    def search(self, query: QueryBundle, k: int) -> Sequence[Candidate]: ...


@dataclass(frozen=True, slots=True)
class LaneRanking:
    """Documents with their scores (> 0), best first, ties by id; paths are made on demand.

    ``path_of`` gives the node ids that led from a seed to one of the documents.
    """

    hits: tuple[tuple[str, float], ...]
    path_of: Callable[[str], tuple[str, ...]]


class TraversalLane(Protocol):
    """A walk over the typed edges of a graph.

    ``allowed`` restricts the documents that may be found (None: all). Failing is allowed: the
    pipeline records the reason and goes on with the base.
    """

    def search(
        self, seeds: Seeds, k: int, *, allowed: Collection[str] | None = None
    ) -> LaneRanking: ...

    def documents(self, doc_ids: Sequence[str]) -> Mapping[str, Candidate]: ...


class HypergraphLane(Protocol):
    """Diffusion over hyperedges; its ranking carries what ``coe`` selects by."""

    def search(
        self, seeds: Seeds, k: int, *, allowed: Collection[str] | None = None
    ) -> HypergraphRanking: ...


class DocumentResolver(Protocol):
    """Gives documents by id (text and metadata); ids that are gone are left out."""

    def __call__(self, doc_ids: Sequence[str]) -> Mapping[str, Candidate]: ...
