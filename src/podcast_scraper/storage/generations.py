"""Where an index lives on disk, and how a new one takes the place of the old one.

::

    CORPUS/.podcast-scraper/           (or --index-dir)
        CURRENT                        name of the generation that is served
        build.lock                     held by the one process that builds
        state.sqlite                   what people decided; no build touches it
        generations/000007/            one complete index
            manifest.json              written last: a directory without it was never finished
            corpus.sqlite  lexical/  …

A build fills ``generations/000008.building`` beside the live one. Publishing renames it and then
replaces ``CURRENT``, both atomic; readers keep the generation that they opened.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from podcast_scraper.errors import (
    IndexDamagedError,
    IndexLockedError,
    IndexMismatchError,
    IndexMissingError,
    IndexStateError,
)
from podcast_scraper.storage.schema import SCHEMA_VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

INDEX_DIRECTORY = ".podcast-scraper"
KEPT_GENERATIONS = 2

_REBUILD = "Build it again with `podcast-scraper index`."


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a generation says of itself. ``documents`` counts documents per tier."""

    generation: str
    schema_version: int
    encoder: str
    encoder_fingerprint: str
    dimension: int
    corpus_fingerprint: str
    created: str
    documents: Mapping[str, int]
    extra: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Generation:
    """One complete index on disk."""

    path: Path
    manifest: Manifest

    @property
    def database(self) -> Path:
        return self.path / "corpus.sqlite"

    @property
    def lexical(self) -> Path:
        return self.path / "lexical"


@dataclass(frozen=True, slots=True)
class IndexLocation:
    """The index directory of a corpus."""

    directory: Path

    @classmethod
    def of(cls, corpus: Path, index_dir: Path | None = None) -> IndexLocation:
        """Return the index place of a corpus: ``index_dir`` where given, else inside the corpus."""
        return cls(index_dir if index_dir is not None else corpus / INDEX_DIRECTORY)

    @property
    def state_path(self) -> Path:
        return self.directory / "state.sqlite"

    def current_name(self) -> str | None:
        """Return the name of the live generation, or None where nothing was built yet."""
        try:
            return (self.directory / "CURRENT").read_text(encoding="ascii").strip() or None
        except (FileNotFoundError, NotADirectoryError):
            return None

    def current(self) -> Generation:
        """Open the live generation's manifest.

        Raises IndexMissingError, IndexDamagedError, or IndexMismatchError for another schema.
        """
        name = self.current_name()
        if name is None:
            raise IndexMissingError(
                f"There is no index in {self.directory}.",
                mend="Build it with `podcast-scraper index CORPUS`.",
                subject=self.directory,
            )
        path = self.directory / "generations" / name
        manifest = _read_manifest(path)
        if manifest.schema_version != SCHEMA_VERSION:
            raise IndexMismatchError(
                f"The index in {self.directory} has schema {manifest.schema_version}; "
                f"this version reads schema {SCHEMA_VERSION}.",
                mend=_REBUILD,
                subject=path,
            )
        return Generation(path, manifest)

    @contextlib.contextmanager
    def building(self, *, wait: float = 0.0) -> Iterator[BuildPlace]:
        """Hold the build lock and give a place to build in. ``wait`` is in seconds.

        An unfinished build of an earlier run is kept for its vectors
        (:attr:`BuildPlace.abandoned`) and removed when this build is published.
        """
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            lock = FileLock(self.directory / "build.lock")
            lock.acquire(timeout=wait)
        except Timeout as error:
            raise IndexLockedError(
                f"Another process is building the index in {self.directory}.",
                mend="Wait until it has ended, or run again with --wait SECONDS.",
                subject=self.directory,
            ) from error
        except OSError as error:
            raise IndexStateError(
                f"The index directory {self.directory} cannot be written: {error.strerror}.",
                mend="Name another place with --index-dir DIR.",
                subject=self.directory,
            ) from error
        try:
            yield BuildPlace.prepare(self)
        finally:
            lock.release()


@dataclass(frozen=True, slots=True)
class BuildPlace:
    """A directory that will become a generation when it is published."""

    location: IndexLocation
    name: str
    path: Path
    abandoned: tuple[Path, ...]

    @classmethod
    def prepare(cls, location: IndexLocation) -> BuildPlace:
        root = location.directory / "generations"
        root.mkdir(exist_ok=True)
        names = [entry.name.partition(".")[0] for entry in root.iterdir() if entry.is_dir()]
        number = max((int(name) for name in names if name.isdigit()), default=0) + 1
        abandoned = tuple(sorted(root.glob("*.building")))
        path = root / f"{number:06d}.building"
        path.mkdir()
        return cls(location, f"{number:06d}", path, abandoned)

    def publish(self, manifest: Manifest) -> Generation:
        """Make this build the live generation and remove what it replaced."""
        _write_durably(self.path / "manifest.json", json.dumps(asdict(manifest), indent=2))
        final = self.path.with_name(self.name)
        self.path.rename(final)
        _sync_directory(final.parent)
        temporary = self.location.directory / "CURRENT.new"
        _write_durably(temporary, self.name + "\n")
        temporary.replace(self.location.directory / "CURRENT")
        _sync_directory(self.location.directory)
        self._prune()
        return Generation(final, manifest)

    def discard(self) -> None:
        """Remove the unfinished build."""
        shutil.rmtree(self.path, ignore_errors=True)

    def _prune(self) -> None:
        root = self.path.parent
        finished = sorted(p for p in root.iterdir() if p.is_dir() and p.name.isdigit())
        for path in (*finished[:-KEPT_GENERATIONS], *self.abandoned):
            shutil.rmtree(path, ignore_errors=True)


def _read_manifest(path: Path) -> Manifest:
    try:
        data = json.loads((path / "manifest.json").read_text(encoding="utf-8"))
        return Manifest(**data)
    except (OSError, ValueError, TypeError) as error:
        raise IndexDamagedError(
            f"The index generation {path} has no readable manifest.", mend=_REBUILD, subject=path
        ) from error


def _write_durably(path: Path, text: str) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _sync_directory(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError:
        pass  # some file systems cannot sync a directory; the rename is atomic all the same
    finally:
        os.close(descriptor)
