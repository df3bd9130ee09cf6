"""Spreading activation over typed edges, on arrays.

After Collins and Loftus (1975) and Crestani (1997): seeds hold activation, each hop hands a decayed
share of it on. A node that many edges meet in is damped, a row is cut to its strongest edges and a
frontier to its most active nodes, so that the cost of a query is bounded whatever the graph.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from podcast_scraper.errors import ColumnError, ConfigurationError
from podcast_scraper.search.rescue.incidence import Rows, Sparse

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

TypedEdge = tuple[str, str, str, float]
"""Source, type, target, weight (finite, ≥ 0): the columns of ``graph-edges.parquet``."""

# Edges that bear meaning. A quote is not walked: STATES joins a person and an insight directly.
# Structural edges lead to episodes and shows, which are no document's nodes, and discovery edges
# (similar people, related topics) are guesses: neither is walked by default.
EDGE_WEIGHTS: Final[Mapping[str, float]] = {
    "STATES": 1.0,
    "ABOUT": 1.0,
    "MENTIONS_PERSON": 1.0,
    "MENTIONS_ORG": 1.0,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SpreadOptions:
    """``fan_out`` edges a node and ``frontier`` nodes a hop bound a walk of ``max_hops``."""

    max_hops: int = 2
    decay: float = 0.5
    fan_out: int = 128
    frontier: int = 512

    def __post_init__(self) -> None:
        for name in ("max_hops", "fan_out", "frontier"):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise ConfigurationError(
                    f"{name} is {value!r}.", mend="Give a whole number of at least 1.", subject=name
                )
        if not isinstance(self.decay, int | float) or not 0 < self.decay <= 1:
            raise ConfigurationError(
                f"decay is {self.decay!r}.",
                mend="Give a number above 0, at most 1.",
                subject="decay",
            )


@dataclass(frozen=True, slots=True)
class EdgeArrays:
    """Edges between numbered nodes, each once, as parallel arrays."""

    source: NDArray[np.int64]
    target: NDArray[np.int64]
    weight: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Activation:
    """The best activation of every node that was reached, and how it came there.

    ``origins`` holds for each hop the nodes whose value it gave (ascending), and who gave it.
    """

    values: Sparse
    origins: tuple[tuple[NDArray[np.int64], NDArray[np.int64]], ...]

    def path_to(self, node: int) -> list[int]:
        """Return the nodes from a seed to ``node``, both included; of equal ones the first."""
        path = [node]
        for targets, sources in reversed(self.origins):
            place = int(np.searchsorted(targets, path[0]))
            if place < len(targets) and targets[place] == path[0]:
                path.insert(0, int(sources[place]))
        return path


@dataclass(frozen=True, slots=True)
class ActivationGraph:
    """An undirected weighted graph over node places ``0 … n - 1``, rows cut to the fan-out.

    ``damping`` is ``1 / log2(2 + degree)`` of the whole degree, applied where activation leaves.
    """

    rows: Rows
    weights: NDArray[np.float64]
    damping: NDArray[np.float64]
    options: SpreadOptions

    @classmethod
    def build(cls, edges: EdgeArrays, size: int, options: SpreadOptions) -> ActivationGraph:
        """Build over ``size`` nodes.

        Self-loops and edges of weight 0 fall away; of several edges between two nodes the heaviest
        counts. A row keeps its heaviest edges, of equals those to the least connected nodes.
        """
        walked = (edges.weight > 0) & (edges.source != edges.target)
        source, target = edges.source[walked], edges.target[walked]
        rows = np.concatenate((source, target))
        columns = np.concatenate((target, source))
        weights = np.concatenate((edges.weight[walked], edges.weight[walked]))
        order = np.lexsort((-weights, columns, rows))
        rows, columns, weights = rows[order], columns[order], weights[order]
        first = np.ones(len(rows), dtype=bool)
        first[1:] = (rows[1:] != rows[:-1]) | (columns[1:] != columns[:-1])
        rows, columns, weights = rows[first], columns[first], weights[first]
        degree = np.bincount(rows, minlength=size)
        order = np.lexsort((columns, degree[columns], -weights, rows))
        rows, columns, weights = rows[order], columns[order], weights[order]
        starts = np.concatenate(([0], np.cumsum(degree)))
        kept = np.arange(len(rows)) - starts[rows] < options.fan_out
        return cls(
            Rows.from_pairs(rows[kept], columns[kept], size),
            weights[kept],
            1.0 / np.log2(2.0 + degree),
            options,
        )

    def spread(self, seeds: Mapping[int, float]) -> Activation:
        """Spread from ``seeds`` (activation by place); the best activation of a node is kept."""
        best = Sparse.of(seeds)
        frontier = best
        origins: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
        for _ in range(self.options.max_hops):
            sources, targets, values = self._hop(frontier.top(self.options.frontier))
            better = values > best.at(targets)
            sources, targets, values = sources[better], targets[better], values[better]
            if not len(targets):
                break
            # The largest value of each target comes first, of equal ones that of the first source.
            order = np.lexsort((sources, -values, targets))
            first = order[np.unique(targets[order], return_index=True)[1]]
            frontier = Sparse(targets[first], values[first])
            origins.append((frontier.places, sources[first]))
            best = _overlaid(best, frontier)
        return Activation(best, tuple(origins))

    def _hop(
        self, frontier: Sparse
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Return every walked edge from the frontier: source, target, activation handed on."""
        places = frontier.places
        positions = self.rows.positions(places)
        counts = self.rows.starts[places + 1] - self.rows.starts[places]
        given = frontier.values * self.damping[places] * self.options.decay
        values = np.repeat(given, counts) * self.weights[positions]
        return np.repeat(places, counts), self.rows.items[positions].astype(np.int64), values


def _overlaid(below: Sparse, above: Sparse) -> Sparse:
    """Return both, the values of ``above`` where both have one."""
    kept = ~np.isin(below.places, above.places, assume_unique=True)
    places = np.concatenate((below.places[kept], above.places))
    order = np.argsort(places)
    return Sparse(places[order], np.concatenate((below.values[kept], above.values))[order])


def typed_arrays(
    edges: Iterable[TypedEdge], places: Mapping[str, int], edge_weights: Mapping[str, float]
) -> EdgeArrays:
    """Return typed edges as arrays; the weight of an edge is its own times that of its type.

    ``places`` numbers the nodes. Raises ColumnError for a weight that is not finite and ≥ 0.
    """
    sources: list[int] = []
    targets: list[int] = []
    weights: list[float] = []
    for source, kind, target, own in edges:
        if not math.isfinite(own) or own < 0:
            raise ColumnError(
                f"The weight of edge {source} {kind} {target} is {own!r}.",
                mend="Give a finite weight of at least 0.",
                subject={"candidate": (source, kind, target), "column": "weight", "value": own},
            )
        sources.append(places[source])
        targets.append(places[target])
        weights.append(own * edge_weights.get(kind, 0.0))
    return EdgeArrays(
        np.array(sources, dtype=np.int64),
        np.array(targets, dtype=np.int64),
        np.array(weights, dtype=np.float64),
    )
