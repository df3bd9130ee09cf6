"""Compressed rows (CSR) of small integers, sparse values and their top: shared by both lanes.

What a query costs follows what it reaches, never how much there is: values are kept for the places
that have one, and no more than a budget of entries is read from the rows of well-connected items.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from podcast_scraper.search.graph.strings import places_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    Integers = NDArray[np.signedinteger[Any]]


# Entries that one step of a lane reads at most; adding them up takes half a millisecond.
BUDGET: Final = 16_384


@dataclass(frozen=True, slots=True)
class Sparse:
    """Values of some places (ascending, each once); every other place has 0."""

    places: NDArray[np.int64]
    values: NDArray[np.float64]

    @classmethod
    def of(cls, values: Mapping[int, float]) -> Sparse:
        """Take values by place."""
        places = np.array(sorted(values), dtype=np.int64)
        return cls(places, np.array([values[place] for place in places.tolist()], dtype=np.float64))

    @classmethod
    def summed(cls, places: Integers, values: NDArray[np.float64]) -> Sparse:
        """Add up the values of equal places, in the order given."""
        distinct, inverse = np.unique(places, return_inverse=True)
        sums = np.bincount(inverse, weights=values, minlength=len(distinct))
        return cls(distinct.astype(np.int64), sums.astype(np.float64))

    def at(self, places: Integers) -> NDArray[np.float64]:
        """Return the value of each of ``places``."""
        if not len(self.places):
            return np.zeros(len(places))
        found = np.minimum(np.searchsorted(self.places, places), len(self.places) - 1)
        return np.where(self.places[found] == places, self.values[found], 0.0)

    def top(self, limit: int) -> Sparse:
        """Return the ``limit`` largest of the values > 0, of equal ones those of lower places."""
        held = np.flatnonzero(self.values > 0)
        held = most_active(held, self.values, limit)
        return Sparse(self.places[held], self.values[held])


@dataclass(frozen=True, slots=True)
class Rows:
    """Row ``r`` holds ``items[starts[r]:starts[r + 1]]``; items of four bytes may be mapped."""

    starts: NDArray[np.int64]
    items: Integers

    @classmethod
    def from_pairs(cls, rows: Integers, items: Integers, row_count: int) -> Rows:
        """Group ``items`` by row, in the order given within a row."""
        order = np.argsort(rows, kind="stable")
        counts = np.bincount(rows, minlength=row_count)
        return cls(np.concatenate(([0], np.cumsum(counts))), items[order])

    @classmethod
    def from_lists(cls, lists: Sequence[Sequence[str]], places: Mapping[str, int]) -> Rows:
        """Number lists of ids, one row a list, sorted and each id once."""
        numbered = [sorted({places[one] for one in ids}) for ids in lists]
        counts = np.array([len(row) for row in numbered], dtype=np.int64)
        items = np.array([item for row in numbered for item in row], dtype=np.int64)
        return cls(np.concatenate(([0], np.cumsum(counts))).astype(np.int64), items)

    def transposed(self, item_count: int) -> Rows:
        """Return for each item the rows that hold it, in order."""
        owners = np.repeat(np.arange(len(self.lengths), dtype=np.int64), self.lengths)
        return Rows.from_pairs(self.items, owners, item_count)

    @property
    def lengths(self) -> NDArray[np.int64]:
        lengths: NDArray[np.int64] = self.starts[1:] - self.starts[:-1]
        return lengths

    def row(self, place: int) -> Integers:
        return self.items[self.starts[place] : self.starts[place + 1]]

    def positions(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the positions in ``items`` of all entries of ``rows``, row after row."""
        counts = self.starts[rows + 1] - self.starts[rows]
        ends = np.cumsum(counts)
        total = int(ends[-1]) if len(ends) else 0
        offsets: NDArray[np.int64] = np.repeat(self.starts[rows] - (ends - counts), counts)
        return offsets + np.arange(total, dtype=np.int64)

    def spread(self, given: Sparse, budget: int) -> tuple[Sparse, bool]:
        """Add to every item of the given rows the value of its row.

        At most ``budget`` entries are read, those of the shortest rows first: what is held by few
        says most. Returns one sum an item, and whether all rows were read.
        """
        lengths = self.starts[given.places + 1] - self.starts[given.places]
        if int(lengths.sum()) <= budget:
            items = self.items[self.positions(given.places)]
            return Sparse.summed(items, np.repeat(given.values, lengths)), True
        order = np.argsort(lengths, kind="stable")
        ends = np.cumsum(lengths[order])
        whole = int(np.searchsorted(ends, budget, side="right"))
        rows, last = order[:whole], order[whole]
        left = budget - int(ends[whole - 1]) if whole else budget
        items = np.concatenate(
            (self.items[self.positions(given.places[rows])], self.row(given.places[last])[:left])
        )
        values = np.repeat(given.values[rows], lengths[rows])
        values = np.concatenate((values, np.full(left, given.values[last])))
        return Sparse.summed(items, values), False

    def sums(self, rows: NDArray[np.int64], values: Sparse) -> NDArray[np.float64]:
        """Return for each of ``rows`` the sum of the values of its items, in their order."""
        lengths = self.starts[rows + 1] - self.starts[rows]
        found = values.at(self.items[self.positions(rows)])
        owners = np.repeat(np.arange(len(rows)), lengths)
        return np.bincount(owners, weights=found, minlength=len(rows)).astype(np.float64)


def merged(some: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the places of both, ascending, each once."""
    # numpy.union1d of 2.3 hashes: for a few thousand places sorting takes a tenth of that.
    places = np.sort(np.concatenate((some, others)))
    first = np.ones(len(places), dtype=np.bool_)
    first[1:] = places[1:] != places[:-1]
    return places[first]


def most_active(
    places: NDArray[np.int64], values: NDArray[np.float64], limit: int
) -> NDArray[np.int64]:
    """Return in ascending order the ``limit`` of ``places`` with the largest of ``values``.

    Of equal values the lower places stay. ``values`` is by place.
    """
    if limit <= 0:
        return places[:0]
    if len(places) <= limit:
        return places
    held = values[places]
    least = np.partition(held, len(held) - limit)[len(held) - limit]
    above, level = places[held > least], np.sort(places[held == least])
    return np.sort(np.concatenate((above, level[: limit - len(above)])))


class Numbering:
    """Sorted ids and the place of each, made once and shared by all that are numbered alike."""

    def __init__(self, ids: Sequence[str]) -> None:
        self.ids = ids

    @cached_property
    def places(self) -> Mapping[str, int]:
        """The place of each id."""
        return places_of(self.ids)

    def mask(self, chosen: Collection[str]) -> NDArray[np.bool_]:
        """Return which places the chosen ids have; unknown ids are passed over."""
        if isinstance(chosen, Chosen) and chosen.numbering is self:
            return chosen.held
        mask = np.zeros(len(self.ids), dtype=np.bool_)
        mask[[self.places[one] for one in chosen if one in self.places]] = True
        return mask


class Chosen(Collection[str]):
    """Some ids of a numbering, as one bit an id: a wide filter leaves most of a million."""

    def __init__(self, numbering: Numbering, held: NDArray[np.bool_]) -> None:
        self.numbering = numbering
        self.held = held

    def __contains__(self, one: object) -> bool:
        place = self.numbering.places.get(one) if isinstance(one, str) else None
        return place is not None and bool(self.held[place])

    def __iter__(self) -> Iterator[str]:
        return (self.numbering.ids[place] for place in np.flatnonzero(self.held).tolist())

    def __len__(self) -> int:
        return int(np.count_nonzero(self.held))


def best_of(
    scores: Sparse,
    numbering: Numbering,
    k: int,
    *,
    allowed: Collection[str] | None = None,
) -> tuple[tuple[str, float], ...]:
    """Return the ``k`` best ids with scores > 0, ties by id; ``scores`` are by place.

    ``allowed`` restricts what may be returned.
    """
    best = only(scores, numbering, allowed).top(k)
    order = np.lexsort((best.places, -best.values))
    return tuple(
        (numbering.ids[place], value)
        for place, value in zip(
            best.places[order].tolist(), best.values[order].tolist(), strict=True
        )
    )


def only(scores: Sparse, numbering: Numbering, allowed: Collection[str] | None) -> Sparse:
    """Return the scores of the places that are allowed (None: all)."""
    if allowed is None:
        return scores
    kept = numbering.mask(allowed)[scores.places]
    return Sparse(scores.places[kept], scores.values[kept])
