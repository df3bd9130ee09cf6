"""Many strings as two arrays, which can be mapped: a million ids as objects take 150 MB."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, overload

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_TOGETHER: Final = 4096
_BLOCK: Final = 1 << 22
_ERRORS: Final = "surrogatepass"


def pack(strings: Sequence[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the UTF-8 bytes of all strings and their offsets in code points (``n + 1``)."""
    blob = "".join(strings).encode("utf-8", _ERRORS)
    offsets = np.zeros(len(strings) + 1, dtype=np.int64)
    np.cumsum([len(string) for string in strings], out=offsets[1:])
    return np.frombuffer(blob, dtype=np.uint8), offsets


class Strings(Sequence[str]):
    """What :func:`pack` made, read back one at a time. Raises ValueError where it was cut."""

    def __init__(self, blob: NDArray[np.uint8], offsets: NDArray[np.int64]) -> None:
        self._blob = blob
        self._offsets = offsets
        ascii_alone = len(blob) == int(offsets[-1])
        self._bytes = offsets if ascii_alone else _byte_offsets(blob, offsets)

    def __len__(self) -> int:
        return len(self._offsets) - 1

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        if place < 0:
            place += len(self)
        if not 0 <= place < len(self):
            raise IndexError(place)
        return self._text(place, place + 1)

    def __iter__(self) -> Iterator[str]:
        for first in range(0, len(self), _TOGETHER):
            last = min(first + _TOGETHER, len(self))
            text = self._text(first, last)
            ends = (self._offsets[first : last + 1] - self._offsets[first]).tolist()
            for start, end in pairwise(ends):
                yield text[start:end]

    def take(self, places: NDArray[Any]) -> list[str]:
        """Return the strings at many places: a tenth of the time of one at a time."""
        starts, sizes = self._bytes[places], self._bytes[places + 1] - self._bytes[places]
        ends = np.cumsum(sizes)
        within = np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - sizes, sizes)
        text = self._blob[np.repeat(starts, sizes) + within].tobytes().decode("utf-8", _ERRORS)
        lengths = np.cumsum(self._offsets[places + 1] - self._offsets[places]).tolist()
        return [text[start:end] for start, end in pairwise([0, *lengths])]

    def _text(self, first: int, last: int) -> str:
        part = self._blob[self._bytes[first] : self._bytes[last]]
        return part.tobytes().decode("utf-8", _ERRORS)


class StringPlaces(Mapping[str, int]):
    """The place of each of many distinct strings, by their hashes: 16 bytes a string."""

    def __init__(self, strings: Strings) -> None:
        self._strings = strings
        hashes = np.fromiter(map(hash, strings), dtype=np.int64, count=len(strings))
        self._order = np.argsort(hashes, kind="stable")
        self._hashes = hashes[self._order]

    def __getitem__(self, string: str) -> int:
        wanted = np.int64(hash(string))
        found = int(self._hashes.searchsorted(wanted))
        while found < len(self._hashes) and self._hashes[found] == wanted:
            place = int(self._order[found])
            if self._strings[place] == string:
                return place
            found += 1
        raise KeyError(string)

    def __contains__(self, string: object) -> bool:
        return isinstance(string, str) and self.get(string) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self._strings)

    def __len__(self) -> int:
        return len(self._strings)


def places_of(strings: Sequence[str]) -> Mapping[str, int]:
    """Return the position of each of distinct strings."""
    if isinstance(strings, Strings):
        return StringPlaces(strings)
    return {string: place for place, string in enumerate(strings)}


def taken(strings: Sequence[str], places: NDArray[Any]) -> list[str]:
    """Return the strings at many places."""
    if isinstance(strings, Strings):
        return strings.take(places)
    return [strings[place] for place in places.tolist()]


def _byte_offsets(blob: NDArray[np.uint8], offsets: NDArray[Any]) -> NDArray[np.int64]:
    """Translate offsets in code points into offsets in bytes; ValueError where they do not fit."""
    made = np.full(len(offsets), -1, dtype=np.int64)
    seen = 0
    for start in range(0, len(blob), _BLOCK):
        # Every byte that does not continue a character begins one.
        begins = start + np.flatnonzero((blob[start : start + _BLOCK] & 0xC0) != 0x80)
        low, high = np.searchsorted(offsets, (seen, seen + len(begins)))
        made[low:high] = begins[offsets[low:high] - seen]
        seen += len(begins)
    if seen != int(offsets[-1]):
        raise ValueError(f"{seen} characters where {int(offsets[-1])} were written")
    made[np.searchsorted(offsets, seen) :] = len(blob)
    return made
