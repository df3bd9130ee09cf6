"""The figures of an experiment by a field of its queries, such as their kind or intent."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from podcast_scraper.errors import UsageError
from podcast_scraper.evaluate.paired import Comparison, compare_values
from podcast_scraper.evaluate.statistics import Estimate, estimate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from podcast_scraper.evaluate.measures import Values
    from podcast_scraper.evaluate.sets import SetItem


@dataclass(frozen=True, slots=True)
class Group:
    """The queries that share a value: how many, each system's means, the paired comparisons."""

    queries: int
    estimates: Mapping[str, Mapping[str, Estimate]]
    comparisons: tuple[Comparison, ...]


def field_values(queries: Sequence[SetItem], by: str) -> dict[str, str]:
    """Return query → the value of ``by``, a field of ``meta`` (``meta.kind``, or only ``kind``).

    Raises :class:`UsageError` where queries lack the field.
    """
    field = by.removeprefix("meta.")
    lacking = sum(field not in query.meta for query in queries)
    if lacking:
        raise UsageError(
            f"{lacking} of {len(queries)} queries have no {by}.",
            mend="Name a field of the queries' meta, or leave --by out.",
            subject=by,
        )
    return {query.id: str(query.meta[field]) for query in queries}


def grouped(
    values: Mapping[str, Mapping[str, Values]], value_of: Mapping[str, str], baseline: str | None
) -> dict[str, Group]:
    """Cut system → measure → query → value by ``value_of``; groups stand by value.

    Holm's correction is over the systems of one group.
    """
    members: dict[str, list[str]] = defaultdict(list)
    for query, value in value_of.items():
        members[value].append(query)
    return {value: _group(values, members[value], baseline) for value in sorted(members)}


def _group(
    values: Mapping[str, Mapping[str, Values]], queries: Sequence[str], baseline: str | None
) -> Group:
    own = {
        system: {name: {query: one[query] for query in queries} for name, one in by_measure.items()}
        for system, by_measure in values.items()
    }
    estimates = {
        system: {name: estimate(list(one.values())) for name, one in by_measure.items()}
        for system, by_measure in own.items()
    }
    return Group(len(queries), estimates, compare_values(own, baseline) if baseline else ())
