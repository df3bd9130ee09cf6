"""The plan of a reading: one cheap pass that decides episodes, shows and recurring ids."""

from __future__ import annotations

import contextlib
import gc
import hashlib
import json
from collections import Counter
from dataclasses import asdict, dataclass, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from podcast_scraper.artifacts.attaching import adopt_loose, attach_transcripts
from podcast_scraper.artifacts.catalog import local_file, media_of, web_url
from podcast_scraper.artifacts.discovery import discover, printable
from podcast_scraper.artifacts.grouping import Unit, by_episode, by_stem
from podcast_scraper.artifacts.scanning import scan_file
from podcast_scraper.artifacts.shows import ShowClues, join_shows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from podcast_scraper.artifacts.loading import ReadLimits
    from podcast_scraper.artifacts.records import ShowRecord
    from podcast_scraper.artifacts.report import Issues
    from podcast_scraper.artifacts.scan_memory import ScanMemory


@dataclass(frozen=True, slots=True)
class PlannedEpisode:
    """An episode that will be read.

    ``files`` maps roles (gi, kg, bridge, metadata, segments, text) to paths in the corpus.
    ``recurring`` are the ids of its insights and quotes that other episodes have too. The
    ``fingerprint`` changes whenever the record would: with any file, the show, or ``recurring``.
    """

    episode_id: str
    stem_path: str
    fingerprint: str
    files: Mapping[str, str]
    show: ShowRecord
    recurring: frozenset[str]
    media: str | None

    def path_of(self, role: str) -> str:
        """Return the path to report for a role: its file, or the stem where there is none."""
        return printable(self.files.get(role, self.stem_path))


def make_plan(
    root: Path, limits: ReadLimits, issues: Issues, memory: ScanMemory | None = None
) -> tuple[PlannedEpisode, ...]:
    """Scan a corpus (``root`` resolved) and return its episodes, sorted by ``stem_path``.

    With a ``memory`` only the files that have changed since its last plan are read.
    """
    with _uncollected():
        return _plan(root, limits, issues, memory)


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """Pause the collector: a plan makes a million small things that stay, and no cycles.

    Walking over them again and again takes a fifth of the time of a large plan.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _plan(
    root: Path, limits: ReadLimits, issues: Issues, memory: ScanMemory | None
) -> tuple[PlannedEpisode, ...]:
    files = discover(root, issues)
    if memory is not None:
        readable = list(memory.scan(root, files, limits, issues))
    else:
        scanned = (scan_file(root, file, limits, issues) for file in files)
        readable = [file for file in scanned if file is not None]
    units, loose = by_stem(readable, issues)
    attach_transcripts(root, units, {file.file.path: file for file in readable}, issues)
    claimed = {file.file.path for unit in units for file in unit.files.values()}
    units = _distinct(adopt_loose(by_episode(units, issues), loose, claimed))
    shows = join_shows([_clues(root, unit) for unit in units])
    statements = [_statements(unit) for unit in units]
    recurring = _recurring(statements)
    for unit in units:
        for file in unit.files.values():
            issues.read_nodes.update(file.nodes)
            issues.read_edges.update(file.edges)
    planned = [
        _planned(root, unit, show, recurring & own)
        for unit, show, own in zip(units, shows, statements, strict=True)
    ]
    return tuple(sorted(planned, key=lambda episode: (episode.stem_path, episode.episode_id)))


def _distinct(units: Iterable[Unit]) -> list[Unit]:
    """Give an episode whose id another one has already a number behind it."""
    taken: set[str] = set()
    result = []
    for unit in units:
        identifier, number = unit.episode_id, 1
        while identifier in taken:
            number += 1
            identifier = f"{unit.episode_id}~{number}"
        taken.add(identifier)
        result.append(replace(unit, episode_id=identifier))
    return result


def _recurring(statements: Iterable[set[str]]) -> frozenset[str]:
    """Return the insight and quote ids that several episodes hold."""
    uses: Counter[str] = Counter()
    for own in statements:
        uses.update(own)
    return frozenset(identifier for identifier, count in uses.items() if count > 1)


def _statements(unit: Unit) -> set[str]:
    return {name for file in unit.files.values() for name in file.statements}


def _clues(root: Path, unit: Unit) -> ShowClues:
    metadata = unit.files.get("metadata")
    catalog = metadata.catalog if metadata else None
    layers = [unit.files[role] for role in ("kg", "gi") if role in unit.files]
    ids = [name for file in layers for name in file.podcast_ids]
    titles = [file.show_title for file in layers if file.show_title]
    return ShowClues(
        podcast_ids=tuple(dict.fromkeys([*ids, *(catalog.other_feed_ids if catalog else ())])),
        feed_id=catalog.feed_id if catalog else None,
        feed_folder=_feed_folder(unit),
        title=(catalog.show_title if catalog else None) or next(iter(titles), None),
        description=catalog.show_description if catalog else None,
        url=catalog.show_url if catalog else None,
        image=(local_file(root, catalog.image_path) or web_url(catalog.image_url))
        if catalog
        else None,
        publisher=catalog.show_publisher if catalog else None,
    )


def _feed_folder(unit: Unit) -> str | None:
    folders = PurePosixPath(unit.lead.file.path).parent.parts
    if "feeds" not in folders[:-1]:
        return None
    return printable(folders[folders.index("feeds") + 1])


def _planned(root: Path, unit: Unit, show: ShowRecord, recurring: frozenset[str]) -> PlannedEpisode:
    lead = unit.lead.file
    stem_path = printable((PurePosixPath(lead.path).parent / lead.stem).as_posix())
    metadata = unit.files.get("metadata")
    media = media_of(
        root,
        metadata.catalog.media_url if metadata and metadata.catalog else None,
        *(unit.files[role].audio_url for role in ("gi", "kg") if role in unit.files),
    )
    digests = {role: file.digest for role, file in unit.files.items()}
    parts: Sequence[object] = (
        unit.episode_id, stem_path, digests, asdict(show), sorted(recurring), media,
    )  # fmt: skip
    content = json.dumps(parts, sort_keys=True).encode()
    return PlannedEpisode(
        episode_id=unit.episode_id,
        stem_path=stem_path,
        fingerprint=hashlib.sha256(content).hexdigest(),
        files={role: file.file.path for role, file in sorted(unit.files.items())},
        show=show,
        recurring=recurring,
        media=media,
    )
