"""The cross-layer graph: everything that GI and KG say about a corpus, joined on canonical ids.

It answers relational queries, feeds the rescue lanes and explains; it never ranks as a list of its
own (RFC-091). Traversal is undirected, edges are typed.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from podcast_scraper.artifacts.reading import open_reading
from podcast_scraper.errors import CorpusError
from podcast_scraper.identity.canonical import ENTITY_TYPES, is_voice
from podcast_scraper.identity.identity_map import IdentityMap
from podcast_scraper.search.graph import analysis, walk
from podcast_scraper.search.graph.arrays import (
    CERTAIN,
    CompiledGraph,
    Edges,
    build_adjacency,
    compile_rows,
    directed_edges,
)
from podcast_scraper.search.graph.edge_types import RFC_091, STATES
from podcast_scraper.search.graph.files import StoredGraph
from podcast_scraper.search.graph.payloads import IndexPayloads, PayloadSource, RecordPayloads
from podcast_scraper.search.graph.rows import (
    apply_identity,
    rows_from_index,
    rows_from_records,
)
from podcast_scraper.search.graph.rows import (
    reconcile_hosts as reconcile_host_rows,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import networkx
    import sqlalchemy as sa
    from numpy.typing import NDArray

    from podcast_scraper.artifacts.records import EpisodeRecord


# (bare episode id, media as the corpus has it) -> the URL that plays it, if any
MediaUrl = Callable[[str, str | None], str | None]


def web_address(_episode_id: str, media: str | None) -> str | None:
    """Return media that is an address on the web; a bare graph serves no local files."""
    is_address = media is not None and media.startswith(("http://", "https://"))
    return media if is_address else None


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A node. ``type`` is lower case; ``layers`` are those that held it (``gi``, ``kg``)."""

    id: str
    type: str
    payload: Mapping[str, Any]
    layers: frozenset[str]


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """A directed, typed edge. ``inferred`` edges rest on host reconciliation alone."""

    type: str
    source: str
    target: str
    inferred: bool = False


class CorpusGraph:
    """The graph of a corpus. Immutable and safe to share between threads.

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
        centrality: NDArray[np.float32] | None = None,
        community: NDArray[np.int32] | None = None,
    ) -> None:
        self._compiled = compiled
        self._payloads = payloads
        self._identity = identity or IdentityMap()
        self.media_url = media_url or web_address
        self._number = {node_id: number for number, node_id in enumerate(compiled.ids)}
        self._edge_code = {name: number for number, name in enumerate(compiled.edge_types)}
        self._type_code = {name: number for number, name in enumerate(compiled.node_types)}
        self._relations: dict[int, walk.Relation] = {}
        self.columns = compiled.columns
        self.adjacency = compiled.adjacency
        if centrality is not None:
            self.centralities = centrality
        if community is not None:
            self.communities = community

    # Making one

    @classmethod
    def build(
        cls,
        corpus_dir: str | Path,
        *,
        validate: bool = False,
        derive_speaker_links: bool = False,
        reconcile_hosts: bool = False,
        identity_map: IdentityMap | Mapping[str, str] | None = None,
    ) -> CorpusGraph:
        """Build the graph from the loose artifact files of a corpus, without an index.

        Without flags it is the faithful union. ``derive_speaker_links`` adds STATES (person →
        insight) wherever a person spoke a quote that supports the insight; ``reconcile_hosts``
        attributes unnamed host voices of one-host shows; ``identity_map`` redirects ids.

        Raises:
            CorpusError: there is no such directory, or, where ``validate`` is set, a file or an
                item in it could not be read.
        """
        reading = open_reading(Path(corpus_dir))
        graph = cls.from_records(
            reading.episodes(),
            derive_speaker_links=derive_speaker_links,
            reconcile_hosts=reconcile_hosts,
            identity_map=identity_map,
        )
        report = reading.report
        losses = [f"{file.path}: {file.reason}" for file in report.quarantined]
        losses += [f"{item.path}: {item.reason}" for item in report.dropped]
        if validate and losses:
            raise CorpusError(
                f"{len(losses)} files or items of {corpus_dir} cannot be read, first {losses[0]}.",
                mend="`podcast-scraper index --report FILE` lists them all.",
                subject=corpus_dir,
            )
        return graph

    @classmethod
    def from_records(
        cls,
        records: Iterable[EpisodeRecord],
        *,
        derive_speaker_links: bool = False,
        reconcile_hosts: bool = False,
        identity_map: IdentityMap | Mapping[str, str] | None = None,
    ) -> CorpusGraph:
        """Build the faithful union of episodes; each flag adds what it says (see :meth:`build`)."""
        kept = list(records)
        identity = IdentityMap.of(identity_map)
        rows = apply_identity(rows_from_records(kept), identity)
        compiled = compile_rows(reconcile_host_rows(rows) if reconcile_hosts else rows)
        if derive_speaker_links:
            compiled = with_speaker_links(compiled)
        return cls(compiled, RecordPayloads(kept, identity), identity=identity)

    @classmethod
    def open(
        cls,
        generation_dir: Path,
        engine: sa.Engine,
        *,
        derive_speaker_links: bool = False,
        identity_map: IdentityMap | Mapping[str, str] | None = None,
        media_url: MediaUrl | None = None,
    ) -> CorpusGraph:
        """Open the graph that was compiled when the index generation was built.

        ``engine`` reads the generation's records. ``identity_map`` replaces the identity decisions
        of build time; then the graph is compiled anew from the records. ``media_url`` says where a
        local audio file is served. Raises IndexDamagedError.
        """
        stored = StoredGraph(generation_dir)
        identity = IdentityMap.of(identity_map)
        if identity_map is not None and not stored.identity.same_ids(identity):
            compiled = compile_rows(apply_identity(rows_from_index(engine), identity))
            if derive_speaker_links:
                compiled = with_speaker_links(compiled)
            payloads = IndexPayloads(engine, identity)
            return cls(compiled, payloads, identity=identity, media_url=media_url)
        compiled = stored.compiled
        return cls(
            with_speaker_links(compiled) if derive_speaker_links else compiled,
            IndexPayloads(engine, stored.identity),
            identity=stored.identity,
            media_url=media_url,
            centrality=stored.centrality,
            community=stored.community,
        )

    # Nodes

    def __len__(self) -> int:
        return len(self._compiled.ids)

    def __contains__(self, node_id: object) -> bool:
        return node_id in self._number

    @property
    def ids(self) -> Sequence[str]:
        """All node ids, sorted: the position of an id is its node's number."""
        return self._compiled.ids

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
        names = self._compiled.edge_types
        for source, target, kind, certain in zip(
            every.source, every.target, every.edge_type, every.certain, strict=True
        ):
            yield GraphEdge(names[kind], self.ids[source], self.ids[target], not certain)

    def degree(self, node_id: str) -> int:
        """Return the number of distinct neighbours, 0 for an unknown id."""
        number = self._number.get(node_id)
        if number is None:
            return 0
        start, end = self.adjacency.indptr[number : number + 2]
        return int(np.unique(self.adjacency.neighbor[start:end]).size)

    # Walking and analysis

    def bfs(self, start: str, max_hops: int) -> dict[str, int]:
        """Return ``{id: hop}`` for all within ``max_hops`` edges, ``start`` at 0.

        Keys come by hop, then id. An unknown start or a negative ``max_hops`` gives ``{}``.
        """
        number = self._number.get(start)
        if number is None or max_hops < 0:
            return {}
        nodes, hops = walk.hops_from(self.adjacency, number, max_hops)
        ids = self.ids
        return {ids[i]: hop for i, hop in zip(nodes.tolist(), hops.tolist(), strict=True)}

    @cached_property
    def centralities(self) -> NDArray[np.float32]:
        """PageRank of every node over meaning-bearing edges, divided by its maximum."""
        return analysis.pagerank(self._meaning)

    @cached_property
    def communities(self) -> NDArray[np.int32]:
        """The community number of every node, by label propagation."""
        return analysis.communities(self._meaning)

    @cached_property
    def voices(self) -> NDArray[np.bool_]:
        """A mask of the nodes that are diarisation voices and no people."""
        mask = np.zeros(len(self), dtype=np.bool_)
        people = self.numbers_by_type("person")
        mask[people] = [is_voice(self.ids[person]) for person in people]
        return mask

    @cached_property
    def _meaning(self) -> sparse.csr_array:
        return analysis.meaning_matrix(self.adjacency, self._compiled.edge_types)

    def centrality(self, node_id: str) -> float:
        """Return a node's centrality in 0..1, 0 for an unknown id."""
        number = self._number.get(node_id)
        return 0.0 if number is None else float(self.centralities[number])

    def community(self, node_id: str) -> int | None:
        """Return the number of a node's community, None for an unknown id."""
        number = self._number.get(node_id)
        return None if number is None else int(self.communities[number])

    def to_networkx(self, node_ids: Iterable[str]) -> networkx.MultiDiGraph[str]:
        """Return the subgraph over ``node_ids`` for layouts and analysis; edge keys are types."""
        import networkx

        made: networkx.MultiDiGraph[str] = networkx.MultiDiGraph()
        numbers = sorted({self._number[i] for i in node_ids if i in self._number})
        for number in numbers:
            made.add_node(self.ids[number], type=self.type_at(number), label=self.label_at(number))
        chosen = np.array(numbers, dtype=np.int64)
        every = directed_edges(self.adjacency)
        inside = np.isin(every.source, chosen) & np.isin(every.target, chosen)
        for source, target, kind in zip(
            every.source[inside], every.target[inside], every.edge_type[inside], strict=True
        ):
            made.add_edge(self.ids[source], self.ids[target], key=self._compiled.edge_types[kind])
        return made


def with_speaker_links(compiled: CompiledGraph) -> CompiledGraph:
    """Add STATES (person → insight) wherever a person spoke a quote that supports the insight."""
    every = directed_edges(compiled.adjacency)
    size = len(compiled.ids)
    code = compiled.edge_types.index

    def matrix(edge_type: str, *, certain: bool) -> sparse.csr_array:
        kept = every.edge_type == code(edge_type)
        if certain:
            kept &= every.certain
        pairs = (every.source[kept], every.target[kept])
        return sparse.coo_array((np.ones(kept.sum(), np.int32), pairs), shape=(size, size)).tocsr()

    spoken = (matrix("SUPPORTED_BY", certain=False) @ matrix("SPOKEN_BY", certain=False)).tocoo()
    sure = (matrix("SUPPORTED_BY", certain=True) @ matrix("SPOKEN_BY", certain=True)).tocoo()
    insight, person = spoken.row.astype(np.int32), spoken.col.astype(np.int32)
    pair, sure_pair = (m.row.astype(np.int64) * size + m.col for m in (spoken, sure))
    certain = np.isin(pair, sure_pair)
    edges = Edges(
        np.concatenate([every.source, person]),
        np.concatenate([every.target, insight]),
        np.concatenate([every.edge_type, np.full(person.size, code(STATES), np.uint8)]),
        np.concatenate([every.certain, certain]),
    )
    return replace(compiled, adjacency=build_adjacency(size, edges))


_cache: dict[Path, tuple[object, CorpusGraph]] = {}
_cache_lock = threading.Lock()


def get_corpus_graph(
    corpus_dir: str | Path,
    *,
    derive_speaker_links: bool = False,
    reconcile_hosts: bool = False,
    identity_map: IdentityMap | Mapping[str, str] | None = None,
) -> CorpusGraph:
    """Return the graph of a corpus' loose files, kept per process until the corpus changes.

    One graph is kept for each corpus; other flags, decisions or files replace it.
    """
    root = Path(corpus_dir).resolve()
    identity = IdentityMap.of(identity_map)
    plan = open_reading(root).plan
    state = (
        tuple((planned.episode_id, planned.fingerprint) for planned in plan),
        derive_speaker_links,
        reconcile_hosts,
        identity,
    )
    with _cache_lock:
        kept = _cache.get(root)
        if kept is None or kept[0] != state:
            kept = _cache[root] = (
                state,
                CorpusGraph.build(
                    root,
                    derive_speaker_links=derive_speaker_links,
                    reconcile_hosts=reconcile_hosts,
                    identity_map=identity,
                ),
            )
        return kept[1]
