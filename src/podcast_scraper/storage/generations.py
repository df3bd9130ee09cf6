"""Where an index lives on disk, and how a new one takes the place of the old one.

::

    CORPUS/.podcast-scraper/           (or --index-dir)
        CURRENT                        name of the generation that is served
        build.lock                     held by the one process that builds
        state.sqlite                   what people decided; no build touches it
        generations/000007/            one complete index
            manifest.json              written last: a directory without it was never finished
            corpus.sqlite  lexical/  dense/  graph/ …
            derived-1/  DERIVED        graph and columns made anew since, and which of them counts

A build fills ``generations/000008.building`` beside the live one. Publishing renames it and then
replaces ``CURRENT``, both atomic; readers keep the generation that they opened. A small change is
made in the live generation itself, as a revision that its database commits
(:mod:`podcast_scraper.search.backends.embedded`); then the generation is published again under its
number and a count, such as ``000008.3``, which tells readers to open it anew.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from dataclasses import asdict, dataclass, field, replace
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
from podcast_scraper.storage.store import DATABASE, FILES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from podcast_scraper.storage.store import RecordStore

INDEX_DIRECTORY = ".podcast-scraper"
KEPT_GENERATIONS = 2

_DERIVED = "DERIVED"
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
    """One complete index on disk; ``manifest.generation`` is its name with the count."""

    path: Path
    manifest: Manifest

    @property
    def derived(self) -> Path:
        """Where the graph and the columns are that belong to the newest records."""
        try:
            return self.path / (self.path / _DERIVED).read_text(encoding="ascii").strip()
        except FileNotFoundError:
            return self.path

    @property
    def database(self) -> Path:
        return self.path / DATABASE

    @property
    def lexical(self) -> Path:
        return self.path / "lexical"


@dataclass(frozen=True, slots=True)
class IndexLocation:
    """The index directory of a corpus, and where the records of its generations are."""

    directory: Path
    store: RecordStore = FILES

    @classmethod
    def of(
        cls, corpus: Path, index_dir: Path | None = None, store: RecordStore = FILES
    ) -> IndexLocation:
        """Return the index place of a corpus: ``index_dir`` where given, else inside the corpus."""
        return cls(index_dir if index_dir is not None else corpus / INDEX_DIRECTORY, store)

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
        path = self.directory / "generations" / name.partition(".")[0]
        manifest = _read_manifest(path)
        if manifest.schema_version != SCHEMA_VERSION:
            raise IndexMismatchError(
                f"The index in {self.directory} has schema {manifest.schema_version}; "
                f"this version reads schema {SCHEMA_VERSION}.",
                mend=_REBUILD,
                subject=path,
            )
        return Generation(path, manifest)

    def finished(self) -> list[int]:
        """Return the numbers of the generations that are kept, ascending."""
        root = self.directory / "generations"
        return sorted(int(path.name) for path in root.iterdir() if path.name.isdigit())

    def republish(self, generation: Generation, manifest: Manifest) -> Generation:
        """Tell readers that the live generation has changed; ``manifest`` says what it is now.

        Returns it under its next name.
        """
        number, _, count = generation.manifest.generation.partition(".")
        renamed = replace(manifest, generation=f"{number}.{int(count or 0) + 1}")
        _replace_durably(generation.path / "manifest.json", _as_json(renamed))
        _replace_durably(self.directory / "CURRENT", renamed.generation + "\n")
        return Generation(generation.path, renamed)

    def withdraw(self) -> None:
        """Remove every generation, because its corpus is no more. What people decided is kept."""
        with self.building() as place:
            (self.directory / "CURRENT").unlink(missing_ok=True)
            _sync_directory(self.directory)
            place.discard_all()

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
        taken = [*(int(name) for name in names if name.isdigit()), *location.store.numbers()]
        number = max(taken, default=0) + 1
        unfinished = sorted(root.glob("*.building"))
        abandoned = tuple(p for p in unfinished if location.store.has_records(p))
        for path in set(unfinished) - set(abandoned):
            shutil.rmtree(path, ignore_errors=True)  # it ended before it had anything to give
        path = root / f"{number:06d}.building"
        path.mkdir()
        return cls(location, f"{number:06d}", path, abandoned)

    @property
    def donors(self) -> tuple[Path, ...]:
        """Generations and unfinished builds whose vectors may be taken over, the newest first."""
        root = self.path.parent
        others = [p for p in root.iterdir() if p.is_dir() and p != self.path]
        return tuple(sorted(others, key=lambda path: path.name, reverse=True))

    def publish(self, manifest: Manifest) -> Generation:
        """Make this build the live generation and remove what it replaced."""
        _replace_durably(self.path / "manifest.json", _as_json(manifest))
        final = self.path.with_name(self.name)
        self.path.rename(final)
        _sync_directory(final.parent)
        _replace_durably(self.location.directory / "CURRENT", self.name + "\n")
        self._prune()
        return Generation(final, manifest)

    def discard(self) -> None:
        """Remove the unfinished build."""
        self._remove(self.path)

    def discard_all(self) -> None:
        """Remove this build and every generation beside it."""
        for path in [*self.path.parent.iterdir()]:
            if path.is_dir():
                self._remove(path)

    def _prune(self) -> None:
        root = self.path.parent
        finished = sorted(p for p in root.iterdir() if p.is_dir() and p.name.isdigit())
        for path in (*finished[:-KEPT_GENERATIONS], *self.abandoned):
            self._remove(path)

    def _remove(self, path: Path) -> None:
        self.location.store.drop_records(path)
        shutil.rmtree(path, ignore_errors=True)


def _read_manifest(path: Path) -> Manifest:
    try:
        data = json.loads((path / "manifest.json").read_text(encoding="utf-8"))
        return Manifest(**data)
    except (OSError, ValueError, TypeError) as error:
        raise IndexDamagedError(
            f"The index generation {path} has no readable manifest.", mend=_REBUILD, subject=path
        ) from error


@contextlib.contextmanager
def deriving(generation: Generation) -> Iterator[Path]:
    """Give a directory for a graph and columns that take the place of the present ones.

    They do when the block has ended; those that no reader can still be opening are removed.
    """
    numbers = [int(path.name.partition("-")[2]) for path in generation.path.glob("derived-*")]
    before = generation.derived
    directory = generation.path / f"derived-{max(numbers, default=0) + 1}"
    directory.mkdir()
    try:
        yield directory
    except BaseException:
        shutil.rmtree(directory, ignore_errors=True)
        raise
    _replace_durably(generation.path / _DERIVED, directory.name + "\n")
    for path in generation.path.glob("derived-*"):
        if path not in (directory, before):
            shutil.rmtree(path, ignore_errors=True)


def _as_json(manifest: Manifest) -> str:
    return json.dumps(asdict(manifest), indent=2)


def _replace_durably(path: Path, text: str) -> None:
    temporary = path.with_name(path.name + ".new")
    with temporary.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    _sync_directory(path.parent)


def _sync_directory(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError:
        pass  # some file systems cannot sync a directory; the rename is atomic all the same
    finally:
        os.close(descriptor)
