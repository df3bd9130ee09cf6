"""Analysing episodes in this process or in several, in order and with few in memory."""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context
from typing import TYPE_CHECKING, Final

from podcast_scraper.errors import ConfigurationError, IngestError
from podcast_scraper.ingest.extract.plain_annotator import PlainAnnotator
from podcast_scraper.ingest.extract.spacy_annotator import SpacyAnnotator, model_folder
from podcast_scraper.ingest.work import EpisodeWork, work_on

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType
    from typing import Self

    from podcast_scraper.ingest.extract.annotate import Annotator
    from podcast_scraper.ingest.records import EpisodeInput

METHODS: Final[dict[str, type[SpacyAnnotator | PlainAnnotator]]] = {
    SpacyAnnotator.name: SpacyAnnotator,
    PlainAnnotator.name: PlainAnnotator,
}
_annotator: Annotator | None = None


def best_method() -> str:
    """Return the name of the best annotator that is installed."""
    return SpacyAnnotator.name if model_folder() is not None else PlainAnnotator.name


def _prepare(method: str) -> None:
    """Load the annotator once a process."""
    global _annotator
    _annotator = METHODS[method]()


def _work(episode: EpisodeInput, strict: bool) -> EpisodeWork | IngestError:
    assert _annotator is not None
    try:
        return work_on(episode, _annotator, strict)
    except IngestError as error:
        return IngestError(error.message, mend=error.mend)


class Workers:
    """Maps episodes to their analyses; one job works in this process.

    The annotator is loaded when the first episode comes, so that a run without news is quick.
    """

    def __init__(self, method: str, jobs: int, strict: bool) -> None:
        if method not in METHODS:
            raise ConfigurationError(
                f"Unknown extraction method {method!r}.",
                mend=f"Choose one of: {', '.join(METHODS)}.",
                subject=method,
            )
        self._method = method
        self._jobs = jobs
        self._strict = strict
        self._pool: ProcessPoolExecutor | None = None
        self._loaded = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def map(
        self, episodes: Iterator[tuple[EpisodeInput, str]]
    ) -> Iterator[tuple[EpisodeInput, str, EpisodeWork | IngestError]]:
        """Yield each episode with its result, in the order given; at most ``2 jobs`` wait."""
        if self._jobs == 1:
            for episode, item in episodes:
                if not self._loaded:
                    _prepare(self._method)
                    self._loaded = True
                yield episode, item, _work(episode, self._strict)
            return
        running: deque[tuple[EpisodeInput, str, Future[EpisodeWork | IngestError]]] = deque()
        for episode, item in episodes:
            running.append((episode, item, self._submit(episode)))
            if len(running) >= 2 * self._jobs:
                first, mark, future = running.popleft()
                yield first, mark, future.result()
        for first, mark, future in running:
            yield first, mark, future.result()

    def _submit(self, episode: EpisodeInput) -> Future[EpisodeWork | IngestError]:
        if self._pool is None:
            self._pool = ProcessPoolExecutor(
                self._jobs,
                mp_context=get_context("spawn"),
                initializer=_prepare,
                initargs=(self._method,),
            )
        return self._pool.submit(_work, episode, self._strict)
