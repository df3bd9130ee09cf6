"""The read contract of the KG columns: absent contributes nothing, malformed is an error.

Every document may carry four columns. They describe its own nodes and what those touch::

    kg_node_ids         ids of its own nodes
    neighbor_node_ids   ids of the nodes that its own reach over one meaning-bearing edge
    kg_node_community   community of each own node, in the order of kg_node_ids
    kg_node_centrality  centrality (≥ 0) of each own node, in the same order

A key that is missing or None is absent. Whatever else is not a list of the right values raises
:class:`~podcast_scraper.errors.ColumnError`, naming the candidate, the column and the value, so
that a broken export never becomes a silently wrong score.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from podcast_scraper.errors import ColumnError

if TYPE_CHECKING:
    from collections.abc import Mapping

NODE_IDS: Final = "kg_node_ids"
NEIGHBORS: Final = "neighbor_node_ids"
COMMUNITY: Final = "kg_node_community"
CENTRALITY: Final = "kg_node_centrality"
COLUMNS: Final = (NODE_IDS, NEIGHBORS, COMMUNITY, CENTRALITY)

_SHOWN: Final = 80


class Checked(tuple[Any, ...]):
    """A column that was checked before: only this module makes one."""

    __slots__ = ()


class CheckedColumns(dict[str, Checked]):
    """The columns of one document, all of them checked."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class KgColumns:
    """The columns of one document, checked. Absent ones are empty."""

    node_ids: tuple[str, ...] = ()
    neighbors: tuple[str, ...] = ()
    communities: tuple[int | str, ...] = ()
    centralities: tuple[float, ...] = ()

    @property
    def peak_centrality(self) -> float:
        """The largest centrality of the document's nodes; 0.0 without any."""
        return max(self.centralities, default=0.0)

    def as_metadata(self) -> CheckedColumns:
        """Return the columns as metadata that is not checked again."""
        values = (self.node_ids, self.neighbors, self.communities, self.centralities)
        return CheckedColumns(zip(COLUMNS, map(Checked, values), strict=True))


_ABSENT: Final = KgColumns()


def read_columns(candidate_id: str, metadata: Mapping[str, Any]) -> KgColumns:
    """Return the checked columns of one candidate."""
    node_ids = metadata.get(NODE_IDS)
    neighbors = metadata.get(NEIGHBORS)
    communities = metadata.get(COMMUNITY)
    centralities = metadata.get(CENTRALITY)
    if node_ids is None and neighbors is None and communities is None and centralities is None:
        return _ABSENT
    if (
        type(node_ids) is Checked
        and type(neighbors) is Checked
        and type(communities) is Checked
        and type(centralities) is Checked
    ):
        return KgColumns(node_ids, neighbors, communities, centralities)
    columns = KgColumns(
        _ids(candidate_id, NODE_IDS, node_ids),
        _ids(candidate_id, NEIGHBORS, neighbors),
        _communities(candidate_id, communities),
        _centralities(candidate_id, centralities),
    )
    if node_ids is not None:
        expected = len(columns.node_ids)
        for name, value in ((COMMUNITY, communities), (CENTRALITY, centralities)):
            if value is not None and len(value) != expected:
                raise malformed(
                    candidate_id, name, value, f"{len(value)} values for {expected} nodes"
                )
    return columns


def malformed(candidate_id: str, column: str, value: object, why: str) -> ColumnError:
    """Return the error for a column that is present but unusable."""
    shown = repr(value)
    if len(shown) > _SHOWN:
        shown = shown[:_SHOWN] + "…"
    return ColumnError(
        f"Column {column} of candidate {candidate_id!r} is malformed ({why}): {shown}.",
        mend="Leave the column out, or rebuild the index or export that it came from.",
        subject={"candidate": candidate_id, "column": column, "value": value},
    )


def _items(candidate_id: str, column: str, value: Any) -> list[Any] | tuple[Any, ...]:
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if not isinstance(value, list | tuple):
        raise malformed(candidate_id, column, value, "not a list")
    return value


def _ids(candidate_id: str, column: str, value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    items = _items(candidate_id, column, value)
    if not all(isinstance(item, str) and item for item in items):
        raise malformed(candidate_id, column, value, "an id is not a non-empty string")
    return tuple(items)


def _communities(candidate_id: str, value: Any) -> tuple[int | str, ...]:
    if value is None:
        return ()
    items = _items(candidate_id, COMMUNITY, value)
    if not all(isinstance(item, int | str) and not isinstance(item, bool) for item in items):
        raise malformed(candidate_id, COMMUNITY, value, "a community is neither int nor string")
    return tuple(items)


def _centralities(candidate_id: str, value: Any) -> tuple[float, ...]:
    if value is None:
        return ()
    items = _items(candidate_id, CENTRALITY, value)
    for item in items:
        if not isinstance(item, int | float) or isinstance(item, bool):
            raise malformed(candidate_id, CENTRALITY, value, "a centrality is not a number")
        if not math.isfinite(item) or item < 0:
            raise malformed(candidate_id, CENTRALITY, value, "a centrality is not finite and ≥ 0")
    return tuple(items)
