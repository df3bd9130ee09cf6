"""One index generation, opened: records, engines, encoder and the search service over them."""

from __future__ import annotations

import weakref
from functools import cached_property
from typing import TYPE_CHECKING

from podcast_scraper.embed.lexicon import is_word
from podcast_scraper.embed.query_cache import QueryCache
from podcast_scraper.embed.resolve import open_encoder
from podcast_scraper.errors import IndexMismatchError
from podcast_scraper.field_names import FieldNames
from podcast_scraper.followers import Followers
from podcast_scraper.identity_views import IdentityViews
from podcast_scraper.index_rescue import IndexRescue
from podcast_scraper.media import Media
from podcast_scraper.search.backends.opening import open_backend
from podcast_scraper.search.default_layer import default_layer
from podcast_scraper.search.service import SearchService
from podcast_scraper.storage.catalog import Catalog
from podcast_scraper.storage.store import FILES

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from podcast_scraper.embed.encoder import Encoder
    from podcast_scraper.identity.ledger import Ledger
    from podcast_scraper.identity.resolver import EntityResolver
    from podcast_scraper.search.corpus_graph import CorpusGraph
    from podcast_scraper.search.suggestions import Suggester
    from podcast_scraper.settings import Settings
    from podcast_scraper.storage.generations import Generation
    from podcast_scraper.storage.store import RecordStore


class OpenIndex:
    """A generation with everything that answers queries. Thread-safe.

    The parts that cost time (encoder, resolver, graph) are made when first used. It stays usable
    after a newer generation was published.
    """

    def __init__(
        self,
        generation: Generation,
        corpus: Path,
        ledger: Ledger,
        settings: Settings,
        store: RecordStore = FILES,
    ) -> None:
        manifest = generation.manifest
        self.generation = generation
        self.name = manifest.generation
        records = store.open_records(generation.path)
        self.backend = open_backend(settings.search, generation.path, records)
        self._close = weakref.finalize(self, self.backend.close)
        self.engine = self.backend.engine
        self.catalog = Catalog(self.engine)
        self.followers = Followers(self.engine, self.backend.noticed)
        self.media = Media(corpus)
        self._suggester: tuple[EntityResolver, Suggester] | None = None
        self.derived = generation.derived
        self.identity = IdentityViews(
            self.derived, self.engine, lambda: ledger.standing().identity, self.media.url_of
        )
        self.rescue = IndexRescue(
            self.derived,
            self.backend,
            settings,
            lambda: self.identity.resolver,
            self.identity.members,
        )
        config = self.rescue.config
        self.layer = default_layer(
            self.backend,
            rescue=self.rescue,
            pool_k=config.pool_k,
            agreement_k=config.agreement_k,
        )
        self.service = SearchService(
            self.layer,
            self.catalog,
            self.embed,
            FieldNames(self),
            self.media.url,
            manifest.generation,
            lambda word: is_word(self.encoder, word),
        )

    @cached_property
    def encoder(self) -> Encoder:
        """The encoder that built the index; IndexMismatchError where it has changed since."""
        manifest = self.generation.manifest
        encoder = open_encoder(manifest.encoder)
        if encoder.fingerprint != manifest.encoder_fingerprint:
            raise IndexMismatchError(
                f"The index was built with {manifest.encoder_fingerprint}; "
                f"{manifest.encoder} is now {encoder.fingerprint}.",
                mend="Build the index again with `podcast-scraper index`.",
                subject=manifest.encoder,
            )
        return encoder

    @cached_property
    def _queries(self) -> QueryCache:
        return QueryCache(self.encoder)

    @property
    def resolver(self) -> EntityResolver:
        """The resolver over the entities of this generation, as people's decisions stand."""
        return self.identity.resolver

    @property
    def suggester(self) -> Suggester:
        """What completes half-typed queries, over the names as people's decisions stand."""
        from podcast_scraper.search.suggestions import Suggester

        resolver = self.resolver
        if self._suggester is None or self._suggester[0] is not resolver:
            self._suggester = resolver, Suggester(resolver.registry, self.backend.complete)
        return self._suggester[1]

    @property
    def graph(self) -> CorpusGraph:
        """The cross-layer graph of this generation, as people's decisions stand."""
        return self.identity.graph

    def embed(self, text: str) -> tuple[NDArray[np.float32], bool]:
        """Return a query's unit vector and whether the query had to be cut to fit the encoder."""
        fitted, cut = self.encoder.fit_query(text)
        return self._queries.encode(fitted), cut

    def warm(self) -> None:
        """Run one search, so that encoder, vectors and term dictionary are in memory."""
        vector, _ = self.embed("warm")
        self.layer.run("warm", vector)

    def close(self) -> None:
        """Release files and connections; done of itself when nothing refers to it any more."""
        self._close()
