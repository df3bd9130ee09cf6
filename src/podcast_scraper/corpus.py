"""A corpus to work with: the one object behind the command line, the pages and Python code."""

from __future__ import annotations

import json
import threading
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from podcast_scraper.errors import CorpusError, NotFoundError
from podcast_scraper.identities import Identities
from podcast_scraper.identity.ledger import Ledger
from podcast_scraper.open_index import OpenIndex
from podcast_scraper.relational import Relational
from podcast_scraper.search.request import SearchRequest
from podcast_scraper.settings import Settings, load_settings, location_of
from podcast_scraper.storage.kept import KeptSearches, TimeOffsets
from podcast_scraper.storage.state import StateStore

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType

    from podcast_scraper.context import Context
    from podcast_scraper.identity.resolver import Resolution
    from podcast_scraper.search.corpus_graph import CorpusGraph
    from podcast_scraper.search.results import Hit, SearchResponse
    from podcast_scraper.search.suggestions import Suggestions
    from podcast_scraper.storage.catalog import Catalog, EpisodeInfo
    from podcast_scraper.storage.generations import IndexLocation

SUGGESTED_QUERIES = "suggested_queries.json"


@dataclass(frozen=True, slots=True)
class SuggestedQuery:
    """A query that a corpus offers to a visitor, and why it is worth asking."""

    query: str
    why: str = ""


class Corpus:
    """An indexed corpus. Thread-safe.

    A generation that another process publishes is taken up by the next call; calls under way
    finish on the one that they began with.
    """

    def __init__(self, path: Path, location: IndexLocation, settings: Settings) -> None:
        self.path = path
        self.name = path.resolve().name
        self.settings = settings
        self._location = location
        self._lock = threading.Lock()
        self._open: OpenIndex | None = None
        self._state = StateStore(location.state_path, location.store)
        self.ledger = Ledger(self._state)
        self.identities = Identities(self)
        self.searches = KeptSearches(self._state)
        self.offsets = TimeOffsets(self._state)
        self.relational = Relational(lambda: self.index)

    @property
    def index(self) -> OpenIndex:
        """The live generation, opened."""
        name = self._location.current_name()
        opened = self._open
        if opened is not None and opened.name == name:
            return opened
        with self._lock:
            if self._open is None or self._open.name != name:
                store = self._location.store
                fresh = OpenIndex(
                    self._location.current(), self.path, self.ledger, self.settings, store
                )
                self._open = fresh  # the one before is closed when its last request has ended
            return self._open

    def warm(self) -> None:
        """Load the model and the vectors now, so that the first search does not wait for them."""
        self.index.warm()

    @property
    def catalog(self) -> Catalog:
        """The records of the live generation."""
        return self.index.catalog

    @property
    def graph(self) -> CorpusGraph:
        """The cross-layer graph of the live generation."""
        return self.index.graph

    def search(self, query: str, **options: Any) -> SearchResponse:
        """Search for a query; ``options`` are the fields of :class:`SearchRequest`."""
        return self.run(SearchRequest(query, **options))

    def run(self, request: SearchRequest) -> SearchResponse:
        """Answer a search request."""
        index = self.index
        return index.followers.marked(index.service.search(self._as_merged(index, request)))

    def context(
        self, query: str, *, selector: str | None = None, budget: int | None = None, **options: Any
    ) -> Context:
        """Choose passages on a query under a budget of tokens, ready to be read.

        ``options`` are the fields of :class:`SearchRequest`. See
        :func:`podcast_scraper.context.make_context`.
        """
        index = self.index
        request = self._as_merged(index, SearchRequest(query, **options))
        from podcast_scraper.context import make_context

        return make_context(index, request, selector=selector, budget=budget)

    @staticmethod
    def _as_merged(index: OpenIndex, request: SearchRequest) -> SearchRequest:
        def merged(ids: Iterable[str]) -> tuple[str, ...]:
            # Documents may still carry an id that people have merged since they were indexed.
            return tuple(dict.fromkeys(m for i in ids for m in index.identity.members(i)))

        return replace(
            request,
            persons=merged(request.persons),
            mentions=merged(request.mentions),
            topics=merged(request.topics),
        )

    def suggest(self, text: str) -> Suggestions:
        """Return what a half-typed query may become."""
        return self.index.suggester.suggest(text)

    def similar(self, doc_id: str, *, k: int = 10) -> tuple[Hit, ...]:
        """Return the hits nearest in meaning to a document; NotFoundError for an unknown id."""
        index = self.index
        vector = index.backend.vector(doc_id)
        if vector is None:
            raise NotFoundError(
                f"There is no document {doc_id!r} in this corpus.",
                mend="The hits of a search carry the ids.",
                subject=doc_id,
            )
        return index.service.similar(doc_id, vector, k)

    def resolve(self, text: str) -> Resolution:
        """Return what a name means in this corpus."""
        return self.index.resolver.resolve_detail(text)

    def media_url(self, episode: EpisodeInfo) -> str | None:
        """Return the URL that plays an episode, or None."""
        return self.index.media.url(episode)

    def media_path(self, episode: EpisodeInfo) -> Path | None:
        """Return the audio file of an episode under the corpus, or None."""
        return self.index.media.path(episode)

    def health(self) -> dict[str, Any]:
        """Return the state of the live index: counts, model, generation, what is wrong."""
        index = self.index
        health = index.backend.health()
        manifest = index.generation.manifest
        reasons = list(dict.fromkeys((*health.reasons, *index.followers.reasons)))
        return {
            "ok": not reasons,
            "corpus": self.name,
            "counts": index.catalog.counts(),
            "documents": dict(health.documents),
            "degraded": bool(reasons),
            "reasons": reasons,
            "index": asdict(manifest),
            **index.followers.health(),
        }

    def suggested_queries(self) -> list[SuggestedQuery]:
        """Return the queries that the corpus offers (``suggested_queries.json``), if any."""
        try:
            rows = json.loads((self.path / SUGGESTED_QUERIES).read_text(encoding="utf-8"))
            return [SuggestedQuery(str(row["query"]), str(row.get("why", ""))) for row in rows]
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return []  # an offer to visitors: a corpus without a readable one just makes none

    def close(self) -> None:
        """Release files and connections."""
        with self._lock:
            if self._open is not None:
                self._open.close()
            self._open = None
            self._state.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def open_corpus(
    path: str | Path,
    *,
    index_dir: str | Path | None = None,
    settings_file: str | Path | None = None,
) -> Corpus:
    """Open an indexed corpus.

    ``settings_file`` is read in place of the corpus' own ``podcast-scraper.yaml``.

    Raises CorpusError where the directory does not exist, IndexMissingError where it has no index,
    and the other errors of :class:`IndexStateError` where the index cannot be used.
    """
    corpus = Path(path)
    if not corpus.is_dir():
        raise CorpusError(
            f"There is no directory {corpus}.", mend="Name the corpus' folder.", subject=corpus
        )
    settings = load_settings(corpus, Path(settings_file) if settings_file is not None else None)
    place = Path(index_dir) if index_dir is not None else None
    location = location_of(corpus, place, settings)
    opened = Corpus(corpus, location, settings)
    _ = opened.index  # a missing or damaged index is told at once, not at the first search
    return opened
