"""What the ledger's live decisions mean for ids: which id stands for which, in which episode."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from podcast_scraper.identity.canonical import bare_episode_id

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class IdentityMap:
    """Redirected ids. The empty map changes nothing.

    ``redirects`` maps an id to the one that it was merged into, already followed to the end;
    ``scoped`` maps (id, bare episode id) to the id that a split gave this occurrence; ``aliases``
    are names that people added.
    """

    redirects: Mapping[str, str] = field(default_factory=dict)
    scoped: Mapping[tuple[str, str], str] = field(default_factory=dict)
    aliases: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, given: IdentityMap | Mapping[str, str] | None) -> IdentityMap:
        """Accept a plain ``{id: id}`` mapping too; chains are followed, a cycle ends unchanged."""
        if isinstance(given, IdentityMap):
            return given
        mapping = dict(given or {})
        return cls({old: follow(mapping, old) for old in mapping})

    def __bool__(self) -> bool:
        return bool(self.redirects or self.scoped or self.aliases)

    def same_ids(self, other: IdentityMap) -> bool:
        """Tell whether two maps give every id the same meaning (added names do not matter)."""
        return dict(self.redirects) == dict(other.redirects) and dict(self.scoped) == dict(
            other.scoped
        )

    def members(self, entity_id: str) -> list[str]:
        """Return the id that stands for ``entity_id``, then all ids that were merged into it."""
        kept = self.canonical(entity_id)
        return [kept, *sorted(old for old, new in self.redirects.items() if new == kept)]

    def canonical(self, node_id: str, episode_id: str | None = None) -> str:
        """Return the id that stands for ``node_id`` (in one episode, where that matters)."""
        if self.scoped and episode_id is not None:
            bare = bare_episode_id(episode_id)
            node_id = self.scoped.get((node_id, bare), node_id)
            # A split may be of the id that others were merged into, or of its own merged one.
            node_id = self.redirects.get(node_id, node_id)
            node_id = self.scoped.get((node_id, bare), node_id)
        return self.redirects.get(node_id, node_id)


def follow(mapping: Mapping[str, str], start: str) -> str:
    """Return the end of a chain of redirects; of a cycle, its smallest id."""
    seen = [start]
    while (following := mapping.get(seen[-1], seen[-1])) not in seen:
        seen.append(following)
    return seen[-1] if following == seen[-1] else min(seen[seen.index(following) :])
