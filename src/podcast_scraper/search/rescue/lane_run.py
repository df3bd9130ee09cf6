"""Running the lanes of one query: what they found, how each fared, which documents are appended."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from podcast_scraper.errors import ColumnError, ConfigurationError
from podcast_scraper.search.rescue.hyperedge_store import read_hyperedges
from podcast_scraper.search.rescue.hypergraph import Hypergraph, HypergraphRanking
from podcast_scraper.search.rescue.records import (
    LANES,
    Candidate,
    HypergraphSignals,
    LaneName,
    LaneState,
)
from podcast_scraper.search.rescue.union import choose_appended, stamp

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from podcast_scraper.search.rescue.config import RescueConfig
    from podcast_scraper.search.rescue.lanes import (
        DocumentResolver,
        HypergraphLane,
        LaneRanking,
        TraversalLane,
    )
    from podcast_scraper.search.rescue.seeds import Seeds
    from podcast_scraper.search.rescue.union import Appended

_ABSENT = LaneState("absent", "not configured")


@dataclass(frozen=True, slots=True)
class Lanes:
    """The lanes over the graph, each optional, and where the documents of each come from."""

    traversal: TraversalLane | None = None
    hypergraph: HypergraphLane | None = None
    hyperedge_documents: DocumentResolver | None = None

    @classmethod
    def open(
        cls,
        config: RescueConfig,
        *,
        graph: TraversalLane | None,
        hyperedge_documents: DocumentResolver | None,
    ) -> Lanes:
        """Open what the configuration names; half a hypergraph pair is refused."""
        path = config.hyperedge_kv_path
        if (path is None) != (hyperedge_documents is None):
            missing = "hyperedge_kv_path" if path is None else "hyperedge_documents"
            raise ConfigurationError(
                f"Half of the hypergraph pair is missing: {missing}.",
                mend="Give both hyperedge_kv_path and hyperedge_documents, or neither.",
                subject=missing,
            )
        hypergraph = Hypergraph.over(read_hyperedges(Path(path))) if path is not None else None
        return cls(graph, hypergraph, hyperedge_documents)

    def states(self, reason: str) -> dict[LaneName, LaneState]:
        """Return the states of lanes that were not asked, for ``reason``."""
        asked = LaneState("empty", reason)
        return {
            "traversal": asked if self.traversal is not None else _ABSENT,
            "hypergraph": asked if self.hypergraph is not None else _ABSENT,
        }


@dataclass(slots=True)
class LaneRun:
    """One query over the lanes. A lane that fails is left out, with its reason in ``states``.

    A malformed column is no failing lane: ColumnError travels on.
    """

    lanes: Lanes
    base_ids: Sequence[str]
    cap: int
    states: dict[LaneName, LaneState] = field(default_factory=dict)
    rankings: dict[LaneName, LaneRanking] = field(default_factory=dict)

    def append(self, seeds: Seeds, allowed: Collection[str] | None) -> list[Candidate]:
        """Return at most ``cap`` stamped candidates that the base lacks, best first."""
        # Deep enough that the base cannot hide what lies below it.
        depth = len(self.base_ids) + self.cap
        self.states = self.lanes.states("no seed is known to the graph")
        indexes: dict[LaneName, TraversalLane | HypergraphLane | None] = {
            "traversal": self.lanes.traversal,
            "hypergraph": self.lanes.hypergraph,
        }
        for lane, index in indexes.items():
            if index is None or not seeds:
                continue
            try:
                ranking = index.search(seeds, depth, allowed=allowed)
            except ColumnError:
                raise
            except Exception as error:
                self._fail(lane, error)
                continue
            if ranking.hits:
                self.states[lane] = LaneState("ok")
                self.rankings[lane] = ranking
        return self._documents()

    def signals(self, rescued: Sequence[str]) -> HypergraphSignals | None:
        """Return what ``coe`` needs of the hypergraph lane, or None without it."""
        ranking = self.rankings.get("hypergraph")
        return ranking.signals(rescued) if isinstance(ranking, HypergraphRanking) else None

    def _documents(self) -> list[Candidate]:
        """Fetch what is to be appended; without the lane whose documents cannot be had."""
        while True:
            chosen = choose_appended(self.base_ids, self.rankings, cap=self.cap)
            documents: dict[str, Candidate] = {}
            failed = False
            for lane in LANES:
                wanted = [one.id for one in chosen if lane in one.lanes and one.id not in documents]
                if not wanted:
                    continue
                try:
                    documents.update(self._resolve(lane, wanted))
                except ColumnError:
                    raise
                except Exception as error:
                    self._fail(lane, error)
                    del self.rankings[lane]
                    failed = True
            if not failed:
                return [
                    stamp(documents[one.id], one, self._path(one))
                    for one in chosen
                    if one.id in documents
                ]

    def _resolve(self, lane: LaneName, doc_ids: Sequence[str]) -> Mapping[str, Candidate]:
        if lane == "traversal":
            assert self.lanes.traversal is not None
            return self.lanes.traversal.documents(doc_ids)
        assert self.lanes.hyperedge_documents is not None
        return self.lanes.hyperedge_documents(doc_ids)

    def _path(self, appended: Appended) -> tuple[str, ...]:
        return self.rankings[appended.best_lane].path_of(appended.id)

    def _fail(self, lane: LaneName, error: Exception) -> None:
        # Whatever a graph engine raises, the base stands: this is the border of the lanes.
        self.states[lane] = LaneState("failed", f"{type(error).__name__}: {error}")
