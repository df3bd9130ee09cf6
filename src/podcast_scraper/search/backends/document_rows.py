"""What filters ask of documents, as arrays: one small number a document, in the order of its key.

A filter that allows a third of a million documents is one comparison of an array here; listing
their keys from an index would take a thousand times as long.
"""

from __future__ import annotations

import json
from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from podcast_scraper.search.backends.lexical_queries import day_number
from podcast_scraper.search.documents import TIERS, Document

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from podcast_scraper.search.backend import Filters, Tier

NO_DAY: Final = np.iinfo(np.int32).min
NONE: Final = -1

_TYPES: Final[Mapping[str, str]] = {
    "key": "<i8",
    "tier": "|u1",
    "ad": "|b1",
    "day": "<i4",
    "show": "<i4",
    "episode": "<i4",
    "insight_type": "<i4",
    "alive": "|b1",
}
# Field of Filters -> array whose numbers stand for its values.
_CODED: Final = {"shows": "show", "episodes": "episode", "insight_types": "insight_type"}


@dataclass(frozen=True, slots=True)
class DocumentRows:
    """The arrays of one sealed state. Row n belongs to the document with key ``arrays["key"][n]``.

    Keys ascend. A row that is not alive belonged to a document that was removed or replaced.
    ``codes`` holds, for each coded array, value → number.
    """

    arrays: Mapping[str, NDArray[Any]]
    codes: Mapping[str, Mapping[str, int]]

    @classmethod
    def empty(cls) -> DocumentRows:
        """Return the rows of an index without documents."""
        arrays = {name: np.empty(0, dtype) for name, dtype in _TYPES.items()}
        return cls(arrays, {name: {} for name in _CODED.values()})

    @classmethod
    def read(cls, directory: Path) -> DocumentRows:
        """Map the arrays of a directory. Raises OSError, ValueError or KeyError for damage."""
        arrays = {
            name: np.asarray(np.load(directory / f"{name}.npy", mmap_mode="r", allow_pickle=False))
            for name in _TYPES
        }
        if len({len(array) for array in arrays.values()}) > 1:
            raise ValueError("arrays of different lengths")
        codes = json.loads((directory / "codes.json").read_text(encoding="utf-8"))
        return cls(arrays, {name: codes[name] for name in _CODED.values()})

    def write(self, directory: Path) -> None:
        """Write the arrays into a new directory."""
        directory.mkdir()
        for name, values in self.arrays.items():
            np.save(directory / f"{name}.npy", values, allow_pickle=False)
        (directory / "codes.json").write_text(json.dumps(self.codes), encoding="utf-8")

    def __len__(self) -> int:
        return len(self.arrays["key"])

    @property
    def alive(self) -> NDArray[np.bool_]:
        """Which rows belong to documents that exist, shape ``(len(self),)``."""
        return self.arrays["alive"]

    def count(self) -> dict[str, int]:
        """Return how many documents each tier has."""
        counts = np.bincount(self.arrays["tier"][self.alive], minlength=len(TIERS))
        return {tier: int(count) for tier, count in zip(TIERS, counts, strict=True)}

    def keys(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the keys of rows."""
        keys: NDArray[np.int64] = self.arrays["key"][rows]
        return keys

    def of_keys(self, keys: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return the mask of the rows with these keys; unknown keys are ignored."""
        mask = np.zeros(len(self), dtype=np.bool_)
        known = self.arrays["key"]
        places = np.searchsorted(known, keys)
        inside = places < len(known)
        places, keys = places[inside], keys[inside]
        mask[places[known[places] == keys]] = True
        return mask

    def matching(self, filters: Filters, tier: Tier) -> NDArray[np.bool_] | None:
        """Return the mask of what the filters allow, as far as arrays tell; None: everything.

        Words and entities of the filters are not looked at: other parts of the index know them.
        """
        masks = []
        if tier != "all":
            masks.append(self.arrays["tier"] == TIERS.index(tier))
        for name, coded in _CODED.items():
            if values := getattr(filters, name):
                wanted = [self.codes[coded][v] for v in values if v in self.codes[coded]]
                masks.append(np.isin(self.arrays[coded], wanted))
        day = self.arrays["day"]
        if filters.since is not None:
            masks.append((day >= day_number(filters.since)) & (day != NO_DAY))
        if filters.until is not None:
            masks.append((day <= day_number(filters.until)) & (day != NO_DAY))
        if filters.ads == "exclude":
            masks.append(~self.arrays["ad"])
        if not masks:
            return None
        allowed: NDArray[np.bool_] = np.logical_and.reduce([*masks, self.alive])
        return allowed

    def newest(self, mask: NDArray[np.bool_] | None, k: int) -> NDArray[np.int64]:
        """Return the rows of the ``k`` latest days of a mask and all that tie with the last."""
        rows: NDArray[np.int64] = np.flatnonzero(self.alive if mask is None else mask)
        if len(rows) <= k:
            return rows
        days: NDArray[np.int32] = self.arrays["day"][rows]
        last = np.partition(days, len(days) - k)[len(days) - k]
        latest: NDArray[np.int64] = rows[days >= last]
        return latest


class RowWriter:
    """Collects the rows that follow those of a sealed state."""

    def __init__(self, rows: DocumentRows) -> None:
        self._before = rows
        self._codes = {name: dict(known) for name, known in rows.codes.items()}
        self._added = {name: array("q") for name in _TYPES}

    def add(self, key: int, document: Document) -> None:
        """Append the row of a document; its key is above all others."""
        day = document.published
        values = {
            "key": key,
            "tier": TIERS.index(document.tier),
            "ad": document.kind == "ad",
            "day": NO_DAY if day is None else day_number(day),
            "show": self._code("show", document.show_id),
            "episode": self._code("episode", document.episode_id),
            "insight_type": self._code("insight_type", document.insight_type),
            "alive": True,
        }
        for name, column in self._added.items():
            column.append(values[name])

    def rows(self, dead: NDArray[np.int64]) -> DocumentRows:
        """Return all rows, those with ``dead`` keys no longer alive."""
        arrays = {
            name: np.concatenate(
                [self._before.arrays[name], np.frombuffer(self._added[name], np.int64).astype(kind)]
            )
            for name, kind in _TYPES.items()
        }
        arrays["alive"] &= ~np.isin(arrays["key"], dead)
        return DocumentRows(arrays, self._codes)

    def _code(self, name: str, value: str | None) -> int:
        known = self._codes[name]
        return NONE if value is None else known.setdefault(value, len(known))
