"""Search engines that follow the records from elsewhere, and whether they hold what they should.

A follower is told what the outbox of the records holds (:mod:`podcast_scraper.storage.outbox`), in
order and in batches, each one revision of the engine. It is told at least once: a batch after which
the worker died comes again, and gives the same documents. A new follower is filled from the
documents as they are; what changes meanwhile waits in the outbox.

A server can answer with a part of its rows and no error. So a follower is looked at: it is asked
for its counts, and for some documents by their own vectors, and both are compared with the records.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import sqlalchemy as sa

from podcast_scraper.errors import PodcastScraperError
from podcast_scraper.search.backend import Filters, SearchQuery
from podcast_scraper.search.backends.records import DocumentRecords
from podcast_scraper.search.documents import TIERS
from podcast_scraper.storage.listed import among, listed
from podcast_scraper.storage.outbox import CHANGES_A_BATCH, Outbox
from podcast_scraper.storage.schema import DocumentVector, IndexedDocument

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from podcast_scraper.search.backend import RevisableBackend, Tier
    from podcast_scraper.search.documents import Document
    from podcast_scraper.storage.outbox import Change

SENTINELS: Final = 16
# Far more than documents of one episode tie with each other.
_DEPTH: Final = 1_000

_IN_ORDER: Final = (
    sa.select(IndexedDocument.key)
    .where(IndexedDocument.key > sa.bindparam("after"))
    .order_by(IndexedDocument.key)
)
_VECTORS: Final = sa.select(DocumentVector.key, DocumentVector.embedding).where(
    among(DocumentVector.key)
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
class _Payload:
    documents: list[Document]
    vectors: NDArray[np.float32]

    def of(self, tier: str) -> tuple[list[Document], NDArray[np.float32]]:
        places = [n for n, document in enumerate(self.documents) if document.tier == tier]
        return [self.documents[n] for n in places], self.vectors[places]


class Follower:
    """A backend with documents of its own that follows the records of a generation.

    One worker at a time tells it.
    """

    def __init__(
        self,
        records: sa.Engine,
        backend: RevisableBackend,
        name: str,
        *,
        batch: int = CHANGES_A_BATCH,
    ) -> None:
        self.name = name
        self._engine = records
        self._records = DocumentRecords(records)
        self._outbox = Outbox(records)
        self._backend = backend
        self._batch = batch

    def catch_up(self) -> int:
        """Tell the backend everything that it lacks; return how many documents were told."""
        told = self._filled()
        while changes := self._outbox.pending(self.name, self._batch):
            self._tell(changes)
            self._outbox.advance(self.name, changes[-1].seq)
            told += len(changes)
        return told

    def look(self) -> tuple[str, ...]:
        """Return what is wrong with the backend, and keep it beside the outbox."""
        try:
            reasons = tuple(self._differences())
        except PodcastScraperError as error:
            reasons = (error.message,)
        self._outbox.looked(self.name, reasons)
        return reasons

    # Telling ------------------------------------------------------------------------------------

    def _filled(self) -> int:
        """Give a new follower the documents that are there, from the beginning if broken off."""
        found = next((one for one in self._outbox.targets() if one.name == self.name), None)
        if found is not None and found.filled:
            return 0
        head = self._outbox.head() if found is None else found.seq
        # From here on the outbox keeps what changes.
        self._outbox.advance(self.name, head, filled=False)
        after, told = 0, 0
        while keys := self._keys_after(after):
            self._revise((), self._payload(keys))
            after, told = keys[-1], told + len(keys)
        self._outbox.advance(self.name, head)
        return told

    def _tell(self, changes: Sequence[Change]) -> None:
        last = {change.doc_id: change for change in changes}.values()
        gone = [change.doc_id for change in last if change.op == "delete"]
        written = [change.key for change in last if change.op == "upsert"]
        self._revise(gone, self._payload(written))

    def _revise(self, gone: Sequence[str], payload: _Payload) -> None:
        with self._backend.revising() as revision:
            if gone:
                revision.delete(gone)
            for tier in TIERS:
                documents, vectors = payload.of(tier)
                if documents:
                    revision.upsert(tier, documents, vectors)

    def _keys_after(self, key: int) -> list[int]:
        with self._engine.connect() as connection:
            rows = connection.execute(_IN_ORDER.limit(self._batch), {"after": key})
            return [row.key for row in rows]

    def _payload(self, keys: Sequence[int]) -> _Payload:
        """Return the documents with these keys; those that are gone were overtaken since."""
        found = self._records.of_keys(keys)
        with self._engine.connect() as connection:
            rows = connection.execute(_VECTORS, listed(found)).all()
        vectors = {row.key: np.frombuffer(row.embedding, dtype="<f4") for row in rows}
        kept = [key for key in keys if key in found and key in vectors]
        stacked = np.stack([vectors[key] for key in kept]) if kept else np.empty((0, 0), "<f4")
        return _Payload([found[key] for key in kept], stacked)

    # Looking ------------------------------------------------------------------------------------

    def _differences(self) -> Iterator[str]:
        health = self._backend.health()
        yield from health.reasons
        if self._outbox.pending(self.name, 1):
            return  # it need not be complete yet
        with self._engine.connect() as connection:
            expected = dict(connection.execute(_COUNTS).all())
        for tier in TIERS:
            there, found = expected.get(tier, 0), health.documents.get(tier, 0)
            if there != found:
                yield f"{there} {tier} documents but {found} in {self.name}"
            elif missing := [one for one in self._sentinels(tier) if not self._finds(*one)]:
                ids = ", ".join(document.doc_id for document, _ in missing)
                yield f"{tier} documents are not found in {self.name}: {ids}"

    def _sentinels(self, tier: str) -> list[tuple[Document, NDArray[np.float32]]]:
        """Return documents of a tier, evenly from the oldest to the newest."""
        with self._engine.connect() as connection:
            first, last = connection.execute(_ENDS, {"tier": tier}).one()
            if first is None:
                return []
            starts = np.linspace(first, last, SENTINELS).astype(int).tolist()
            values = [{"tier": tier, "key": key} for key in starts]
            keys = [connection.execute(_FROM, one).scalar_one() for one in values]
        payload = self._payload(list(dict.fromkeys(keys)))
        return list(zip(payload.documents, payload.vectors, strict=True))

    def _finds(self, document: Document, vector: NDArray[np.float32]) -> bool:
        filters = Filters(episodes=(document.episode_id,))
        tier: Tier = "insight" if document.tier == "insight" else "segment"
        hits = self._backend.search_vector(SearchQuery("", vector, filters, _DEPTH, tier))
        return any(hit.doc_id == document.doc_id for hit in hits)
