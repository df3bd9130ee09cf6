"""From a base to a union: gate, expander, seeds, lanes, append."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from podcast_scraper.search.fusion import RRF_K
from podcast_scraper.search.rescue.decoration import CandidateDecorator, decorated
from podcast_scraper.search.rescue.expander import Expander
from podcast_scraper.search.rescue.gate import FirstStageSignals, Gate
from podcast_scraper.search.rescue.lane_run import LaneRun, Lanes
from podcast_scraper.search.rescue.records import Candidate, QueryBundle, RescueRetrieval
from podcast_scraper.search.rescue.seeds import harvest_seeds
from podcast_scraper.search.rescue.union import unite

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from podcast_scraper.search.rescue.config import RescueConfig
    from podcast_scraper.search.rescue.records import LaneName, LaneState
    from podcast_scraper.search.tail import GateState as GateDecision


@dataclass(frozen=True, slots=True)
class Extension:
    """What the graph made of a base: its order after the expander, and what goes below it."""

    gate: GateDecision
    base: tuple[Candidate, ...]
    appended: tuple[Candidate, ...]
    run: LaneRun
    bonuses: Mapping[str, Mapping[str, float]]


class RescueStage:
    """Everything between a ranked base and a selection; holds no engine of its own."""

    def __init__(
        self, config: RescueConfig, lanes: Lanes, *, decorate: CandidateDecorator | None = None
    ) -> None:
        self._config = config
        self._lanes = lanes
        self._decorate = decorate
        self._gate = Gate(config)
        self._expander = Expander(
            config.seed_top_k,
            config.hop_weight,
            config.community_weight,
            config.centrality_weight,
        )

    def decide(
        self, bundle: QueryBundle, signals: FirstStageSignals, *, mode: str | None = None
    ) -> GateDecision:
        """Return what the gate says of a query, without doing anything about it."""
        return self._gate.decide(bundle, signals, mode=mode)

    def unasked(self) -> dict[LaneName, LaneState]:
        """Return the states of the lanes of a query whose gate did not fire."""
        return self._lanes.states("the gate did not fire")

    def extend(
        self,
        bundle: QueryBundle,
        base: Sequence[Candidate],
        signals: FirstStageSignals,
        *,
        fused: bool = True,
        mode: str | None = None,
        allowed: Collection[str] | None = None,
    ) -> Extension:
        """Return what the graph makes of the base of one query.

        ``base`` is ranked, best 1.0. Where RRF did not make its scores (``fused`` false) and the
        gate fires, they are re-expressed as ``61 / (60 + rank)``, the scale that the expander's
        weights were measured on. ``allowed`` are the ids that filters leave (None: all).
        """
        gate = self.decide(bundle, signals, mode=mode)
        run = LaneRun(self._lanes, [one.id for one in base], self._config.rescue_cap)
        if not gate.fired:
            run.states = self.unasked()
            return Extension(gate, tuple(base), (), run, {})
        ranked = decorated(self._decorate, base)
        if not fused:
            ranked = tuple(
                one.with_score((RRF_K + 1) / (RRF_K + rank))
                for rank, one in enumerate(ranked, start=1)
            )
        expansion = self._expander.expand(ranked)
        seeds = harvest_seeds(
            bundle,
            expansion.base,
            documents=self._config.seed_docs_k,
            cap=self._config.seed_node_cap,
        )
        appended = run.append(seeds, allowed)
        return Extension(gate, expansion.base, tuple(appended), run, expansion.bonuses)

    def retrieval(self, extension: Extension) -> RescueRetrieval:
        """Make an extension ready for selectors: one union, decorated, with what ``coe`` needs."""
        base, appended = extension.base, extension.appended
        union = unite(base, appended, rank_score_k=self._config.rank_score_k)
        union = decorated(self._decorate, union)
        return RescueRetrieval(
            union[: len(base)],
            union,
            extension.gate,
            len(appended),
            extension.run.signals([one.id for one in appended]),
            extension.run.states,
            extension.bonuses,
        )
