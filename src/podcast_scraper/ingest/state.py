"""What an import remembers: sources, episodes, and the counts over the corpus.

One SQLite file in the corpus. Each episode's analysis is one transaction, so that a killed import
goes on where it was; counts are kept per episode, so that a changed or removed one takes its own
with it.
"""

from __future__ import annotations

import fcntl
import json
import sqlite3
import zlib
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from podcast_scraper.errors import IngestError
from podcast_scraper.ingest.extract.analysis import NameCount

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

FOLDER: Final = ".import"
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS source (
    name TEXT PRIMARY KEY, kind TEXT NOT NULL, options TEXT NOT NULL,
    etag TEXT, last_modified TEXT);
CREATE TABLE IF NOT EXISTS episode (
    id TEXT PRIMARY KEY, source TEXT NOT NULL, show TEXT NOT NULL, stem_path TEXT NOT NULL UNIQUE,
    origin TEXT NOT NULL, item TEXT NOT NULL, fingerprint TEXT NOT NULL, words INTEGER NOT NULL,
    written INTEGER NOT NULL DEFAULT 0, report TEXT NOT NULL, work BLOB);
CREATE INDEX IF NOT EXISTS episode_show ON episode (show);
CREATE TABLE IF NOT EXISTS episode_key (
    source TEXT NOT NULL, key TEXT NOT NULL, episode TEXT NOT NULL, PRIMARY KEY (source, key));
CREATE TABLE IF NOT EXISTS removed (episode TEXT PRIMARY KEY);
CREATE TABLE IF NOT EXISTS phrase (
    episode TEXT NOT NULL, phrase TEXT NOT NULL, PRIMARY KEY (episode, phrase)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS phrase_by_phrase ON phrase (phrase);
CREATE TABLE IF NOT EXISTS name (
    episode TEXT NOT NULL, name TEXT NOT NULL, label TEXT NOT NULL, count INTEGER NOT NULL,
    PRIMARY KEY (episode, name, label)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS name_by_name ON name (name);
CREATE TABLE IF NOT EXISTS sentence (
    episode TEXT NOT NULL, fingerprint INTEGER NOT NULL, PRIMARY KEY (episode, fingerprint)
    ) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS sentence_by_fingerprint ON sentence (fingerprint);
CREATE TABLE IF NOT EXISTS speaker (
    episode TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (episode, name)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS topic (
    episode TEXT NOT NULL, topic TEXT NOT NULL, PRIMARY KEY (episode, topic)) WITHOUT ROWID;
"""
_COUNTS: Final = ("phrase", "name", "sentence", "speaker", "topic", "episode_key")
_CUES: Final = "*employment"
_CHUNK: Final = 500


@dataclass(frozen=True, slots=True)
class KnownEpisode:
    """An episode as the state has it; ``item`` is the fingerprint of its feed item or file."""

    id: str
    source: str
    show: str
    stem_path: str
    origin: str
    item: str
    fingerprint: str
    written: bool | int


@dataclass(frozen=True, slots=True)
class Counts:
    """What an episode adds to the counts over the corpus."""

    phrases: Iterable[str]
    names: Mapping[str, NameCount]
    fingerprints: Iterable[int]
    speakers: Iterable[str]


class ImportState:
    """The state of one corpus; open it with :func:`import_state`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection

    # -- sources and episodes

    def remember_source(self, name: str, kind: str, options: Mapping[str, Any]) -> None:
        """Remember a source, so that an update reads it again."""
        with self._db:
            self._db.execute(
                "INSERT INTO source (name, kind, options) VALUES (?, ?, ?) "
                "ON CONFLICT (name) DO UPDATE SET kind = excluded.kind, options = excluded.options",
                (name, kind, json.dumps(options, sort_keys=True)),
            )

    def sources(self) -> list[tuple[str, str, dict[str, Any]]]:
        """Return (name, kind, options) of each remembered source."""
        rows = self._db.execute("SELECT name, kind, options FROM source ORDER BY rowid")
        return [(name, kind, json.loads(options)) for name, kind, options in rows]

    def validators(self, name: str) -> tuple[str | None, str | None]:
        """Return the (ETag, Last-Modified) that a feed was last read with."""
        row = self._db.execute(
            "SELECT etag, last_modified FROM source WHERE name = ?", (name,)
        ).fetchone()
        return (row[0], row[1]) if row else (None, None)

    def keep_validators(self, name: str, etag: str | None, last_modified: str | None) -> None:
        """Keep them once everything in the feed has been dealt with."""
        with self._db:
            self._db.execute(
                "UPDATE source SET etag = ?, last_modified = ? WHERE name = ?",
                (etag, last_modified, name),
            )

    def episode(self, episode_id: str) -> KnownEpisode | None:
        """Return a known episode, or None."""
        found = list(self._episodes("WHERE id = ?", episode_id))
        return found[0] if found else None

    def episodes(self, show: str | None = None, source: str | None = None) -> list[KnownEpisode]:
        """Return the known episodes, of one show or source where it is given."""
        if show is not None:
            return list(self._episodes("WHERE show = ?", show))
        if source is not None:
            return list(self._episodes("WHERE source = ?", source))
        return list(self._episodes(""))

    def _episodes(self, where: str, *values: str) -> Iterator[KnownEpisode]:
        columns = "id, source, show, stem_path, origin, item, fingerprint, written"
        for row in self._db.execute(f"SELECT {columns} FROM episode {where} ORDER BY id", values):
            yield KnownEpisode(*row)

    def find(self, source: str, keys: Iterable[str]) -> str | None:
        """Return the id of the episode of a source that one of the keys names."""
        for key in keys:
            row = self._db.execute(
                "SELECT episode FROM episode_key WHERE source = ? AND key = ?", (source, key)
            ).fetchone()
            if row:
                return str(row[0])
        return None

    def is_removed(self, episode_id: str) -> bool:
        """Tell whether a user took the episode out; updates do not bring it back."""
        row = self._db.execute("SELECT 1 FROM removed WHERE episode = ?", (episode_id,)).fetchone()
        return row is not None

    def forget(self, episode_id: str, for_good: bool = False) -> None:
        """Drop an episode and all that it added to the counts."""
        with self._db:
            self._drop(episode_id)
            if for_good:
                self._db.execute("INSERT OR IGNORE INTO removed VALUES (?)", (episode_id,))

    def _drop(self, episode_id: str) -> None:
        for table in _COUNTS:
            self._db.execute(f"DELETE FROM {table} WHERE episode = ?", (episode_id,))
        self._db.execute("DELETE FROM episode WHERE id = ?", (episode_id,))

    # -- analysis and writing

    def analysed(
        self,
        known: KnownEpisode,
        keys: Iterable[str],
        words: int,
        report: Mapping[str, Any],
        work: Mapping[str, Any],
        counts: Counts,
    ) -> None:
        """Store an episode's analysis in one transaction; it waits to be written."""
        packed = zlib.compress(json.dumps(work, separators=(",", ":")).encode(), 6)
        key = known.id
        with self._db:
            self._drop(key)
            self._db.execute("DELETE FROM removed WHERE episode = ?", (key,))
            self._db.execute(
                "INSERT INTO episode VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?)",
                (
                    key, known.source, known.show, known.stem_path, known.origin, known.item,
                    known.fingerprint, words, json.dumps(report), packed,
                ),
            )  # fmt: skip
            self._many("episode_key", ((known.source, name, key) for name in keys))
            self._many("phrase", ((key, phrase) for phrase in counts.phrases))
            self._many("sentence", ((key, mark) for mark in set(counts.fingerprints)))
            self._many("speaker", ((key, name) for name in set(counts.speakers)))
            self._many(
                "name",
                (
                    (key, name, label, number)
                    for name, count in counts.names.items()
                    for label, number in {**count.labels, _CUES: count.cues}.items()
                ),
            )

    def _many(self, table: str, rows: Iterable[tuple[Any, ...]]) -> None:
        batch = list(rows)
        if batch:
            marks = ", ".join("?" * len(batch[0]))
            self._db.executemany(f"INSERT OR REPLACE INTO {table} VALUES ({marks})", batch)

    def waiting(self) -> list[str]:
        """Return the ids of the episodes that are analysed and not written."""
        rows = self._db.execute("SELECT id FROM episode WHERE NOT written ORDER BY id")
        return [row[0] for row in rows]

    def work(self, episode_id: str) -> Any:
        """Return what :meth:`analysed` stored."""
        row = self._db.execute("SELECT work FROM episode WHERE id = ?", (episode_id,)).fetchone()
        return json.loads(zlib.decompress(row[0]))

    def keep_topics(self, episode_id: str, topics: Iterable[str]) -> None:
        """Store the topics chosen for an episode (normal forms)."""
        with self._db:
            self._db.execute("DELETE FROM topic WHERE episode = ?", (episode_id,))
            self._many("topic", ((episode_id, topic) for topic in topics))

    def written(self, episode_id: str, counts: Mapping[str, Any]) -> None:
        """Mark an episode as written, add ``counts`` to its report, and drop its analysis."""
        report = {**self.report(episode_id), "nodes": counts}
        with self._db:
            self._db.execute(
                "UPDATE episode SET written = 1, work = NULL, report = ? WHERE id = ?",
                (json.dumps(report), episode_id),
            )

    def report(self, episode_id: str) -> dict[str, Any]:
        """Return what is reported of an episode's file."""
        row = self._db.execute("SELECT report FROM episode WHERE id = ?", (episode_id,)).fetchone()
        report: dict[str, Any] = json.loads(row[0])
        return report

    # -- counts over the corpus

    def count_episodes(self, show: str | None = None) -> int:
        """Return the number of episodes of the corpus, or of one show."""
        where, values = ("WHERE show = ?", (show,)) if show is not None else ("", ())
        row = self._db.execute(f"SELECT COUNT(*) FROM episode {where}", values).fetchone()
        return int(row[0])

    def frequency(self, phrases: Iterable[str]) -> dict[str, int]:
        """Return the number of episodes that hold each phrase."""
        query = "SELECT phrase, COUNT(*) FROM phrase WHERE phrase IN ({}) GROUP BY phrase"
        return dict(self._in_chunks(query, phrases))

    def names(self, names: Iterable[str]) -> dict[str, NameCount]:
        """Return the votes of the corpus on each name."""
        query = "SELECT name, label, SUM(count) FROM name WHERE name IN ({}) GROUP BY name, label"
        labels: dict[str, dict[str, int]] = {}
        for name, label, number in self._in_chunks(query, names):
            labels.setdefault(name, {})[label] = number
        return {
            name: NameCount({k: v for k, v in found.items() if k != _CUES}, found.get(_CUES, 0))
            for name, found in labels.items()
        }

    def repeated(self, fingerprints: Iterable[int]) -> frozenset[int]:
        """Return those fingerprints that more than one episode holds."""
        query = (
            "SELECT fingerprint FROM sentence WHERE fingerprint IN ({}) "
            "GROUP BY fingerprint HAVING COUNT(*) > 1"
        )
        return frozenset(row[0] for row in self._in_chunks(query, fingerprints))

    def speakers(self, show: str) -> dict[str, int]:
        """Return in how many episodes of a show each label speaks."""
        rows = self._db.execute(
            "SELECT name, COUNT(*) FROM speaker JOIN episode ON episode.id = speaker.episode "
            "WHERE show = ? GROUP BY name",
            (show,),
        )
        return dict(rows.fetchall())

    def all_speakers(self) -> frozenset[str]:
        """Return every label that speaks anywhere."""
        return frozenset(row[0] for row in self._db.execute("SELECT DISTINCT name FROM speaker"))

    def topics(self) -> dict[str, int]:
        """Return the number of episodes of every topic of the corpus."""
        rows = self._db.execute("SELECT topic, COUNT(*) FROM topic GROUP BY topic ORDER BY topic")
        return dict(rows.fetchall())

    def _in_chunks(self, query: str, values: Iterable[Any]) -> Iterator[tuple[Any, ...]]:
        wanted = list(values)
        for start in range(0, len(wanted), _CHUNK):
            chunk = wanted[start : start + _CHUNK]
            yield from self._db.execute(query.format(", ".join("?" * len(chunk))), chunk)


@contextmanager
def import_state(corpus: Path, *, create: bool = False) -> Iterator[ImportState]:
    """Open the import state of a corpus; one process at a time.

    Raises:
        IngestError: there is none and it is not to be created, it cannot be used, or another
            import is running.
    """
    folder = corpus / FOLDER
    if not create and not folder.is_dir():
        raise IngestError(
            f"Nothing was imported into {corpus}.",
            mend="Give it its sources first: podcast-scraper import SOURCE… CORPUS.",
            subject=corpus,
        )
    folder.mkdir(parents=True, exist_ok=True)
    with _alone(folder), _connected(corpus, folder) as connection:
        yield ImportState(connection)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold the corpus' import lock; it goes with the process, however that ends."""
    with (folder / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise IngestError(
                f"Another import into {folder.parent} is running.",
                mend="Wait until it has ended.",
                subject=folder,
            ) from error
        yield


@contextmanager
def _connected(corpus: Path, folder: Path) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(folder / "state.sqlite3", timeout=5)
    try:
        connection.executescript(_SCHEMA)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        yield connection
    except sqlite3.Error as error:
        raise IngestError(
            f"The import state of {corpus} cannot be used: {error}.",
            mend=f"Wait for another import to end, or remove {folder} and import anew.",
            subject=folder,
        ) from error
    finally:
        connection.close()
