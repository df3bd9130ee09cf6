"""What the first look at each file found, remembered, so that the next plan reads what changed.

A file is taken as known while its size, its times of modification and of change, and its inode are
those of the last look. The time of change is set by the system with every write, also where the
time of modification is put back. A file that changed less than two seconds before it was read is
not remembered (it could change again within one tick of the clock), so that a clock that jumps
costs a second look and hides nothing. What is remembered can be thrown away at any time.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

import orjson

from podcast_scraper.artifacts.catalog import Catalog, CatalogSpeaker
from podcast_scraper.artifacts.scanning import ScannedFile, scan_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from podcast_scraper.artifacts.discovery import CorpusFile
    from podcast_scraper.artifacts.loading import ReadLimits
    from podcast_scraper.artifacts.report import Issues

# Of what scanning takes from a file: count it up whenever that changes.
FORMAT: Final = 2
SETTLED_NS: Final = 2_000_000_000

_SCHEMA: Final = """
    CREATE TABLE IF NOT EXISTS scanned
    (path BLOB PRIMARY KEY, state TEXT NOT NULL, found BLOB NOT NULL) WITHOUT ROWID
"""


Entry = tuple[str, bytes]  # a file's state, and what was found in it


class ScanMemory:
    """Found things by path, in one file; without it, or where it is unusable, all is scanned."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._before: dict[bytes, Entry] = {}
        self._after: dict[bytes, Entry] = {}

    def scan(
        self, root: Path, files: Iterable[CorpusFile], limits: ReadLimits, issues: Issues
    ) -> Iterator[ScannedFile]:
        """Yield the readable files, as :func:`scan_file` finds them; the others are in issues."""
        self._before, self._after = self._read(), {}
        for file in files:
            key, state = os.fsencode(file.path), _state(root, file, limits)
            known = self._before.get(key)
            if state is not None and known is not None and known[0] == state:
                self._after[key] = known
                yield _decoded(file, known[1])
                continue
            scanned = scan_file(root, file, limits, issues)
            if scanned is None:
                continue
            if state is not None and state == _state(root, file, limits):
                with contextlib.suppress(TypeError):  # a number that this JSON cannot hold
                    self._after[key] = state, _encoded(scanned)
            yield scanned

    def keep(self) -> None:
        """Write down what the last scan found, into a directory that exists.

        Where that fails, the next plan takes longer.
        """
        before, after = self._before, self._after
        gone = [(path,) for path in before if path not in after]
        come = [(path, *found) for path, found in after.items() if before.get(path) != found]
        if not gone and not come:
            return
        with contextlib.suppress(sqlite3.Error), self._opened() as database:
            database.execute(_SCHEMA)
            database.execute(f"PRAGMA user_version = {FORMAT}")
            database.executemany("DELETE FROM scanned WHERE path = ?", gone)
            database.executemany("INSERT OR REPLACE INTO scanned VALUES (?, ?, ?)", come)

    def _read(self) -> dict[bytes, Entry]:
        if not self._path.exists():
            return {}
        try:
            with self._opened() as database:
                (form,) = database.execute("PRAGMA user_version").fetchone()
                if form != FORMAT:
                    raise sqlite3.DatabaseError("of another format")
                rows = database.execute("SELECT path, state, found FROM scanned")
                return {path: (state, found) for path, state, found in rows}
        except sqlite3.OperationalError:  # another process holds it
            return {}
        except sqlite3.DatabaseError:
            with contextlib.suppress(OSError):
                self._path.unlink()
            return {}

    @contextlib.contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        database = sqlite3.connect(self._path)
        try:
            with database:
                yield database
        finally:
            database.close()


def _state(root: Path, file: CorpusFile, limits: ReadLimits) -> str | None:
    """Return what tells whether a file has changed; None where nothing about it is certain."""
    try:
        found = os.stat(os.path.join(root, file.path))
    except OSError:
        return None
    newest = max(found.st_mtime_ns, found.st_ctime_ns)
    if found.st_size > limits.max_bytes or newest > time.time_ns() - SETTLED_NS:
        return None
    return f"{found.st_size} {found.st_mtime_ns} {found.st_ctime_ns} {found.st_ino}"


def _encoded(scanned: ScannedFile) -> bytes:
    if scanned.catalog is None and scanned.file.role in ("text", "segments"):
        return scanned.digest.encode("ascii")
    return orjson.dumps(
        {
            "digest": scanned.digest,
            "episode_id": scanned.episode_id,
            "podcast_ids": scanned.podcast_ids,
            "show_title": scanned.show_title,
            "statements": scanned.statements,
            "audio_url": scanned.audio_url,
            "transcript_ref": scanned.transcript_ref,
            "nodes": scanned.nodes,
            "edges": scanned.edges,
            "catalog": scanned.catalog,
        }
    )


def _decoded(file: CorpusFile, found: bytes) -> ScannedFile:
    if file.role in ("text", "segments"):
        return ScannedFile(file, found.decode("ascii"))
    values: dict[str, Any] = orjson.loads(found)
    return ScannedFile(
        file,
        values["digest"],
        values["episode_id"],
        tuple(values["podcast_ids"]),
        values["show_title"],
        tuple(values["statements"]),
        values["audio_url"],
        values["transcript_ref"],
        Counter(values["nodes"]),
        Counter(values["edges"]),
        _catalog(values["catalog"]) if values["catalog"] is not None else None,
    )


def _catalog(values: dict[str, Any]) -> Catalog:
    speakers = tuple(CatalogSpeaker(**speaker) for speaker in values.pop("speakers"))
    lists = {name: tuple(value) for name, value in values.items() if name in _TUPLES}
    return Catalog(**{**values, **lists, "speakers": speakers})


_TUPLES: Final = ("other_feed_ids", "summary_bullets")
