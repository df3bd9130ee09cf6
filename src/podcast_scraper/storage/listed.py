"""Asking for many rows by their ids in one statement."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from podcast_scraper.storage.dialects import ListedValues

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.orm import InstrumentedAttribute


def among(column: InstrumentedAttribute[Any] | sa.Column[Any]) -> sa.ColumnElement[bool]:
    """Return the condition that a column is one of the values that :func:`listed` gives.

    It takes one parameter whatever the number of values: SQLite limits the number of parameters,
    and SQLAlchemy would compose the statement anew for every number of them.
    """
    values = ListedValues(sa.bindparam("values", type_=sa.Text)).table_valued("value")
    value = values.c.value
    number = isinstance(column.type, sa.Integer)
    return column.in_(sa.select(sa.cast(value, sa.BigInteger) if number else value))


def listed(values: Iterable[str | int]) -> dict[str, str]:
    """Return the parameter of a statement with :func:`among`."""
    return {"values": json.dumps(list(values))}
