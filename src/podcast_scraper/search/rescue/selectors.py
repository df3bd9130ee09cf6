"""The selectors by name: ``packed``, ``coe`` and ``none``, over the union of one retrieval."""

from __future__ import annotations

from typing import TYPE_CHECKING

from podcast_scraper.errors import ConfigurationError
from podcast_scraper.search.rescue import coe
from podcast_scraper.search.rescue.config import (
    DEFAULT_BUDGETS,
    SELECTORS,
    RescueConfig,
    check_spends,
)
from podcast_scraper.search.rescue.packer import Packer, check_budget
from podcast_scraper.search.rescue.records import RescueResult

if TYPE_CHECKING:
    from collections.abc import Sequence

    from podcast_scraper.search.rescue.records import Candidate, RescueRetrieval
    from podcast_scraper.search.rescue.words import TokenCounter


class Selectors:
    """Spends budgets as one configuration says; knows no engine."""

    def __init__(
        self, config: RescueConfig, count_tokens: TokenCounter, *, has_hypergraph: bool
    ) -> None:
        self._config = config
        self._count_tokens = count_tokens
        self._has_hypergraph = has_hypergraph
        self._packer = Packer(
            centrality_weight=config.pack_centrality_weight,
            similarity_key=config.similarity_key,
            fill=config.fill,
            count_tokens=count_tokens,
        )
        self._check(config.selector)

    def select(
        self,
        retrieval: RescueRetrieval,
        *,
        selector: str | None = None,
        budget: int | None = None,
    ) -> RescueResult:
        """Return the selection; see :class:`~podcast_scraper.search.rescue.GraphRescueRetrieval`.

        Raises ConfigurationError for an unknown selector, ``coe`` without the hypergraph lane, a
        budget below 0 and a budget given to ``none``.
        """
        name = selector if selector is not None else self._config.selector
        self._check(name)
        if budget is not None:
            check_budget(budget)
            check_spends(name)
        elif name == self._config.selector:
            budget = self._config.effective_budget
        else:
            budget = DEFAULT_BUDGETS[name]
        if budget is None:
            return self._result(retrieval, retrieval.union, "none", None, None)
        # The cut is for the base alone: a rescued candidate is never lost to it.
        pool = [
            *retrieval.base[: self._config.select_pool_k],
            *retrieval.union[len(retrieval.base) :],
        ]
        packed = (
            self._packer.pack(pool, budget)
            if name == "packed"
            else coe.select(pool, retrieval.hypergraph, budget, count_tokens=self._count_tokens)
        )
        return self._result(retrieval, packed.candidates, name, packed.tokens, budget)

    def _result(
        self,
        retrieval: RescueRetrieval,
        candidates: Sequence[Candidate],
        selector: str,
        tokens: int | None,
        budget: int | None,
    ) -> RescueResult:
        return RescueResult(
            candidates=tuple(candidates),
            gate=retrieval.gate,
            rescued=sum(one.rescued for one in candidates),
            tokens_packed=tokens,
            budget=budget,
            selector=selector,
            tokenizer=self._count_tokens.name if tokens is not None else None,
            redundancy_weight=self._packer.redundancy_weight if selector == "packed" else None,
        )

    def _check(self, selector: str) -> None:
        if selector not in SELECTORS:
            raise ConfigurationError(
                f"There is no selector {selector!r}.",
                mend=f"Choose one of: {', '.join(SELECTORS)}.",
                subject=selector,
            )
        if selector == "coe" and not self._has_hypergraph:
            raise ConfigurationError(
                "Selector 'coe' selects over the hypergraph lane, which is absent.",
                mend="Give hyperedge_kv_path and hyperedge_documents, or choose 'packed'.",
                subject=selector,
            )
