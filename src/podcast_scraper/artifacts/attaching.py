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
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from podcast_scraper.artifacts.report import Issues
    from podcast_scraper.artifacts.scanning import ScannedFile


def attach(
    root: Path,
    units: Sequence[Unit],
    loose: Sequence[Unit],
    files: Mapping[str, ScannedFile],
    issues: Issues,
) -> list[Unit]:
    """Give every unit its transcript, and return all episodes of the corpus.

    A transcript is where ``transcript_file_path`` leads, else beside the stem, else where a
    ``transcript_ref`` leads; segments are found by the episode's or the transcript's stem. A loose
    group joins the one episode with its bridge id or stem; one with segments that belongs to no
    episode is an episode of its own. ``files`` holds every readable file by path.
    """
    claimed: set[str] = set()
    for unit in units:
        _attach_text(root, unit, files, issues)
        text = unit.files.get("text")
        if text is not None and "segments" not in unit.files:
            beside = _sibling(text, "segments", files)
            if beside is not None:
                unit.files["segments"] = beside
        claimed.update(file.file.path for file in unit.files.values())
    by_stem: dict[str, list[Unit]] = defaultdict(list)
    for unit in units:
        by_stem[unit.lead.file.stem].append(unit)
    by_id = {unit.episode_id: unit for unit in units}
    episodes = list(units)
    for unit in loose:
        rest = {role: file for role, file in unit.files.items() if file.file.path not in claimed}
        bridge = rest.get("bridge")
        owner = by_id.get((bridge.episode_id or "") if bridge else "")
        same_stem = by_stem.get(unit.lead.file.stem, [])
        owner = owner or (same_stem[0] if len(same_stem) == 1 else None)
        if owner is not None:
            for role, file in rest.items():
                owner.files.setdefault(role, file)
        elif "segments" in rest:
            identifier = _free(unit, by_id)
            by_id[identifier] = Unit(identifier, rest)
            episodes.append(by_id[identifier])
    return sorted(episodes, key=lambda unit: unit.lead.file.path)


def _free(unit: Unit, taken: Mapping[str, Unit]) -> str:
    """Return the stem, or place and stem where another episode has that id already."""
    stem = unit.episode_id
    return f"{printable(unit.lead.file.place)}/{stem}" if stem in taken else stem


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
