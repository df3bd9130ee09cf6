"""Which files are one episode: joined by episode id, by stem where a file states none.

The newest readable run of an episode wins; everything that another file stands before is reported
as shadowed.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from podcast_scraper.artifacts.discovery import printable
from podcast_scraper.identity.canonical import bare_episode_id
from podcast_scraper.identity.slugify import slugify

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from podcast_scraper.artifacts.discovery import RunOrder
    from podcast_scraper.artifacts.report import Issues
    from podcast_scraper.artifacts.scanning import ScannedFile

GRAPH_ROLES = ("gi", "kg")


@dataclass(frozen=True, slots=True)
class Unit:
    """The files of one episode by role. ``episode_id`` is bare."""

    episode_id: str
    files: dict[str, ScannedFile] = field(default_factory=dict)

    @property
    def lead(self) -> ScannedFile:
        """The file that stands for the episode: GI, KG, metadata, segments…"""
        order = ("gi", "kg", "metadata", "segments", "bridge", "text")
        return next(self.files[role] for role in order if role in self.files)

    @property
    def run(self) -> RunOrder:
        """Age of the run, newest greatest."""
        return self.lead.file.run

    @property
    def podcast_ids(self) -> frozenset[str]:
        """Every podcast id that its files state."""
        catalog = self.files["metadata"].catalog if "metadata" in self.files else None
        feed = [catalog.feed_id] if catalog and catalog.feed_id else []
        return frozenset(feed).union(*(file.podcast_ids for file in self.files.values()))


def by_stem(files: Iterable[ScannedFile], issues: Issues) -> tuple[list[Unit], list[Unit]]:
    """Return the episodes that have a GI, KG or metadata file, and the groups that have none.

    A group without those (``episode_id`` is its stem) may be the transcript or bridge of an episode
    with another stem; see :mod:`podcast_scraper.artifacts.attaching`.
    """
    stems: dict[tuple[str, str], list[ScannedFile]] = defaultdict(list)
    for file in files:
        stems[file.file.place, file.file.stem].append(file)
    units: list[Unit] = []
    loose: list[Unit] = []
    for key in sorted(stems):
        for unit in _units_of_stem(stems[key], issues):
            own = unit.files.keys() & {*GRAPH_ROLES, "metadata"}
            (units if own else loose).append(unit)
    return units, loose


def by_episode(units: Iterable[Unit], issues: Issues) -> list[Unit]:
    """Return one unit for each episode: layers joined by id, older runs shadowed."""
    by_id: dict[str, list[Unit]] = defaultdict(list)
    for unit in units:
        by_id[unit.episode_id].append(unit)
    return [unit for same in by_id.values() for unit in _resolve(same, issues)]


def _units_of_stem(files: Sequence[ScannedFile], issues: Issues) -> list[Unit]:
    by_role: dict[str, ScannedFile] = {}
    for file in files:  # sorted by path: `metadata/` and `transcripts/` folders after their parent
        held = by_role.get(file.file.role)
        if held is None or len(held.file.path) < len(file.file.path):
            by_role[file.file.role] = file
    stem = printable(files[0].file.stem)
    catalogued = by_role["metadata"].episode_id if "metadata" in by_role else None
    ids = {
        role: bare_episode_id(by_role[role].episode_id or catalogued or stem)
        for role in GRAPH_ROLES
        if role in by_role
    }
    bridged = by_role["bridge"].episode_id if "bridge" in by_role else None
    first = next(iter(ids.values()), catalogued or bridged or stem)
    units = {name: Unit(name) for name in dict.fromkeys([first, *ids.values()])}
    shadowing = {id(file) for file in by_role.values()}
    for role, file in by_role.items():
        own = ids.get(role) or file.episode_id
        unit = units.get(own or first) or units[first]
        unit.files[role] = file
        if role in ("metadata", "bridge") and own not in (None, unit.episode_id):
            issues.warn(
                printable(file.file.path),
                f"states the episode id {own!r}, the graph layers {unit.episode_id!r}",
            )
    for file in files:
        if id(file) not in shadowing:
            _shadow(file, by_role[file.file.role], first, issues)
    return list(units.values())


def _resolve(units: Sequence[Unit], issues: Issues) -> list[Unit]:
    """Make one episode of the units with one id, unless they belong to different shows."""
    if len(units) == 1:
        return list(units)
    homes: dict[str, list[Unit]] = defaultdict(list)
    for unit in units:
        homes[unit.lead.file.home].append(unit)
    kept: list[Unit] = []
    for home in sorted(homes):
        unit = _newest(homes[home], issues)
        same = next((held for held in kept if not _clash(held, unit)), None)
        if same is not None:
            _fill(same, unit, issues)
            continue
        if kept:
            show = sorted(unit.podcast_ids)[0].removeprefix("podcast:")
            qualified = f"{unit.episode_id}@{slugify(show)}"
            issues.repair(
                printable(unit.lead.file.path),
                "episode id of two shows",
                f"{unit.episode_id} is also an episode of another show: kept as {qualified}",
            )
            unit = replace(unit, episode_id=qualified)
        kept.append(unit)
    return kept


def _newest(units: Sequence[Unit], issues: Issues) -> Unit:
    """Return the unit of the newest run with a graph layer, joined with others of that run."""
    ordered = sorted(units, key=lambda unit: unit.lead.file.path)
    ordered.sort(key=lambda unit: (_has_graph(unit), unit.run), reverse=True)
    winner = ordered[0]
    for unit in ordered[1:]:
        if unit.run == winner.run:
            _fill(winner, unit, issues)
        elif unit.run > winner.run:
            issues.warn(
                printable(unit.lead.file.path),
                "this newer run has no readable GI or KG layer: the older one was taken",
            )
            _shadow_all(unit, winner, issues)
        else:
            _shadow_all(unit, winner, issues)
    return winner


def _has_graph(unit: Unit) -> bool:
    return any(role in unit.files for role in GRAPH_ROLES)


def _clash(held: Unit, unit: Unit) -> bool:
    """Tell whether two units with one id are episodes of different shows."""
    overlap = any(role in held.files and role in unit.files for role in (*GRAPH_ROLES, "metadata"))
    known = held.podcast_ids and unit.podcast_ids
    return bool(overlap and known and not held.podcast_ids & unit.podcast_ids)


def _fill(winner: Unit, unit: Unit, issues: Issues) -> None:
    """Give the winner the roles that it lacks; the rest is shadowed."""
    for role, file in unit.files.items():
        if role in winner.files:
            _shadow(file, winner.files[role], winner.episode_id, issues)
        else:
            winner.files[role] = file


def _shadow_all(unit: Unit, winner: Unit, issues: Issues) -> None:
    for role, file in unit.files.items():
        _shadow(file, winner.files.get(role, winner.lead), winner.episode_id, issues)


def _shadow(file: ScannedFile, by: ScannedFile, episode_id: str, issues: Issues) -> None:
    issues.shadow(printable(file.file.path), printable(by.file.path), episode_id)
