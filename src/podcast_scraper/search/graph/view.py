"""Nodes and edges of a compiled graph, by id for people and by number for algorithms."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from podcast_scraper.identity.canonical import ENTITY_TYPES
from podcast_scraper.identity.identity_map import IdentityMap
from podcast_scraper.search.graph import walk
from podcast_scraper.search.graph.arrays import CERTAIN, Edges, directed_edges
from podcast_scraper.search.graph.edge_types import RFC_091
from podcast_scraper.search.graph.records import GraphEdge, GraphNode, MediaUrl, web_address
from podcast_scraper.search.graph.strings import places_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from podcast_scraper.search.graph.arrays import CompiledGraph
    from podcast_scraper.search.graph.payloads import PayloadSource


class GraphView:
    """What a compiled graph holds. Immutable and safe to share between threads.

    Unknown ids, edge types and node types give empty results, never an exception. Nodes are
    numbered in the order of their ids; ``columns`` and ``adjacency`` speak in these numbers.
    """

    def __init__(
        self,
        compiled: CompiledGraph,
        payloads: PayloadSource,
        *,
        identity: IdentityMap | None = None,
        media_url: MediaUrl | None = None,
    ) -> None:
        self._compiled = compiled
        self._payloads = payloads
        self._identity = identity or IdentityMap()
        self.media_url = media_url or web_address
        self._ids = list(compiled.ids)  # walks name thousands of nodes: as objects that is quick
        self._number = places_of(self._ids)
        self._edge_code = {name: number for number, name in enumerate(compiled.edge_types)}
        self._type_code = {name: number for number, name in enumerate(compiled.node_types)}
        self._relations: dict[int, walk.Relation] = {}
        self.columns = compiled.columns
        self.adjacency = compiled.adjacency

    # Nodes

    def __len__(self) -> int:
        return len(self._ids)

    def __contains__(self, node_id: object) -> bool:
        return node_id in self._number

    @property
    def ids(self) -> Sequence[str]:
        """All node ids, sorted: the position of an id is its node's number."""
        return self._ids

    @property
    def node_types(self) -> Sequence[str]:
        """The names of the type codes in ``columns.node_type``."""
        return self._compiled.node_types

    def number(self, node_id: str) -> int | None:
        """Return the number of a node, or None for an unknown id.

        An id that people merged into another gives that one's number.
        """
        found = self._number.get(node_id)
        return self._number.get(self._identity.canonical(node_id)) if found is None else found

    def node_type(self, node_id: str) -> str | None:
        """Return the type of a node, or None for an unknown id."""
        number = self._number.get(node_id)
        return None if number is None else self.type_at(number)

    def type_at(self, number: int) -> str:
        return self._compiled.node_types[int(self.columns.node_type[number])]

    def label_at(self, number: int) -> str:
        """Return the display name of an entity, the title of an episode or show, else ``""``."""
        return self._compiled.labels[number]

    def label(self, node_id: str) -> str:
        """Return the display name of an entity, the title of an episode or show, else ``""``."""
        number = self._number.get(node_id)
        return "" if number is None else self.label_at(number)

    def get_node(self, node_id: str) -> GraphNode | None:
        """Return a node with its payload, or None for an unknown id."""
        return self.get_nodes([node_id]).get(node_id)

    def get_nodes(self, node_ids: Iterable[str]) -> dict[str, GraphNode]:
        """Return the known nodes among ``node_ids`` with their payloads, read in one go."""
        known = [node_id for node_id in node_ids if node_id in self._number]
        stored = self._payloads.fetch(known)
        found = {}
        for node_id in known:
            if node_id not in stored:
                continue
            payload, layers = stored[node_id]
            kind = self.node_type(node_id) or ""
            if kind in ENTITY_TYPES:
                key = "label" if kind == "topic" else "name"
                payload = {**payload, key: self.label(node_id)}
            found[node_id] = GraphNode(node_id, kind, payload, layers)
        return found

    def nodes_by_type(self, node_type: str) -> list[str]:
        """Return the ids of one type (``person``, ``insight``, …), sorted."""
        return [self.ids[i] for i in self.numbers_by_type(node_type)]

    def numbers_by_type(self, node_type: str) -> NDArray[np.int64]:
        code = self._type_code.get(node_type.lower(), -1)
        return np.flatnonzero(self.columns.node_type == code)

    # Edges

    def neighbors(self, node_id: str) -> list[str]:
        """Return the distinct neighbours of a node over edges of any type, sorted."""
        number = self._number.get(node_id)
        if number is None:
            return []
        start, end = self.adjacency.indptr[number : number + 2]
        return [self.ids[i] for i in np.unique(self.adjacency.neighbor[start:end])]

    def typed_neighbors(self, node_id: str, edge_type: str) -> list[str]:
        """Return the distinct neighbours over one edge type in either direction, sorted.

        RFC-091's names are understood too: SPEAKER_OF, IN_EPISODE, COVERS, MENTIONED_IN,
        FROM_SHOW. Names are case-insensitive.
        """
        number = self._number.get(node_id)
        if number is None:
            return []
        names, ends = RFC_091.get(edge_type.upper(), ((edge_type.upper(),), None))
        if ends is not None and self.type_at(number) not in ends:
            return []
        found = {int(i) for name in names for i in self.typed(number, name)}
        if ends is not None:
            here = self.type_at(number)
            wanted = ends - {here} if here == "episode" else {"episode"}
            found = {i for i in found if self.type_at(i) in wanted}
        return [self.ids[i] for i in sorted(found)]

    def typed(self, number: int, edge_type: str) -> NDArray[np.int64]:
        """Return the neighbours of a node over one edge type, as numbers in ascending order."""
        return self.typed_many(np.array([number]), edge_type)[1]

    def has_edges(self, edge_type: str) -> bool:
        """Tell whether the graph has any edge of a type."""
        return bool(self._relation(edge_type).neighbor.size)

    def typed_many(
        self, numbers: NDArray[np.int64], edge_type: str
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return (position in ``numbers``, neighbour) for every edge of one type at them."""
        relation = self._relation(edge_type)
        owner, entry = walk.expand(relation.indptr, numbers)
        return owner, relation.neighbor[entry].astype(np.int64)

    def _relation(self, edge_type: str) -> walk.Relation:
        code = self._edge_code.get(edge_type, -1)
        if code not in self._relations:
            self._relations[code] = walk.one_type(self.adjacency, code)
        return self._relations[code]

    def is_inferred(self, number: int, edge_type: str, neighbor: int) -> bool:
        """Tell whether an edge rests on host reconciliation alone."""
        part = walk.typed_row(self.adjacency, number, self._edge_code[edge_type])
        place = part.start + int(np.searchsorted(self.adjacency.neighbor[part], neighbor))
        return not int(self.adjacency.flags[place]) & CERTAIN

    def edges(self) -> Iterator[GraphEdge]:
        """Iterate over every edge once, by source, type and target."""
        every = directed_edges(self.adjacency)
        yield from self._named(every, np.arange(every.source.size))

    def _named(self, edges: Edges, chosen: NDArray[np.int64]) -> Iterator[GraphEdge]:
        names, ids = self._compiled.edge_types, self.ids
        for source, target, kind, certain in zip(
            edges.source[chosen].tolist(),
            edges.target[chosen].tolist(),
            edges.edge_type[chosen].tolist(),
            edges.certain[chosen].tolist(),
            strict=True,
        ):
            yield GraphEdge(names[kind], ids[source], ids[target], not certain)

    def degree(self, node_id: str) -> int:
        """Return the number of distinct neighbours, 0 for an unknown id."""
        number = self._number.get(node_id)
        if number is None:
            return 0
        start, end = self.adjacency.indptr[number : number + 2]
        return int(np.unique(self.adjacency.neighbor[start:end]).size)
