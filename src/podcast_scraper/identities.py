"""Who is who in an open corpus: the review queue, and decisions on ids that the corpus knows."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from podcast_scraper.errors import NotFoundError, UsageError
from podcast_scraper.identity.canonical import bare_episode_id
from podcast_scraper.identity.review import suggestions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from podcast_scraper.corpus import Corpus
    from podcast_scraper.identity.ledger import Decision, Standing
    from podcast_scraper.identity.registry import Registry
    from podcast_scraper.identity.review import Suggestion

MAX_PAGE = 1_000


@dataclass(frozen=True, slots=True)
class Queue:
    """A page of the review queue, as JSON values, and how many pairs wait in all."""

    rows: list[dict[str, Any]]
    total: int


class Identities:
    """Review and decide. Decisions act at once on graph, relations and resolver.

    Documents take them up with the next ``podcast-scraper index``.
    """

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        # The queue of the registry and the decisions that it was last asked for: comparing all
        # names takes a second on a few thousand entities.
        self._queue: tuple[Registry, Standing, list[Suggestion]] | None = None

    def review(self, *, k: int = 50, offset: int = 0) -> Queue:
        """Return pairs that may be one entity, the likeliest first, with reasons."""
        if not 0 <= k <= MAX_PAGE or offset < 0:
            raise UsageError(f"k is {k} and offset {offset}.", mend=f"k is 0 to {MAX_PAGE}.")
        registry = self._corpus.index.resolver.registry
        waiting = self._waiting(registry, self._corpus.ledger.standing())
        shown = waiting[offset : offset + k]
        rows = [
            {
                "kind": "merge",
                "subject": _entry(registry, pair.subject),
                "into": _entry(registry, pair.into),
                "score": pair.score,
                "reasons": list(pair.reasons),
            }
            for pair in shown
        ]
        return Queue(rows, len(waiting))

    def _waiting(self, registry: Registry, standing: Standing) -> list[Suggestion]:
        known = self._queue
        if known is None or known[0] is not registry or known[1] != standing:
            known = (registry, standing, suggestions(registry, standing))
            self._queue = known
        return known[2]

    def merge(self, subject: str, into: str, *, author: str, reason: str = "") -> Decision:
        """Decide that ``subject`` is ``into``."""
        self._known(subject, into)
        return self._corpus.ledger.merge(subject, into, author=author, reason=reason)

    def not_same(self, left: str, right: str, *, author: str, reason: str = "") -> Decision:
        """Decide that two ids are different entities."""
        self._known(left, right)
        return self._corpus.ledger.not_same(left, right, author=author, reason=reason)

    def alias(self, subject: str, name: str, *, author: str, reason: str = "") -> Decision:
        """Give an entity a further name."""
        self._known(subject)
        return self._corpus.ledger.alias(subject, name, author=author, reason=reason)

    def split(
        self, subject: str, *, episodes: Iterable[str] = (), author: str, reason: str = ""
    ) -> Decision:
        """Take an id out of its merge, or its occurrences in some episodes out of it."""
        self._known(subject)
        named = [bare_episode_id(episode) for episode in episodes]
        missing = sorted(set(named) - set(self._corpus.catalog.episodes()))
        if missing:
            raise NotFoundError(f"There is no episode {missing[0]}.", subject=missing)
        return self._corpus.ledger.split(subject, episodes=named, author=author, reason=reason)

    def undo(self, uid: str, *, author: str, reason: str = "") -> Decision:
        """Take a decision back."""
        return self._corpus.ledger.undo(uid, author=author, reason=reason)

    def history(self, entity_id: str | None = None) -> list[Decision]:
        """Return all decisions, oldest first, or those that name an entity."""
        return self._corpus.ledger.history(entity_id)

    def _known(self, *ids: str) -> None:
        registry = self._corpus.index.resolver.registry
        for entity_id in ids:
            if registry.get(entity_id) is None and entity_id not in self._corpus.graph:
                raise NotFoundError(
                    f"The corpus has no {entity_id}.",
                    mend="`podcast-scraper resolve CORPUS NAME` finds the id of a name.",
                    subject=entity_id,
                )


def decision_to_json(decision: Decision) -> dict[str, Any]:
    """Return a decision as JSON values."""
    return {**asdict(decision), "episodes": list(decision.episodes)}


def _entry(registry: Registry, entity_id: str) -> dict[str, Any]:
    entry = registry.get(entity_id)
    assert entry is not None
    return {
        "id": entry.id,
        "label": entry.name,
        "aliases": list(entry.aliases),
        "episodes": entry.frequency,
        "shows": sorted(entry.shows),
    }
