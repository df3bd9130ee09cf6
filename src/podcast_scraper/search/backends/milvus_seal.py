"""The seal of an index whose engines are elsewhere: which collections belong to its records."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final

import sqlalchemy as sa

from podcast_scraper.errors import IndexDamagedError
from podcast_scraper.storage.schema import Meta

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

_KEY: Final = "milvus_seal"
_MEND: Final = "Build the index with `podcast-scraper index`."


@dataclass(frozen=True, slots=True)
class MilvusSeal:
    """The generation of the collections, the dimension of their vectors, and a count of changes."""

    generation: int
    dimension: int
    revision: int = 0


def read_seal(engine: Engine) -> MilvusSeal:
    """Return the seal of a database of records; IndexDamagedError where there is none."""
    with engine.connect() as connection:
        value = connection.execute(sa.select(Meta.value).where(Meta.key == _KEY)).scalar()
    if value is None:
        raise IndexDamagedError(
            "The index was built for another search engine, or its build was not finished.",
            mend=_MEND,
            subject=engine.url,
        )
    try:
        return MilvusSeal(**json.loads(value))
    except (ValueError, TypeError) as error:
        raise IndexDamagedError(
            "The seal of the index is of another version.", mend=_MEND, subject=engine.url
        ) from error


def write_seal(connection: Connection, seal: MilvusSeal) -> None:
    """Put a seal in the place of the one before."""
    connection.execute(sa.delete(Meta).where(Meta.key == _KEY))
    row = {"key": _KEY, "value": json.dumps(asdict(seal))}
    connection.execute(sa.insert(Meta), [row])
