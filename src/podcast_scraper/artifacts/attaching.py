"""Finding the transcript and the loose files of each episode, never outside the corpus."""

from __future__ import annotations

from collections import defaultdict
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from podcast_scraper.artifacts.discovery import printable, split_name
from podcast_scraper.artifacts.grouping import Unit
from podcast_scraper.artifacts.loading import inside
from podcast_scraper.errors import ArtifactError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    from podcast_scraper.artifacts.report import Issues
    from podcast_scraper.artifacts.scanning import ScannedFile


def attach_transcripts(
    root: Path, units: Sequence[Unit], files: Mapping[str, ScannedFile], issues: Issues
) -> None:
    """Give every unit its transcript and segments.

    A transcript is where ``transcript_file_path`` leads, else beside the stem, else where a
    ``transcript_ref`` leads; segments are found by the episode's or the transcript's stem.
    ``files`` holds every readable file by path.
    """
    for unit in units:
        _attach_text(root, unit, files, issues)
        text = unit.files.get("text")
        if text is not None and "segments" not in unit.files:
            beside = _sibling(text, "segments", files)
            if beside is not None:
                unit.files["segments"] = beside


def adopt_loose(
    episodes: Sequence[Unit], loose: Sequence[Unit], claimed: Collection[str]
) -> list[Unit]:
    """Return all episodes, with every loose group in the one whose bridge id or stem it has.

    A loose group with segments that belongs to no episode is an episode of its own. Files whose
    paths are ``claimed`` have an owner already.
    """
    of_stem: dict[str, list[Unit]] = defaultdict(list)
    for unit in episodes:
        of_stem[unit.lead.file.stem].append(unit)
    by_id = {unit.episode_id: unit for unit in episodes}
    found = list(episodes)
    for unit in loose:
        rest = {role: file for role, file in unit.files.items() if file.file.path not in claimed}
        bridge = rest.get("bridge")
        owner = by_id.get((bridge.episode_id or "") if bridge else "")
        same_stem = of_stem.get(unit.lead.file.stem, [])
        owner = owner or (same_stem[0] if len(same_stem) == 1 else None)
        if owner is not None:
            for role, file in rest.items():
                owner.files.setdefault(role, file)
        elif "segments" in rest:
            found.append(Unit(unit.episode_id, rest))
    return sorted(found, key=lambda unit: unit.lead.file.path)


def _attach_text(root: Path, unit: Unit, files: Mapping[str, ScannedFile], issues: Issues) -> None:
    metadata = unit.files.get("metadata")
    stated = metadata.catalog.transcript_path if metadata and metadata.catalog else None
    if metadata is not None and stated:
        found = _resolve(root, metadata, stated, files, issues)
        if found is not None:
            unit.files["text"] = found
            return
    if "text" in unit.files:
        return
    for role in ("kg", "gi"):
        file = unit.files.get(role)
        if file is not None and file.transcript_ref:
            found = _resolve(root, file, file.transcript_ref, files, None)
            if found is not None:
                unit.files["text"] = found
                return


def _resolve(
    root: Path,
    origin: ScannedFile,
    stated: str,
    files: Mapping[str, ScannedFile],
    issues: Issues | None,
) -> ScannedFile | None:
    """Return the readable text file that a path in ``origin`` names."""
    path = printable(origin.file.path)
    for candidate in _candidates(root, origin, stated):
        try:
            real = inside(root, candidate)
        except ArtifactError as error:
            if issues is not None and "out of the corpus" in error.message:
                issues.warn(path, "transcript_file_path leads out of the corpus: not followed")
                return None
            continue
        found = files.get(real.relative_to(root).as_posix())
        if found is not None and found.file.role == "text":
            return found
    if issues is not None:
        issues.warn(path, "transcript_file_path names no readable .txt file of the corpus")
    return None


def _candidates(root: Path, origin: ScannedFile, stated: str) -> Iterator[Path]:
    folder = (root / origin.file.path).parent
    relative = stated.strip().replace("\\", "/")
    yield folder.parent / relative
    yield folder.parent / "transcripts" / relative
    yield folder / relative
    yield folder / "transcripts" / relative
    yield root / relative


def _sibling(text: ScannedFile, role: str, files: Mapping[str, ScannedFile]) -> ScannedFile | None:
    """Return the file of another role beside a transcript with the same stem."""
    folder = PurePosixPath(text.file.path).parent
    _, stem = split_name(PurePosixPath(text.file.path).name)
    return files.get((folder / f"{stem}.{role}.json").as_posix())
