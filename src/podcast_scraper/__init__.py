"""Search over spoken podcasts: who said what, when, and how views changed.

>>> from podcast_scraper import open_corpus
>>> with open_corpus("data/sample") as corpus:  # doctest: +SKIP
...     for hit in corpus.search("robot pulled up the leeks", k=3).hits:
...         print(hit.episode.title, hit.start, hit.text)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from podcast_scraper.corpus import Corpus, open_corpus
    from podcast_scraper.errors import PodcastScraperError
    from podcast_scraper.index.build import build_index
    from podcast_scraper.search.request import SearchRequest
    from podcast_scraper.search.results import Hit, SearchResponse

__version__ = "0.1.0"

__all__ = [
    "Corpus",
    "Hit",
    "PodcastScraperError",
    "SearchRequest",
    "SearchResponse",
    "__version__",
    "build_index",
    "open_corpus",
]

# Imported when first used: the command line imports this package for its version alone.
_HOMES: Final = {
    "Corpus": "podcast_scraper.corpus",
    "Hit": "podcast_scraper.search.results",
    "PodcastScraperError": "podcast_scraper.errors",
    "SearchRequest": "podcast_scraper.search.request",
    "SearchResponse": "podcast_scraper.search.results",
    "build_index": "podcast_scraper.index.build",
    "open_corpus": "podcast_scraper.corpus",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
