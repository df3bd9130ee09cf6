"""Finding the files of a corpus: any folder depth, by file stem, never outside the corpus."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from podcast_scraper.artifacts.loading import inside
from podcast_scraper.errors import ArtifactError, CorpusError

if TYPE_CHECKING:
    from podcast_scraper.artifacts.report import Issues

ROLES: Final = {
    ".gi.json": "gi",
    ".kg.json": "kg",
    ".bridge.json": "bridge",
    ".metadata.json": "metadata",
    ".segments.json": "segments",
    ".txt": "text",
}
_IGNORED_FOLDERS: Final = frozenset({"enrichments"})
_LAYER_FOLDERS: Final = frozenset({"metadata", "transcripts"})
_RUN_DATE = re.compile(r"(\d{4})\D?(\d{2})\D?(\d{2})(?:\D?(\d{2})\D?(\d{2})(?:\D?(\d{2}))?)?")

RunOrder = tuple[tuple[int, ...], str]


@dataclass(frozen=True, slots=True)
class CorpusFile:
    """A file of a known role.

    ``path`` is POSIX and relative to the corpus. ``place`` is the folder without a last
    ``metadata`` or ``transcripts``; files of one place and stem are one episode's. ``home`` is the
    part of ``place`` before a ``run_*`` folder, and ``run`` sorts the runs of one home by age.
    """

    path: str
    role: str
    stem: str
    place: str
    home: str
    run: RunOrder


def resolve_corpus(corpus_dir: Path) -> Path:
    """Return the real path of a corpus directory.

    Raises:
        CorpusError: there is no such directory.
    """
    try:
        root = Path(corpus_dir).resolve(strict=True)
        if root.is_dir():
            return root
    except (OSError, RuntimeError):
        pass
    raise CorpusError(
        f"There is no corpus directory at {corpus_dir}.",
        mend="Give the directory that holds the *.gi.json and *.kg.json files.",
        subject=corpus_dir,
    )


def discover(root: Path, issues: Issues) -> list[CorpusFile]:
    """Return every file of a known role under ``root``, sorted by path.

    Hidden folders and enrichments are ignored; a link or special file that is refused, and a
    folder that cannot be listed, is quarantined.
    """
    found: list[CorpusFile] = []

    def failed(error: OSError) -> None:
        path = printable(os.path.relpath(error.filename or root, root))
        issues.quarantine(path, ArtifactError(f"cannot be listed: {error.strerror}"))

    for folder, folders, names in os.walk(root, onerror=failed):
        for name in folders:
            _check_folder_link(root, Path(folder, name), issues)
        folders[:] = sorted(
            name for name in folders if name not in _IGNORED_FOLDERS and not name.startswith(".")
        )
        above = Path(folder).relative_to(root).parts
        for name in sorted(names):
            role, stem = split_name(name)
            if role is None or name.startswith("."):
                continue
            path = "/".join((*above, name))
            try:
                _check_file(root, path)
            except ArtifactError as error:
                issues.quarantine(printable(path), error)
            else:
                found.append(_corpus_file(path, above, role, stem))
    return sorted(found, key=lambda file: file.path)


def split_name(name: str) -> tuple[str | None, str]:
    """Return the role and the stem of a file name; the role is None for a foreign file."""
    for suffix, role in ROLES.items():
        if name.lower().endswith(suffix) and len(name) > len(suffix):
            return role, name[: -len(suffix)]
    return None, name


def printable(path: str) -> str:
    """Return a path as text that every encoder takes (file names may hold undecodable bytes)."""
    return path.encode("utf-8", "backslashreplace").decode("utf-8")


def _check_folder_link(root: Path, folder: Path, issues: Issues) -> None:
    """Links to folders are not followed: inside the corpus they would show files twice."""
    if not folder.is_symlink():
        return
    try:
        outside = not folder.resolve().is_relative_to(root)
    except (OSError, RuntimeError):
        outside = True
    if outside:
        issues.quarantine(
            printable(folder.relative_to(root).as_posix()),
            ArtifactError("leads out of the corpus and is not followed"),
        )


def _check_file(root: Path, path: str) -> None:
    """Raise ArtifactError for what is no regular file or leads out of the corpus.

    No folder above it is a link, so a file that is none either is where it seems to be.
    """
    with contextlib.suppress(OSError):
        if stat.S_ISREG(os.lstat(os.path.join(root, path)).st_mode):
            return
    inside(root, root / path)


def _corpus_file(path: str, above: tuple[str, ...], role: str, stem: str) -> CorpusFile:
    folders = list(above)
    if folders and folders[-1] in _LAYER_FOLDERS:
        folders.pop()
    runs = [place for place, name in enumerate(folders) if name.startswith("run_")]
    home = folders[: runs[-1]] if runs else folders
    run = run_order(folders[runs[-1]]) if runs else ((), "")
    return CorpusFile(path, role, stem, "/".join(folders), "/".join(home), run)


def run_order(folder: str) -> RunOrder:
    """Return a key that sorts ``run_*`` folders by age: by the date in the name, else by name."""
    match = _RUN_DATE.search(folder)
    if match:
        return (1, *(int(part or 0) for part in match.groups())), folder
    return (0, *(int(digits) for digits in re.findall(r"\d{1,9}", folder))), folder
