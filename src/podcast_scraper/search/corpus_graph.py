"""The cross-layer graph: everything that GI and KG say about a corpus, joined on canonical ids.

It answers relational queries, feeds the rescue lanes and explains; it never ranks as a list of its
own (RFC-091). Traversal is undirected, edges are typed.
"""

from __future__ import annotations

import threading
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from podcast_scraper.artifacts.reading import open_reading
from podcast_scraper.errors import CorpusError
from podcast_scraper.identity.canonical import is_voice
from podcast_scraper.identity.identity_map import IdentityMap
from podcast_scraper.search.graph import analysis, walk
from podcast_scraper.search.graph.arrays import (
    compile_rows,
    directed_edges,
)
from podcast_scraper.search.graph.files import StoredGraph
from podcast_scraper.search.graph.payloads import IndexPayloads, RecordPayloads
from podcast_scraper.search.graph.rows import (
    apply_identity,
    rows_from_index,
    rows_from_records,
)
from podcast_scraper.search.graph.rows import (
    reconcile_hosts as reconcile_host_rows,
)
from podcast_scraper.search.graph.speaker_links import with_speaker_links
from podcast_scraper.search.graph.view import GraphView

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import networkx
    import sqlalchemy as sa
    from numpy.typing import NDArray
    from scipy import sparse

    from podcast_scraper.artifacts.records import EpisodeRecord
    from podcast_scraper.search.graph.records import GraphEdge, MediaUrl


class CorpusGraph(GraphView):
    """The graph of a corpus: its nodes and edges (:class:`GraphView`), walked and analysed."""

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
        graph = cls(
            with_speaker_links(compiled) if derive_speaker_links else compiled,
            IndexPayloads(engine, stored.identity),
            identity=stored.identity,
            media_url=media_url,
        )
        graph.centralities, graph.communities = stored.centrality, stored.community
        return graph

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
        numbers = np.array(sorted({self._number[i] for i in node_ids if i in self._number}))
        for number in numbers.tolist():
            made.add_node(self.ids[number], type=self.type_at(number), label=self.label_at(number))
        made.add_edges_from(
            (edge.source, edge.target, edge.type, {}) for edge in self._edges_within(numbers)
        )
        return made

    def _edges_within(self, numbers: NDArray[np.int64]) -> Iterator[GraphEdge]:
        every = directed_edges(self.adjacency)
        inside = np.isin(every.source, numbers) & np.isin(every.target, numbers)
        yield from self._named(every, np.flatnonzero(inside))


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
