"""Graph rescue over one index generation: its lanes, seeds and thresholds, made when first used."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from podcast_scraper.search.rescue.calibration import stored_threshold
from podcast_scraper.search.rescue.decoration import KgColumnDecorator
from podcast_scraper.search.rescue.hyperedge_store import read_hyperedges
from podcast_scraper.search.rescue.hypergraph import Hypergraph
from podcast_scraper.search.rescue.lane_run import Lanes
from podcast_scraper.search.rescue.seeds import SeedMatch
from podcast_scraper.search.rescue.stage import RescueStage
from podcast_scraper.search.rescue.stored import StoredRescue
from podcast_scraper.search.rescue.tail import GraphTail, documents_of
from podcast_scraper.settings import Settings, config_of, resolve

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from podcast_scraper.identity.resolver import EntityResolver
    from podcast_scraper.search.backend import Filters, IndexBackend, Tier
    from podcast_scraper.search.rescue.config import RescueConfig
    from podcast_scraper.search.rescue.hypergraph import HypergraphRanking
    from podcast_scraper.search.rescue.lanes import LaneRanking
    from podcast_scraper.search.rescue.records import Candidate
    from podcast_scraper.search.rescue.seeds import Seeds
    from podcast_scraper.search.rescue.tail import SeedFinder
    from podcast_scraper.search.tail import Tail, TailQuery


class IndexRescue:
    """The rescue tail of an open index. Thread-safe; nothing is read before the first query.

    ``derived`` is the directory of the generation's graph and columns.
    """

    def __init__(
        self,
        derived: Path,
        backend: IndexBackend,
        settings: Settings,
        resolver: Callable[[], EntityResolver],
        members: Callable[[str], Sequence[str]],
    ) -> None:
        self._derived = derived
        self._backend = backend
        self._settings = settings
        self._resolver = resolver
        self._members = members

    @cached_property
    def config(self) -> RescueConfig:
        """The configuration in force: file, calibrated threshold, defaults."""
        threshold = stored_threshold(self._derived)
        calibrated = {} if threshold is None else {"low_confidence": threshold}
        return config_of(resolve(self._settings, calibrated=calibrated))

    @cached_property
    def stored(self) -> StoredRescue:
        """The columns, graph and hyperedges of the generation."""
        return StoredRescue(self._derived)

    def extend(self, query: TailQuery) -> Tail:
        """Append what the graph found (:class:`~podcast_scraper.search.tail.RescueTail`)."""
        return self._tail.extend(query)

    @cached_property
    def seeder(self) -> SeedFinder:
        """What finds the known names of a query."""
        return _Mentions(self._resolver, self._members)

    @cached_property
    def _tail(self) -> GraphTail:
        return self.tail_with(self.config)

    def tail_with(self, config: RescueConfig) -> GraphTail:
        """Return a tail under another configuration, for the evaluation."""
        documents = documents_of(self._backend)
        stored = self.stored
        hypergraph = _StoredHypergraph(stored, config.hyperedge_kv_path)
        lanes = Lanes(_StoredTraversal(stored, documents), hypergraph, documents)
        stage = RescueStage(config, lanes, decorate=KgColumnDecorator(stored.columns))
        return GraphTail(stage, self.seeder, self._allowed)

    def _allowed(self, filters: Filters, tier: Tier) -> Collection[str] | None:
        keys = self._backend.allowed_keys(filters, tier)
        return None if keys is None else self.stored.with_keys(keys)


class _Mentions:
    """Seeds are the known names of the query, with the ids that people merged into them."""

    def __init__(
        self, resolver: Callable[[], EntityResolver], members: Callable[[str], Sequence[str]]
    ) -> None:
        self._resolver = resolver
        self._members = members

    def seed(self, text: str) -> SeedMatch:
        mentions = {
            tuple(candidate.id for candidate in mention.candidates): None
            for mention in self._resolver().mentions(text)
        }
        node_ids = dict.fromkeys(
            member for ids in mentions for one in ids for member in self._members(one)
        )
        return SeedMatch(tuple(node_ids), len(mentions))


class _StoredTraversal:
    """The lane opens its arrays with the first search, so that a damaged file fails it alone."""

    def __init__(
        self,
        stored: StoredRescue,
        documents: Callable[[Sequence[str]], Mapping[str, Candidate]],
    ) -> None:
        self._stored = stored
        self._documents = documents

    def search(
        self, seeds: Seeds, k: int, *, allowed: Collection[str] | None = None
    ) -> LaneRanking:
        return self._stored.traversal.search(seeds, k, allowed=allowed)

    def documents(self, doc_ids: Sequence[str]) -> Mapping[str, Candidate]:
        return self._documents(doc_ids)


class _StoredHypergraph:
    """The hyperedges of the generation, or of another store where the settings name one."""

    def __init__(self, stored: StoredRescue, path: str | None) -> None:
        self._stored = stored
        self._path = path

    @cached_property
    def _hypergraph(self) -> Hypergraph:
        if self._path is None:
            return self._stored.hypergraph
        return Hypergraph.over(read_hyperedges(Path(self._path)))

    def search(
        self, seeds: Seeds, k: int, *, allowed: Collection[str] | None = None
    ) -> HypergraphRanking:
        return self._hypergraph.search(seeds, k, allowed=allowed)
