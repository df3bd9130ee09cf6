"""Filters as Milvus expressions: made of field names of ours and integers, never of text.

Ids are stored as 63-bit hashes (:func:`code_of`), so whatever an id holds, there is nothing in an
expression to quote: hostile ids cannot leave it. Two of a hundred million ids share a code with a
probability of one in a thousand.
"""

from __future__ import annotations

import functools
import hashlib
from typing import TYPE_CHECKING, Final

from podcast_scraper.search.backends.lexical_queries import day_number

if TYPE_CHECKING:
    from collections.abc import Iterable

    from podcast_scraper.search.backend import Filters

# Above this many values a list makes the server slow; the backend resolves it beforehand.
MOST_VALUES: Final = 1000

_ONE: Final = {"shows": "show", "episodes": "episode", "insight_types": "insight_type"}
_MANY: Final = {"persons": "speakers", "mentions": "mentions", "topics": "topics"}

NO_DAY: Final = 0
NO_CODE: Final = 0


@functools.lru_cache(maxsize=1 << 16)
def code_of(value: str) -> int:
    """Return the code of an id: 1 to 2⁶³ - 1."""
    digest = hashlib.blake2b(value.encode("utf-8"), digest_size=8).digest()
    return (int.from_bytes(digest, "little") >> 1) or 1


def values_in(filters: Filters) -> int:
    """Return how many ids filters name."""
    return sum(len(getattr(filters, name)) for name in (*_ONE, *_MANY))


def expression(filters: Filters, *, keys: Iterable[int] | None = None) -> str:
    """Return the expression of filters, words aside; empty where everything is allowed.

    ``keys`` are the only documents to look at.
    """
    parts: list[str] = []
    for name, column in _ONE.items():
        if values := getattr(filters, name):
            parts.append(f"{column} in {_listed(map(code_of, values))}")
    for name, column in _MANY.items():
        if values := getattr(filters, name):
            parts.append(f"array_contains_any({column}, {_listed(map(code_of, values))})")
    if filters.since is not None:
        parts.append(f"day >= {day_number(filters.since)}")
    if filters.until is not None:
        parts.append(f"day <= {day_number(filters.until)} and day > {NO_DAY}")
    if filters.ads == "exclude":
        parts.append("ad == false")
    if keys is not None:
        parts.append(f"key in {_listed(keys)}")
    return " and ".join(parts)


def _listed(values: Iterable[int]) -> str:
    return f"[{', '.join(str(int(value)) for value in values)}]"
