"""The outbox of a generation: which changes of documents search engines elsewhere must be told.

The transaction that changes a document also writes a row here, so neither can happen without the
other. A worker tells an engine the rows in their order and then moves its *watermark*; where it
dies between the two, the engine is told again, and being told twice changes nothing. How far an
engine is behind is its *lag*, in rows. The rows that every engine knows are removed, and where none
follows, none are written.

Rows become visible in the order of their numbers, because one transaction writes them at a time.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, Literal

import sqlalchemy as sa

from podcast_scraper.storage.dialects import exclusively, hold
from podcast_scraper.storage.schema import OutboxRow, OutboxTarget

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

Op = Literal["upsert", "delete"]

CHANGES_A_BATCH: Final = 1_000

_FOLLOWED: Final = sa.select(OutboxTarget.name).limit(1)
_PENDING: Final = (
    sa.select(OutboxRow.seq, OutboxRow.op, OutboxRow.doc_id, OutboxRow.tier, OutboxRow.key)
    .where(OutboxRow.seq > sa.bindparam("after"))
    .order_by(OutboxRow.seq)
)
_BEHIND: Final = (
    sa.select(sa.func.count()).where(OutboxRow.seq > OutboxTarget.seq).scalar_subquery()
)
_KINDS_BEHIND: Final = (
    sa.select(OutboxRow.tier, OutboxRow.op, sa.func.count())
    .where(OutboxRow.seq > sa.bindparam("after"))
    .group_by(OutboxRow.tier, OutboxRow.op)
)


@dataclass(frozen=True, slots=True)
class Change:
    """One row: what happened to a document."""

    seq: int
    op: Op
    doc_id: str
    tier: str
    key: int


@dataclass(frozen=True, slots=True)
class Target:
    """An engine that follows: how far it was told, how many rows it lacks, what is wrong with it.

    One that is not ``filled`` lacks documents that were there before it came. Times are ISO 8601
    in UTC; ``checked`` is None where nobody has looked.
    """

    name: str
    seq: int
    lag: int
    filled: bool
    told: str
    checked: str | None = None
    reasons: tuple[str, ...] = ()


def note(connection: sa.Connection, changes: Iterable[tuple[Op, str, str, int]]) -> None:
    """Write rows of ``(op, doc_id, tier, key)``, in the transaction that makes the changes.

    Where no engine follows, nothing is written: the next that comes is filled from the documents.
    """
    # Whoever begins to follow meanwhile waits, and is then filled with these changes too.
    hold(connection, OutboxRow)
    if connection.execute(_FOLLOWED).first() is None:
        return
    rows = [
        {"op": op, "doc_id": doc_id, "tier": tier, "key": key} for op, doc_id, tier, key in changes
    ]
    if rows:
        connection.execute(sa.insert(OutboxRow), rows)


def _prune(connection: sa.Connection) -> None:
    """Remove the rows that every engine knows: all of them, where none follows."""
    known = connection.execute(sa.select(sa.func.min(OutboxTarget.seq))).scalar()
    statement = sa.delete(OutboxRow)
    connection.execute(statement if known is None else statement.where(OutboxRow.seq <= known))


class Outbox:
    """The outbox in the records of one generation."""

    def __init__(self, engine: sa.Engine) -> None:
        self.engine = engine

    def pending(self, name: str, limit: int = CHANGES_A_BATCH) -> list[Change]:
        """Return the first changes that an engine has yet to be told."""
        with self.engine.connect() as connection:
            after = connection.execute(_watermark(name)).scalar() or 0
            rows = connection.execute(_PENDING.limit(limit), {"after": after})
            return [Change(seq, _op(op), doc_id, tier, key) for seq, op, doc_id, tier, key in rows]

    @contextlib.contextmanager
    def telling(self, name: str) -> Iterator[None]:
        """Be the one worker that tells an engine: two would tell changes out of their order.

        Raises IndexLockedError where another goes on doing so for :data:`LOCK_SECONDS`.
        """
        with exclusively(self.engine, f"telling {name}"):
            yield

    def batches(self, name: str, limit: int = CHANGES_A_BATCH) -> Iterator[list[Change]]:
        """Yield what an engine has yet to be told, in order.

        The watermark passes a batch when the next is asked for: whoever dies before is given the
        batch again.
        """
        while changes := self.pending(name, limit):
            yield changes
            self.advance(name, changes[-1].seq)

    def behind(self, name: str) -> dict[tuple[str, Op], int]:
        """Count the changes that an engine has yet to be told, by tier and kind."""
        with self.engine.connect() as connection:
            after = connection.execute(_watermark(name)).scalar() or 0
            rows = connection.execute(_KINDS_BEHIND, {"after": after}).all()
        return {(tier, _op(op)): count for tier, op, count in rows}

    def head(self) -> int:
        """Return the number of the newest row, as far as rows or watermarks tell."""
        newest = sa.select(sa.func.max(OutboxRow.seq))
        furthest = sa.select(sa.func.max(OutboxTarget.seq))
        with self.engine.connect() as connection:
            found = [connection.execute(one).scalar() or 0 for one in (newest, furthest)]
        return max(found)

    def advance(self, name: str, seq: int, *, filled: bool = True) -> None:
        """Note that an engine was told everything up to ``seq``; from the first time it follows.

        The first time waits for whoever is writing. Raises IndexLockedError where that takes long.
        """
        values = {"seq": seq, "filled": filled, "told": _now()}
        change = sa.update(OutboxTarget).where(OutboxTarget.name == name).values(**values)
        with self.engine.begin() as connection:
            if connection.execute(change).rowcount == 0:
                hold(connection, OutboxRow)
                row = {"name": name, "checked": None, "reasons": [], **values}
                connection.execute(sa.insert(OutboxTarget), [row])
            _prune(connection)

    def looked(self, name: str, reasons: Sequence[str]) -> None:
        """Keep what is wrong with an engine, as somebody found who looked at it just now."""
        values = {"checked": _now(), "reasons": list(reasons)}
        with self.engine.begin() as connection:
            connection.execute(
                sa.update(OutboxTarget).where(OutboxTarget.name == name).values(**values)
            )

    def forget(self, name: str) -> None:
        """Let an engine follow no longer."""
        with self.engine.begin() as connection:
            connection.execute(sa.delete(OutboxTarget).where(OutboxTarget.name == name))
            _prune(connection)

    def targets(self) -> list[Target]:
        """Return the engines that follow, by name."""
        table = OutboxTarget
        columns = (table.name, table.seq, _BEHIND.label("lag"), table.filled, table.told)
        statement = sa.select(*columns, table.checked, table.reasons).order_by(table.name)
        with self.engine.connect() as connection:
            rows = connection.execute(statement).all()
        return [
            Target(
                row.name, row.seq, row.lag, row.filled, row.told, row.checked, tuple(row.reasons)
            )
            for row in rows
        ]


def _watermark(name: str) -> sa.Select[int]:
    return sa.select(OutboxTarget.seq).where(OutboxTarget.name == name)


def _op(value: str) -> Op:
    return "delete" if value == "delete" else "upsert"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
