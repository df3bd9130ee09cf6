"""Importing: sources to episodes, episodes to analyses, analyses to artifacts.

Each step is stored before the next begins, so that a killed import goes on where it was, and
whatever has not changed is not touched.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from podcast_scraper.errors import IngestError
from podcast_scraper.index.progress import Stopwatch
from podcast_scraper.ingest.compose import as_it_is, compose
from podcast_scraper.ingest.feed_episodes import feed_outcomes, read_feed
from podcast_scraper.ingest.feeds.http import Client
from podcast_scraper.ingest.feeds.opml import parse_opml
from podcast_scraper.ingest.files import file_episodes
from podcast_scraper.ingest.removing import artifact_files, remove_artifacts
from podcast_scraper.ingest.report import ImportReport, show_reports
from podcast_scraper.ingest.state import Counts, ImportState, KnownEpisode, import_state
from podcast_scraper.ingest.work import to_json
from podcast_scraper.ingest.workers import Workers, best_method

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from podcast_scraper.ingest.extract.abstractive import Abstractive
    from podcast_scraper.ingest.records import EpisodeInput
    from podcast_scraper.ingest.work import EpisodeWork


def silent(stage: str) -> None:
    """Tell nobody of the progress."""


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """How to import. ``show`` names the show of files; ``method`` is an annotator's name."""

    show: str | None = None
    strict: bool = False
    allow_private: bool = False
    jobs: int = 1
    method: str | None = None


def import_sources(
    sources: Sequence[str],
    corpus: Path,
    options: ImportOptions | None = None,
    client: Client | None = None,
    progress: Callable[[str], None] = silent,
    abstractive: Abstractive | None = None,
) -> ImportReport:
    """Import feeds, OPML lists, files and directories into a corpus.

    ``progress`` is told the stage (``reading``, ``topics``, ``writing``) of each episode done;
    ``abstractive`` may add insights of a language model to each record before it is written.

    Raises:
        IngestError: another import is running, or the state cannot be used.
    """
    with import_state(corpus, create=True) as state:
        run = _Run(corpus, state, options or ImportOptions(), client, progress, abstractive)
        return run.over([(source, options or ImportOptions()) for source in sources])


def update(
    corpus: Path,
    options: ImportOptions | None = None,
    client: Client | None = None,
    progress: Callable[[str], None] = silent,
    abstractive: Abstractive | None = None,
) -> ImportReport:
    """Read every remembered source again and import what is new or changed.

    Raises:
        IngestError: nothing was imported into this corpus, or as :func:`import_sources`.
    """
    base = options or ImportOptions()
    with import_state(corpus) as state:
        run = _Run(corpus, state, base, client, progress, abstractive)
        return run.over(
            [
                (name, replace(base, show=kept["show"], allow_private=kept["allow_private"]))
                for name, _, kept in state.sources()
            ]
        )


class _Run:
    def __init__(
        self,
        corpus: Path,
        state: ImportState,
        options: ImportOptions,
        client: Client | None,
        progress: Callable[[str], None],
        abstractive: Abstractive | None,
    ) -> None:
        self._corpus = corpus
        self._state = state
        self._options = options
        self._client = client
        self._progress = progress
        self._abstractive = abstractive
        self._method = options.method or best_method()
        self._report = ImportReport()
        self._fresh: list[str] = []

    def over(self, sources: Iterable[tuple[str, ImportOptions]]) -> ImportReport:
        watch = Stopwatch()
        workers = Workers(self._method, self._options.jobs, self._options.strict)
        with workers, watch.stage("analyse"):
            for source, options in sources:
                self._source(source, options, workers)
        resumed = self._state.waiting()
        with watch.stage("write"):
            self._report.episodes = compose(
                self._corpus,
                self._state,
                self._method,
                self._progress,
                self._abstractive.refine if self._abstractive else as_it_is,
            )
        if self._abstractive is not None:
            self._report.abstractive = asdict(self._abstractive.tally)
        for episode in dict.fromkeys([*self._fresh, *resumed]):
            if self._state.episode(episode) is not None:
                file = self._state.report(episode)
                self._report.files.append({"episode": episode, **file})
        self._report.seconds = watch.seconds()
        total = sum(self._report.seconds.values())
        each = total / self._report.episodes if self._report.episodes else None
        self._report.shows = show_reports(self._state, each)
        return self._report

    def _source(self, source: str, options: ImportOptions, workers: Workers) -> None:
        try:
            if source.startswith(("http://", "https://")):
                self._feed(source, options, workers)
            elif Path(source).suffix.lower() == ".opml":
                for url in parse_opml(Path(source).read_bytes()):
                    self._source(url, options, workers)
            elif Path(source).exists():
                self._files(Path(source), options, workers)
            else:
                raise IngestError(f"{source} is neither a file, a directory nor an address.")
        except IngestError as error:
            self._report.failed.append({"path": source, "reason": str(error)})

    def _remember(self, name: str, kind: str, options: ImportOptions) -> None:
        kept = {"show": options.show, "allow_private": options.allow_private}
        self._state.remember_source(name, kind, kept)

    # -- files

    def _files(self, path: Path, options: ImportOptions, workers: Workers) -> None:
        source = str(path.resolve())
        self._remember(source, "files", options)
        seen: set[str] = set()
        self._analyse(source, self._changed_files(path, options, source, seen), workers)
        for known in self._state.episodes(source=source):
            if known.id not in seen and not Path(known.origin).exists():
                remove_artifacts(self._corpus, known.stem_path)
                self._state.forget(known.id)
                self._report.removed.append(known.id)

    def _changed_files(
        self, path: Path, options: ImportOptions, source: str, seen: set[str]
    ) -> Iterator[tuple[EpisodeInput, str]]:
        for file, found in file_episodes(path, options.show):
            if isinstance(found, IngestError):
                self._report.failed.append({"path": str(file), "reason": str(found)})
                continue
            episode = self._own_id(found, source)
            seen.add(episode.episode_id)
            fingerprint = episode.fingerprint(self._method)
            known = self._state.episode(episode.episode_id)
            if self._state.is_removed(episode.episode_id) or self._is_current(known, fingerprint):
                self._report.unchanged += 1
            else:
                yield episode, fingerprint

    def _own_id(self, episode: EpisodeInput, source: str) -> EpisodeInput:
        """Give an episode another id where its own belongs to another file that still exists."""
        known = self._state.episode(episode.episode_id)
        if known is None or known.origin == episode.origin or not Path(known.origin).exists():
            return episode
        mark = episode.numbered(episode.origin)
        return replace(
            episode, episode_id=f"{episode.episode_id}-{mark}", stem=f"{episode.stem}-{mark}"
        )

    def _is_current(self, known: KnownEpisode | None, fingerprint: str) -> bool:
        """Whether an episode's analysis is that of this input, and its artifacts are there."""
        if known is None or known.fingerprint != fingerprint:
            return False
        metadata = next(
            file
            for file in artifact_files(self._corpus, known.stem_path)
            if file.name.endswith(".metadata.json")
        )
        return not known.written or metadata.exists()

    # -- feeds

    def _feed(self, url: str, options: ImportOptions, workers: Workers) -> None:
        client = self._client or Client(allow_private=options.allow_private)
        self._remember(url, "feed", options)
        feed, validators = read_feed(url, client, self._state)
        known = {episode.id for episode in self._state.episodes(source=url)}
        if feed is None:
            self._report.unchanged += len(known)
            return
        self._report.notes.extend(f"{url}: {note}" for note in feed.notes)
        seen: set[str] = set()
        failures = len(self._report.failed)

        def fresh() -> Iterator[tuple[EpisodeInput, str]]:
            for outcome in feed_outcomes(feed, url, client, self._state, options.show):
                seen.add(outcome.episode_id)
                if outcome.episode is not None:
                    yield outcome.episode, outcome.item
                elif outcome.error is not None:
                    failed = {"path": outcome.episode_id, "reason": str(outcome.error)}
                    self._report.failed.append(failed)
                elif outcome.status == "without transcript":
                    self._report.without_transcript += 1
                else:
                    self._report.unchanged += 1

        self._analyse(url, fresh(), workers)
        self._report.vanished.extend(sorted(known - seen))
        if len(self._report.failed) == failures:
            # With failures the feed is read in full next time, for they may have passed.
            self._state.keep_validators(url, *validators)

    # -- both

    def _analyse(
        self, source: str, episodes: Iterator[tuple[EpisodeInput, str]], workers: Workers
    ) -> None:
        for episode, item, result in workers.map(episodes):
            if isinstance(result, IngestError):
                self._report.failed.append({"path": episode.origin, "reason": str(result)})
                continue
            self._keep(source, episode, item, result)
            self._progress("reading")

    def _keep(self, source: str, episode: EpisodeInput, item: str, work: EpisodeWork) -> None:
        before = self._state.episode(episode.episode_id)
        if before is not None and before.stem_path != episode.stem_path:
            remove_artifacts(self._corpus, before.stem_path)
        known = KnownEpisode(
            episode.episode_id,
            source,
            episode.show.slug,
            episode.stem_path,
            episode.origin,
            item,
            episode.fingerprint(self._method),
            written=False,
        )
        packed: dict[str, Any] = to_json(work)
        self._state.analysed(
            known,
            episode.keys,
            work.report["words"],
            work.report,
            packed,
            Counts(
                work.topic_phrases,
                work.analysis.names,
                work.analysis.fingerprints,
                work.report["speakers"],
            ),
        )
        self._fresh.append(episode.episode_id)
