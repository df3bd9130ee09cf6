"""Compressed rows (CSR) of small integers, and the top of a score array: shared by both lanes."""

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


LONG_ROW: Final = 256


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

    def summed(
        self, rows: NDArray[np.int64], values: NDArray[np.float64], size: int
    ) -> NDArray[np.float64]:
        """Add to every item of ``rows[i]`` the value ``values[i]``; returns one sum an item.

        The items of a row are distinct, and below ``size``.
        """
        lengths = self.starts[rows + 1] - self.starts[rows]
        short = lengths <= LONG_ROW
        items = self.items[self.positions(rows[short])]
        given = np.repeat(values[short], lengths[short])
        sums = np.bincount(items, weights=given, minlength=size).astype(np.float64, copy=False)
        # A long row is a slice of memory: taking it as it lies is several times as fast.
        for row, value in zip(rows[~short].tolist(), values[~short].tolist(), strict=True):
            sums[self.row(row)] += value
        return sums


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
    scores: NDArray[np.float64],
    numbering: Numbering,
    k: int,
    *,
    allowed: Collection[str] | None = None,
) -> tuple[tuple[str, float], ...]:
    """Return the ``k`` best ids with scores > 0, ties by id; ``scores`` are by place.

    ``allowed`` restricts what may be returned.
    """
    if allowed is not None:
        scores = np.where(numbering.mask(allowed), scores, 0.0)
    found = np.flatnonzero(scores > 0)
    found = most_active(found, scores, k)
    order = found[np.lexsort((found, -scores[found]))]
    return tuple((numbering.ids[place], float(scores[place])) for place in order.tolist())
