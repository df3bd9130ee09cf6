"""Graph rescue as one component over any engines: retrieve once, select any number of times.

::

    dense ─┐
           ├─ RRF ─ best 1.0 ─ gate ┬─ not fired ───────────────────────┬─ union ─ selector
    BM25  ─┘                        └─ expander ─ seeds ─ two lanes ─ append ─┘
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from podcast_scraper.errors import ConfigurationError
from podcast_scraper.search.rescue.config import parse_config
from podcast_scraper.search.rescue.first_stages import FirstStages
from podcast_scraper.search.rescue.lane_run import Lanes
from podcast_scraper.search.rescue.selectors import Selectors
from podcast_scraper.search.rescue.stage import RescueStage
from podcast_scraper.search.rescue.words import UNICODE_WORDS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from podcast_scraper.search.rescue.config import RescueConfig
    from podcast_scraper.search.rescue.decoration import CandidateDecorator
    from podcast_scraper.search.rescue.lanes import DocumentResolver, FirstStage, TraversalLane
    from podcast_scraper.search.rescue.records import QueryBundle, RescueResult, RescueRetrieval
    from podcast_scraper.search.rescue.words import TokenCounter


class GraphRescueRetrieval:
    """Base retrieval, and what the graph adds to it: below the base, never fused with it.

    ``dense`` and ``bm25`` are engines of the caller, of which at least one is needed. ``graph`` is
    the traversal lane (:class:`~podcast_scraper.search.rescue.GraphRetriever` or the like).
    ``hyperedge_documents`` gives the documents of the hypergraph lane, whose store the
    configuration names (``hyperedge_kv_path``). ``count_tokens`` counts what selectors spend.
    No language model is called anywhere.
    """

    def __init__(
        self,
        config: RescueConfig | Mapping[str, Any],
        *,
        dense: FirstStage | None = None,
        bm25: FirstStage | None = None,
        graph: TraversalLane | None = None,
        hyperedge_documents: DocumentResolver | None = None,
        decorate: CandidateDecorator | None = None,
        count_tokens: TokenCounter = UNICODE_WORDS,
    ) -> None:
        """Raise ConfigurationError for an unknown key, a wrong value or a contradiction."""
        self.config = parse_config(config)
        if dense is None and bm25 is None:
            raise ConfigurationError(
                "There is no first stage.", mend="Give dense, bm25 or both.", subject="dense"
            )
        lanes = Lanes.open(self.config, graph=graph, hyperedge_documents=hyperedge_documents)
        self._selectors = Selectors(
            self.config, count_tokens, has_hypergraph=lanes.hypergraph is not None
        )
        self._first = FirstStages(dense, bm25, self.config.pool_k, self.config.agreement_k)
        self._stage = RescueStage(self.config, lanes, decorate=decorate)

    def retrieve(self, bundle: QueryBundle) -> RescueRetrieval:
        """Run the engines and lanes once."""
        base = self._first.search(bundle)
        extension = self._stage.extend(bundle, base.candidates, base.signals, fused=base.fused)
        return self._stage.retrieval(extension)

    def select(
        self,
        text: str,
        retrieval: RescueRetrieval,
        *,
        selector: str | None = None,
        budget: int | None = None,
    ) -> RescueResult:
        """Spend a token budget over a retrieval; cheap, engines are not asked again.

        ``text`` is the query of the retrieval. Another ``selector`` than the configured one takes
        its own default where no ``budget`` is given.
        """
        return self._selectors.select(retrieval, selector=selector, budget=budget)

    def run(self, bundle: QueryBundle) -> RescueResult:
        """Retrieve and select: the same bytes as the two in a row."""
        return self.select(bundle.text, self.retrieve(bundle))
