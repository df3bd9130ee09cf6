"""The compiled graph beside an index' records: ``graph/*.npy``, read as memory maps."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from podcast_scraper.errors import IndexDamagedError, IndexMismatchError
from podcast_scraper.identity.identity_map import IdentityMap
from podcast_scraper.search.graph.arrays import (
    Adjacency,
    CompiledGraph,
    NodeColumns,
    compile_rows,
)
from podcast_scraper.search.graph.rows import apply_identity, reconcile_hosts, rows_from_index
from podcast_scraper.search.graph.strings import Strings, pack

if TYPE_CHECKING:
    from pathlib import Path

    import sqlalchemy as sa
    from numpy.typing import NDArray

GRAPH_DIRECTORY: Final = "graph"
FORMAT_VERSION: Final = 1

_REBUILD = "Build the index again with `podcast-scraper index`."


def write_graph(
    generation_dir: Path,
    engine: sa.Engine,
    *,
    identity_map: IdentityMap | None = None,
    infer_hosts: bool = False,
) -> CompiledGraph:
    """Compile the graph of the records behind ``engine`` and write it into a generation.

    Call it after all records are committed. ``identity_map`` holds the ledger's decisions.
    Centrality and communities are computed and stored too.
    """
    # Only a build needs scipy; a search that reads these files should not wait for it.
    from podcast_scraper.search.graph.analysis import communities, meaning_matrix, pagerank

    identity = identity_map or IdentityMap()
    rows = apply_identity(rows_from_index(engine), identity)
    graph = compile_rows(reconcile_hosts(rows) if infer_hosts else rows)
    matrix = meaning_matrix(graph.adjacency, graph.edge_types)
    directory = generation_dir / GRAPH_DIRECTORY
    directory.mkdir(exist_ok=True)
    arrays: dict[str, NDArray[Any]] = {
        "centrality": pagerank(matrix),
        "community": communities(matrix),
    }
    for part in (graph.columns, graph.adjacency):
        arrays.update({f.name: getattr(part, f.name) for f in fields(part)})
    arrays["ids"], arrays["id_offsets"] = pack(graph.ids)
    arrays["labels"], arrays["label_offsets"] = pack(graph.labels)
    for name, array in arrays.items():
        np.save(directory / f"{name}.npy", array, allow_pickle=False)
    description = {
        "version": FORMAT_VERSION,
        "nodes": len(graph.ids),
        "node_types": graph.node_types,
        "edge_types": graph.edge_types,
        "redirects": dict(identity.redirects),
        "scoped": [[*key, new] for key, new in sorted(identity.scoped.items())],
    }
    (directory / "graph.json").write_text(json.dumps(description), encoding="utf-8")
    return graph


class StoredGraph:
    """A graph read back: its arrays, and the identity decisions that it was compiled with."""

    def __init__(self, generation_dir: Path) -> None:
        """Open the files. Raises IndexDamagedError or, for another format, IndexMismatchError."""
        self._directory = generation_dir / GRAPH_DIRECTORY
        try:
            description = json.loads((self._directory / "graph.json").read_text(encoding="utf-8"))
            if description["version"] != FORMAT_VERSION:
                raise IndexMismatchError(
                    f"The graph in {self._directory} has format {description['version']}; "
                    f"this version reads format {FORMAT_VERSION}.",
                    mend=_REBUILD,
                    subject=self._directory,
                )
            self.identity = IdentityMap(
                description["redirects"],
                {(old, episode): new for old, episode, new in description["scoped"]},
            )
            self.centrality: NDArray[np.float32] = self._array("centrality")
            self.community: NDArray[np.int32] = self._array("community")
            self.compiled = CompiledGraph(
                Strings(self._array("ids"), self._array("id_offsets")),
                Strings(self._array("labels"), self._array("label_offsets")),
                tuple(description["node_types"]),
                tuple(description["edge_types"]),
                NodeColumns(**{f.name: self._array(f.name) for f in fields(NodeColumns)}),
                Adjacency(**{f.name: self._array(f.name) for f in fields(Adjacency)}),
            )
            complete = (
                len(self.compiled.ids) == len(self.compiled.adjacency) == description["nodes"]
            )
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise self._damaged() from error
        if not complete:
            raise self._damaged()

    def _array(self, name: str) -> NDArray[Any]:
        mapped = np.load(self._directory / f"{name}.npy", mmap_mode="r", allow_pickle=False)
        return np.asarray(mapped)  # a plain view: memmap objects are slow to slice

    def _damaged(self) -> IndexDamagedError:
        return IndexDamagedError(
            f"The graph in {self._directory} cannot be read.",
            mend=_REBUILD,
            subject=self._directory,
        )
