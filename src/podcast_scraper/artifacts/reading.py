"""The door to a corpus on disk: plan it, then stream its episodes, and say what was not read."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from podcast_scraper.artifacts.assembling import EpisodeParts, assemble
from podcast_scraper.artifacts.catalog import Catalog, read_bridge, read_catalog
from podcast_scraper.artifacts.discovery import printable, resolve_corpus
from podcast_scraper.artifacts.loading import DEFAULT_LIMITS, ReadLimits, load_json, load_text
from podcast_scraper.artifacts.planning import PlannedEpisode, make_plan
from podcast_scraper.artifacts.report import Issues, ReadReport
from podcast_scraper.artifacts.transcripts import read_segments
from podcast_scraper.errors import ArtifactError
from podcast_scraper.gi.reader import read_gi
from podcast_scraper.kg.reader import read_kg

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    from podcast_scraper.artifacts.envelope import LayerFile
    from podcast_scraper.artifacts.records import EpisodeRecord, Segment
    from podcast_scraper.artifacts.scan_memory import ScanMemory


class CorpusReading:
    """One reading of a corpus. Only the plan is held in memory, never the episodes."""

    def __init__(
        self,
        root: Path,
        plan: tuple[PlannedEpisode, ...],
        plan_issues: Issues,
        limits: ReadLimits,
        now: datetime,
    ) -> None:
        self.root = root
        self.plan = plan
        self._plan_issues = plan_issues
        self._limits = limits
        self._now = now
        self._issues: dict[str, Issues] = {}

    def episodes(self, only: Collection[str] | None = None) -> Iterator[EpisodeRecord]:
        """Yield the planned episodes in order, or those of the given bare ids only."""
        wanted = None if only is None else set(only)
        for planned in self.plan:
            if wanted is None or planned.episode_id in wanted:
                issues = Issues()
                parts = _read_parts(self.root, planned, self._limits, issues)
                record = assemble(planned, parts, self._now, issues)
                self._issues[planned.episode_id] = issues
                yield record

    @property
    def report(self) -> ReadReport:
        """The report of the plan and of the episodes read so far.

        It is complete once :meth:`episodes` was exhausted; ``read`` counts always hold for the
        whole corpus.
        """
        read = [
            self._issues[planned.episode_id]
            for planned in self.plan
            if planned.episode_id in self._issues
        ]
        return ReadReport.of(len(self.plan), [self._plan_issues, *read])


def open_reading(
    corpus_dir: Path,
    *,
    limits: ReadLimits = DEFAULT_LIMITS,
    now: datetime | None = None,
    memory: ScanMemory | None = None,
) -> CorpusReading:
    """Scan a corpus and plan its reading; an empty directory gives an empty plan.

    ``now`` (aware, default the clock) is what dates in the future are measured by; ``memory``
    spares the plan the files that have not changed since it was last used.

    Raises:
        CorpusError: there is no such directory. Bad files never raise.
    """
    root = resolve_corpus(corpus_dir)
    issues = Issues()
    plan = make_plan(root, limits, issues, memory)
    return CorpusReading(root, plan, issues, limits, now or datetime.now(UTC))


class _Loader:
    """Loads the files of one episode; a file that cannot be read any more is quarantined."""

    def __init__(
        self, root: Path, planned: PlannedEpisode, limits: ReadLimits, issues: Issues
    ) -> None:
        self._root, self._planned, self._limits, self._issues = root, planned, limits, issues

    def json(self, role: str) -> Any:
        """Return the JSON value of a role's file, or None."""
        path = self._planned.files.get(role)
        if path is None:
            return None
        try:
            loaded = load_json(self._root, self._root / path, self._limits)
        except ArtifactError as error:
            self._issues.quarantine(printable(path), error)
            return None
        for repair in loaded.repairs:
            self._issues.repair(printable(path), "JSON", repair)
        return loaded.value

    def text(self) -> str:
        """Return the transcript's text, or an empty one."""
        path = self._planned.files.get("text")
        if path is None:
            return ""
        try:
            return load_text(self._root, self._root / path, self._limits)
        except ArtifactError as error:
            self._issues.quarantine(printable(path), error)
            return ""

    def layer(self, role: str) -> LayerFile | None:
        """Return the GI or KG layer, or None."""
        document = self.json(role)
        if not isinstance(document, dict):
            return None
        path = printable(self._planned.files[role])
        read = read_gi if role == "gi" else read_kg
        try:
            return read(document, path=path, issues=self._issues)
        except ArtifactError as error:
            self._issues.quarantine(path, error)
            return None

    def segments(self) -> tuple[Segment, ...] | None:
        """Return the segments, or None without a readable file."""
        value = self.json("segments")
        if value is None:
            return None
        path = printable(self._planned.files["segments"])
        return read_segments(value, path, self._planned.episode_id, self._issues)


def _read_parts(
    root: Path, planned: PlannedEpisode, limits: ReadLimits, issues: Issues
) -> EpisodeParts:
    loader = _Loader(root, planned, limits, issues)
    metadata, bridge = loader.json("metadata"), loader.json("bridge")
    return EpisodeParts(
        kg=loader.layer("kg"),
        gi=loader.layer("gi"),
        catalog=read_catalog(metadata) if isinstance(metadata, dict) else Catalog(),
        bridge=read_bridge(bridge) if isinstance(bridge, dict) else (),
        segments=loader.segments(),
        text=loader.text(),
    )
