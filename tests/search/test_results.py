"""The JSON shape of records against the standard library's own."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from types import MappingProxyType
from typing import Any

from podcast_scraper.search.results import Named, plain


@dataclass(frozen=True, slots=True)
class Record:
    text: str
    score: float | None
    parts: tuple[Named, ...] = ()
    spans: tuple[tuple[int, int], ...] = ()
    more: dict[str, Any] = field(default_factory=dict)


def test_a_record_becomes_what_the_standard_library_makes_of_it() -> None:
    record = Record(
        "kelp",
        None,
        (Named("person:a", "Ada"), Named("person:b", "Bo")),
        ((0, 4), (5, 9)),
        {"fusion": {"score": 0.5, "lists": [1, True, None]}, "who": Named("person:a", "Ada")},
    )
    assert json.dumps(plain(record)) == json.dumps(asdict(record))


def test_lists_are_new_and_mappings_of_any_kind_become_dicts() -> None:
    values = [1, 2]
    made = plain({"values": values, "view": MappingProxyType({"a": (1, 2)})})
    assert made == {"values": [1, 2], "view": {"a": [1, 2]}}
    assert made["values"] is not values
