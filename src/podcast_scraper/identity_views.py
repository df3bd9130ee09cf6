"""Graph and resolver of one index generation, as people's decisions stand at the moment."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from podcast_scraper.identity.identity_map import IdentityMap

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import sqlalchemy as sa

    from podcast_scraper.identity.resolver import EntityResolver
    from podcast_scraper.search.corpus_graph import CorpusGraph


class IdentityViews:
    """Makes both when first asked for, and anew when a decision has changed what ids mean."""

    def __init__(
        self,
        generation_dir: Path,
        engine: sa.Engine,
        identity: Callable[[], IdentityMap],
        media_url: Callable[[str, str | None], str | None],
    ) -> None:
        self._generation_dir = generation_dir
        self._engine = engine
        self._identity = identity
        self._media_url = media_url
        self._lock = threading.RLock()
        self._held = IdentityMap()
        self._graph: CorpusGraph | None = None
        self._resolver: EntityResolver | None = None

    @property
    def graph(self) -> CorpusGraph:
        """The cross-layer graph."""
        from podcast_scraper.search.corpus_graph import CorpusGraph

        with self._lock:
            self._refresh()
            if self._graph is None:
                self._graph = CorpusGraph.open(
                    self._generation_dir,
                    self._engine,
                    derive_speaker_links=True,
                    identity_map=self._held,
                    media_url=self._media_url,
                )
            return self._graph

    @property
    def resolver(self) -> EntityResolver:
        """The resolver over the entities of the generation."""
        from podcast_scraper.identity.registry import Registry
        from podcast_scraper.identity.resolver import EntityResolver

        with self._lock:
            self._refresh()
            if self._resolver is None:
                self._resolver = EntityResolver(Registry.from_index(self._engine, self._held))
            return self._resolver

    def members(self, entity_id: str) -> list[str]:
        """Return an id with all that people merged into it: what a filter on it must accept."""
        with self._lock:
            self._refresh()
            return self._held.members(entity_id)

    def _refresh(self) -> None:
        identity = self._identity()
        if identity == self._held:
            return
        if not identity.same_ids(self._held):
            self._graph = None
        self._held, self._resolver = identity, None
