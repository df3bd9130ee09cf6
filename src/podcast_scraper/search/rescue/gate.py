"""The policy gate: whether the graph is worth asking for one query, and why.

::

    relation-cue     the query holds a word that asks for a relation (whole words)
    entity-heavy     it names at least two distinct entities
    low-agreement    the heads of the two first stages overlap little (Jaccard)
    low-confidence   the dense top hit is not close (raw cosine)

Any one fires. A short query without a cue whose stages agree is a known-item query and stays off
(veto ``navigational``). A signal that is unknown (None) neither fires nor vetoes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from podcast_scraper.errors import UsageError
from podcast_scraper.search.rescue.config import GRAPH_MODES
from podcast_scraper.search.rescue.lexicon import inflections
from podcast_scraper.search.rescue.words import words
from podcast_scraper.search.tail import GateState as GateDecision

if TYPE_CHECKING:
    from collections.abc import Sequence

    from podcast_scraper.search.rescue.config import RescueConfig
    from podcast_scraper.search.rescue.records import QueryBundle

RELATION_CUE: Final = "relation-cue"
ENTITY_HEAVY: Final = "entity-heavy"
LOW_AGREEMENT: Final = "low-agreement"
LOW_CONFIDENCE: Final = "low-confidence"
NAVIGATIONAL: Final = "navigational"
MODE_OFF: Final = "mode-off"
MODE_FORCE: Final = "mode-force"


@dataclass(frozen=True, slots=True)
class FirstStageSignals:
    """What the raw first stages say, before any rerank; None is unknown.

    ``agreement`` is the Jaccard overlap (0..1) of the two heads, ``confidence`` the cosine of the
    dense top hit.
    """

    agreement: float | None = None
    confidence: float | None = None


class Gate:
    """Decides by the thresholds of one configuration."""

    def __init__(self, config: RescueConfig) -> None:
        self._config = config
        self._cues = frozenset(
            form
            for cue in config.relation_cues
            for word in words(cue)
            for form in inflections(word)
        )

    def decide(
        self, bundle: QueryBundle, signals: FirstStageSignals, *, mode: str | None = None
    ) -> GateDecision:
        """Return the decision; ``mode`` overrides the configured one for this query."""
        mode = mode if mode is not None else self._config.graph_mode
        if mode not in GRAPH_MODES:
            raise UsageError(
                f"There is no graph mode {mode!r}.",
                mend=f"Choose one of: {', '.join(GRAPH_MODES)}.",
                subject=mode,
            )
        reasons = self._reasons(bundle, signals)
        navigational = self._is_navigational(bundle, signals, reasons)
        vetoed_by = NAVIGATIONAL if navigational else None
        fired = bool(reasons) and not navigational
        auto = {"fired": fired, "reasons": reasons, "vetoed_by": vetoed_by}
        if mode == "off":
            fired, vetoed_by = False, MODE_OFF
        elif mode == "force":
            fired, vetoed_by, reasons = True, None, (*reasons, MODE_FORCE)
        return GateDecision(
            mode=mode,
            fired=fired,
            reasons=reasons,
            vetoed_by=vetoed_by,
            agreement=signals.agreement,
            confidence=signals.confidence,
            confidence_threshold=self._config.low_confidence,
            auto=auto,
        )

    def _reasons(self, bundle: QueryBundle, signals: FirstStageSignals) -> tuple[str, ...]:
        config = self._config
        agreement, confidence = signals.agreement, signals.confidence
        fires = {
            RELATION_CUE: not self._cues.isdisjoint(words(bundle.text)),
            ENTITY_HEAVY: bundle.mentions >= config.entity_heavy_seeds,
            LOW_AGREEMENT: agreement is not None and agreement < config.low_agreement,
            LOW_CONFIDENCE: confidence is not None and confidence < config.low_confidence,
        }
        return tuple(reason for reason, fired in fires.items() if fired)

    def _is_navigational(
        self, bundle: QueryBundle, signals: FirstStageSignals, reasons: Sequence[str]
    ) -> bool:
        return (
            RELATION_CUE not in reasons
            and len(bundle.text.split()) <= self._config.navigational_max_words
            and signals.agreement is not None
            and signals.agreement >= self._config.high_agreement
        )
