"""What a reading did: counts of what the files held, and every item that was not taken as it was.

:class:`Issues` collects while one scope (the plan, one episode) is read; :class:`ReadReport` is the
frozen sum. ``quarantined`` and ``dropped`` are losses; repairs, derived items and shadowed runs are
not.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from podcast_scraper.errors import ArtifactError


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A file that could not be read at all. ``position``: see :class:`ArtifactError`."""

    path: str
    reason: str
    position: Mapping[str, int] | None = None


@dataclass(frozen=True, slots=True)
class Dropped:
    """One item of a file that was left out."""

    path: str
    item: str
    reason: str


@dataclass(frozen=True, slots=True)
class Repair:
    """One value that was mended; ``kind`` groups repairs of the same sort."""

    path: str
    kind: str
    detail: str


@dataclass(frozen=True, slots=True)
class Shadowed:
    """A file that another file of the same episode, usually of a newer run, stands before."""

    path: str
    by: str
    episode_id: str


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that a reader of the report should know and that changed nothing."""

    path: str
    message: str


@dataclass(slots=True)
class Issues:
    """Collector of one scope; paths are POSIX and relative to the corpus."""

    quarantined: list[Quarantined] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    repairs: list[Repair] = field(default_factory=list)
    shadowed: list[Shadowed] = field(default_factory=list)
    warnings: list[Notice] = field(default_factory=list)
    read_nodes: Counter[str] = field(default_factory=Counter)
    read_edges: Counter[str] = field(default_factory=Counter)
    derived_nodes: set[tuple[str, str]] = field(default_factory=set)
    derived_edges: Counter[str] = field(default_factory=Counter)
    unknown_nodes: Counter[str] = field(default_factory=Counter)
    unknown_edges: Counter[str] = field(default_factory=Counter)

    def quarantine(self, path: str, error: ArtifactError) -> None:
        """Note a file that could not be read."""
        self.quarantined.append(Quarantined(path, str(error), error.position))

    def drop(self, path: str, item: str, reason: str) -> None:
        """Note an item that was left out."""
        self.dropped.append(Dropped(path, item, reason))

    def repair(self, path: str, kind: str, detail: str) -> None:
        """Note a value that was mended."""
        self.repairs.append(Repair(path, kind, detail))

    def shadow(self, path: str, by: str, episode_id: str) -> None:
        """Note a file that another one stands before."""
        self.shadowed.append(Shadowed(path, by, episode_id))

    def warn(self, path: str, message: str) -> None:
        """Note something that changed nothing."""
        self.warnings.append(Notice(path, message))


@dataclass(frozen=True, slots=True)
class ReadReport:
    """The sum of a reading.

    ``read_*`` count what the files of the planned episodes held, keyed by the file's own ``type``,
    before merging and without shadowed runs; ``derived_*`` what was made, keyed by canonical type
    (a node counts once a corpus); ``unknown_*`` what is of no type that we know and was kept.
    """

    episodes: int
    read_nodes: Mapping[str, int]
    read_edges: Mapping[str, int]
    derived_nodes: Mapping[str, int]
    derived_edges: Mapping[str, int]
    unknown_nodes: Mapping[str, int]
    unknown_edges: Mapping[str, int]
    quarantined: tuple[Quarantined, ...]
    dropped: tuple[Dropped, ...]
    repairs: tuple[Repair, ...]
    shadowed: tuple[Shadowed, ...]
    warnings: tuple[Notice, ...]

    @classmethod
    def of(cls, episodes: int, scopes: Iterable[Issues]) -> ReadReport:
        """Sum the issues of all scopes, in the order given."""
        total = Issues()
        for scope in scopes:
            total.quarantined += scope.quarantined
            total.dropped += scope.dropped
            total.repairs += scope.repairs
            total.shadowed += scope.shadowed
            total.warnings += scope.warnings
            total.read_nodes.update(scope.read_nodes)
            total.read_edges.update(scope.read_edges)
            total.derived_nodes |= scope.derived_nodes
            total.derived_edges.update(scope.derived_edges)
            total.unknown_nodes.update(scope.unknown_nodes)
            total.unknown_edges.update(scope.unknown_edges)
        return cls(
            episodes=episodes,
            read_nodes=_ordered(total.read_nodes),
            read_edges=_ordered(total.read_edges),
            derived_nodes=_ordered(Counter(kind for kind, _ in total.derived_nodes)),
            derived_edges=_ordered(total.derived_edges),
            unknown_nodes=_ordered(total.unknown_nodes),
            unknown_edges=_ordered(total.unknown_edges),
            quarantined=tuple(total.quarantined),
            dropped=tuple(total.dropped),
            repairs=tuple(total.repairs),
            shadowed=tuple(total.shadowed),
            warnings=tuple(total.warnings),
        )

    @property
    def lossless(self) -> bool:
        """Tell whether nothing was quarantined and nothing dropped."""
        return not self.quarantined and not self.dropped

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON values, in the shapes of ``index --json``."""
        return {
            "episodes": self.episodes,
            "read": {"nodes": dict(self.read_nodes), "edges": dict(self.read_edges)},
            "derived": {"nodes": dict(self.derived_nodes), "edges": dict(self.derived_edges)},
            "unknown": {"nodes": dict(self.unknown_nodes), "edges": dict(self.unknown_edges)},
            "quarantined": [
                {"path": item.path, "reason": item.reason}
                | ({"position": dict(item.position)} if item.position else {})
                for item in self.quarantined
            ],
            "dropped": [
                {"path": item.path, "item": item.item, "reason": item.reason}
                for item in self.dropped
            ],
            "repairs": [
                {"path": item.path, "kind": item.kind, "detail": item.detail}
                for item in self.repairs
            ],
            "shadowed": [
                {"path": item.path, "by": item.by, "episode_id": item.episode_id}
                for item in self.shadowed
            ],
            "warnings": [{"path": item.path, "message": item.message} for item in self.warnings],
        }


def _ordered(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items()))
