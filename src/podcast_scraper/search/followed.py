"""What an engine that follows the records is told, and what it can be asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np
import sqlalchemy as sa

from podcast_scraper.search.backends.document_queries import DocumentQueries
from podcast_scraper.search.backends.records import DocumentRecords
from podcast_scraper.storage.schema import IndexedDocument

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from podcast_scraper.search.backend import BackendHealth
    from podcast_scraper.search.documents import Document
    from podcast_scraper.storage.outbox import Change

_IN_ORDER: Final = (
    sa.select(IndexedDocument.key)
    .where(IndexedDocument.key > sa.bindparam("after"))
    .order_by(IndexedDocument.key)
)
_COUNTS: Final = sa.select(IndexedDocument.tier, sa.func.count()).group_by(IndexedDocument.tier)
_ENDS: Final = sa.select(sa.func.min(IndexedDocument.key), sa.func.max(IndexedDocument.key)).where(
    IndexedDocument.tier == sa.bindparam("tier")
)
_FROM: Final = (
    sa.select(sa.func.min(IndexedDocument.key))
    .where(IndexedDocument.tier == sa.bindparam("tier"))
    .where(IndexedDocument.key >= sa.bindparam("key"))
)


@dataclass(frozen=True, slots=True)
class Payload:
    """Documents with their keys in the records and their unit vectors, shape ``(n, dimension)``."""

    keys: Sequence[int]
    documents: Sequence[Document]
    vectors: NDArray[np.float32]

    def of(self, tier: str) -> Payload:
        """Return the part of one tier."""
        places = [n for n, document in enumerate(self.documents) if document.tier == tier]
        return Payload(
            [self.keys[n] for n in places],
            [self.documents[n] for n in places],
            self.vectors[places],
        )


class Followed(Protocol):
    """An engine that is told what the records hold. Being told twice changes nothing."""

    def begin(self) -> None:
        """Be ready to be given every document; what is there already may go."""
        ...

    def tell(self, gone: Sequence[Change], written: Payload) -> None:
        """Remove documents, then write others; both can be found when this has returned."""
        ...

    def health(self) -> BackendHealth:
        """Count what can be found of each tier, and say what is known to be wrong."""
        ...

    def lacks(self, documents: Payload) -> list[str]:
        """Return the ids of those documents, all of one tier, that cannot be found."""
        ...


class FollowedRecords:
    """What the records of a generation hold for engines that follow."""

    def __init__(self, engine: sa.Engine) -> None:
        self.engine = engine
        self._documents = DocumentRecords(engine)
        self._queries = DocumentQueries(engine)

    def keys_after(self, key: int, limit: int) -> list[int]:
        """Return the next keys above one, ascending."""
        with self.engine.connect() as connection:
            rows = connection.execute(_IN_ORDER.limit(limit), {"after": key})
            return [row.key for row in rows]

    def counts(self) -> dict[str, int]:
        """Return how many documents each tier has."""
        with self.engine.connect() as connection:
            return dict(connection.execute(_COUNTS).all())

    def payload(self, keys: Sequence[int]) -> Payload:
        """Return the documents with these keys; those that are gone were overtaken since."""
        found = self._documents.of_keys(keys)
        vectors = self._queries.vectors(list(found))
        kept = [key for key in keys if key in found and key in vectors]
        stacked = np.stack([vectors[key] for key in kept]) if kept else np.empty((0, 0), "<f4")
        return Payload(kept, [found[key] for key in kept], stacked)

    def spread(self, tier: str, count: int) -> Payload:
        """Return documents of a tier, evenly from the oldest to the newest."""
        with self.engine.connect() as connection:
            first, last = connection.execute(_ENDS, {"tier": tier}).one()
            if first is None:
                return self.payload([])
            starts = np.linspace(first, last, count).astype(int).tolist()
            values = [{"tier": tier, "key": key} for key in starts]
            keys = [connection.execute(_FROM, one).scalar_one() for one in values]
        return self.payload(list(dict.fromkeys(keys)))
