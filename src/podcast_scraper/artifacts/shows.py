"""Which podcast ids are one show: joined over the episodes they share and the catalog."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from podcast_scraper.artifacts.records import ShowRecord
from podcast_scraper.identity.slugify import slugify

if TYPE_CHECKING:
    from collections.abc import Sequence

UNKNOWN_SHOW: Final = "podcast:unknown"
_PLACEHOLDERS: Final = frozenset(
    f"podcast:{name}" for name in ("unknown", "none", "null", "podcast", "show", "default", "n-a")
)


@dataclass(frozen=True, slots=True)
class ShowClues:
    """What one episode says of its show. ``podcast_ids`` come from GI, KG and Podcast nodes."""

    podcast_ids: tuple[str, ...]
    feed_id: str | None = None
    feed_folder: str | None = None
    title: str | None = None
    description: str | None = None
    url: str | None = None
    image: str | None = None
    publisher: str | None = None

    @property
    def ids(self) -> tuple[str, ...]:
        """Every usable id, the feed id of the catalog last."""
        known = (*self.podcast_ids, *([self.feed_id] if self.feed_id else []))
        return tuple(name for name in dict.fromkeys(known) if name not in _PLACEHOLDERS)


class _Groups:
    """Union-find over podcast ids; two different feed ids are never joined."""

    def __init__(self, feeds: set[str]) -> None:
        self._parent: dict[str, str] = {}
        self._feeds = feeds
        self._feed_of: dict[str, str] = {}

    def find(self, name: str) -> str:
        if name not in self._parent:
            self._parent[name] = name
            if name in self._feeds:
                self._feed_of[name] = name
        root = name
        while self._parent[root] != root:
            root = self._parent[root]
        while self._parent[name] != root:
            self._parent[name], name = root, self._parent[name]
        return root

    def join(self, one: str, other: str) -> None:
        first, second = sorted((self.find(one), self.find(other)))
        feeds = {self._feed_of[root] for root in (first, second) if root in self._feed_of}
        if first == second or len(feeds) > 1:
            return
        self._parent[second] = first
        for feed in feeds:
            self._feed_of[first] = feed


def join_shows(clues: Sequence[ShowClues]) -> list[ShowRecord]:
    """Return the show of each episode, in the same order.

    The id of a show is its feed id where there is one, else the id that most episodes use. Two
    feeds of the catalog stay two shows, whatever ids their episodes share.
    """
    groups = _Groups({clue.feed_id for clue in clues if clue.feed_id})
    feeds_of: dict[str, set[str]] = defaultdict(set)
    for clue in clues:
        if clue.feed_id:
            for name in (*clue.podcast_ids, *_title_ids(clue)):
                feeds_of[name].add(clue.feed_id)
    for clue in clues:
        # An id that several feeds use says nothing; what it is joined to is decided by the feed.
        telling = [name for name in clue.ids if len(feeds_of[name] - {name}) < 2]
        telling += [name for name in _title_ids(clue) if len(feeds_of[name]) == 1]
        for name in telling[1:]:
            groups.join(telling[0], name)
    keys = [_key(clue, groups) for clue in clues]
    by_folder: dict[str, set[str]] = defaultdict(set)
    for clue, key in zip(clues, keys, strict=True):
        if clue.feed_folder and key:
            by_folder[clue.feed_folder].add(key)
    members: dict[str, list[ShowClues]] = defaultdict(list)
    for place, clue in enumerate(clues):
        if keys[place] is None:
            beside = by_folder.get(clue.feed_folder or "", set())
            folder = f"podcast:{slugify(clue.feed_folder)}" if clue.feed_folder else UNKNOWN_SHOW
            keys[place] = next(iter(beside)) if len(beside) == 1 else groups.find(folder)
        members[keys[place] or UNKNOWN_SHOW].append(clue)
    shows = {key: _record(key, group) for key, group in members.items()}
    return [shows[key or UNKNOWN_SHOW] for key in keys]


def _title_ids(clue: ShowClues) -> tuple[str, ...]:
    return (f"podcast:{slugify(clue.title)}",) if clue.feed_id and clue.title else ()


def _key(clue: ShowClues, groups: _Groups) -> str | None:
    if clue.feed_id and clue.feed_id not in _PLACEHOLDERS:
        return groups.find(clue.feed_id)
    return groups.find(clue.ids[0]) if clue.ids else None


def _record(key: str, clues: Sequence[ShowClues]) -> ShowRecord:
    uses = Counter(name for clue in clues for name in clue.ids)
    feeds = {clue.feed_id for clue in clues}
    ranked = sorted(uses, key=lambda name: (name not in feeds, -uses[name], name)) or [key]

    def first(field: str) -> str | None:
        return next((value for clue in clues if (value := getattr(clue, field))), None)

    identifier = ranked[0]
    return ShowRecord(
        id=identifier,
        title=first("title") or _title_of(identifier),
        description=first("description"),
        url=first("url"),
        image=first("image"),
        publisher=first("publisher"),
        other_ids=tuple(sorted(ranked[1:])),
    )


def _title_of(identifier: str) -> str:
    """Return a title for a show that no file names: its slug, or the start of a hash."""
    if identifier == UNKNOWN_SHOW:
        return "Unknown show"
    name = identifier.removeprefix("podcast:")
    digest = name.rpartition(":")[2]
    if len(digest) >= 32 and all(digit in "0123456789abcdef" for digit in digest):
        return f"Show {digest[:8]}"
    return name
