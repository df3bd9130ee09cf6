"""Where a walk over the graph begins: entities of the query, then those of the head of the base."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from podcast_scraper.errors import ConfigurationError
from podcast_scraper.search.rescue.kg_columns import read_columns
from podcast_scraper.search.rescue.records import QueryBundle
from podcast_scraper.search.rescue.words import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from podcast_scraper.search.rescue.records import Candidate

QUERY_ACTIVATION: Final = 1.0
DOCUMENT_ACTIVATION: Final = 0.5

Seeds = dict[str, float]
"""Activation by node id, in order of importance."""


def harvest_seeds(
    bundle: QueryBundle, base: Sequence[Candidate], *, documents: int = 5, cap: int = 32
) -> Seeds:
    """Return at most ``cap`` seeds: those of the query at 1.0, then those of documents at 0.5.

    Only the first ``documents`` of the base are asked. The cap never drops a seed of the query for
    one of a document.
    """
    seeds = dict.fromkeys(bundle.seed_node_ids, QUERY_ACTIVATION)
    for candidate in base[:documents]:
        for node in read_columns(candidate.id, candidate.metadata).node_ids:
            seeds.setdefault(node, DOCUMENT_ACTIVATION)
    return dict(list(seeds.items())[:cap])


@dataclass(frozen=True, slots=True)
class SeedMatch:
    """The nodes that a text names, in order of appearance, and how many mentions they stand for."""

    node_ids: tuple[str, ...]
    mentions: int


class AliasQuerySeeder:
    """Finds known names in a query by its n-grams of words, the longest match first.

    ``aliases`` maps a name to the node ids it may mean. An ambiguous name gives all its nodes and
    is one mention; two names of the same nodes are one mention too.
    """

    def __init__(self, aliases: Mapping[str, Iterable[str]]) -> None:
        self._nodes: dict[tuple[str, ...], tuple[str, ...]] = {}
        for alias, node_ids in aliases.items():
            if isinstance(node_ids, str):
                raise ConfigurationError(
                    f"Alias {alias!r} maps to a bare string.",
                    mend="Give a list of node ids.",
                    subject=alias,
                )
            key = tuple(words(alias))
            if key:
                known = self._nodes.get(key, ())
                self._nodes[key] = tuple(sorted({*known, *node_ids}))
        self._longest = max(map(len, self._nodes), default=0)

    def seed(self, text: str) -> SeedMatch:
        """Return the nodes that ``text`` names."""
        tokens = words(text)
        found: dict[tuple[str, ...], None] = {}
        start = 0
        while start < len(tokens):
            for length in range(min(self._longest, len(tokens) - start), 0, -1):
                nodes = self._nodes.get(tuple(tokens[start : start + length]))
                if nodes:
                    found[nodes] = None
                    start += length
                    break
            else:
                start += 1
        node_ids = dict.fromkeys(node for nodes in found for node in nodes)
        return SeedMatch(tuple(node_ids), len(found))

    def bundle(self, text: str, vector: NDArray[np.float32] | None = None) -> QueryBundle:
        """Return the query with the seeds of its text."""
        match = self.seed(text)
        return QueryBundle(text, vector, match.node_ids, match.mentions)
