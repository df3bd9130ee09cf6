"""Decisions of people about who is who: merge, split, alias, not-same; each can be undone.

Rows are only ever added or marked as undone. Replaying those that hold, in order, gives the
:class:`IdentityMap` that every build applies; so undoing a merge restores exactly what was there.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal, get_args

import sqlalchemy as sa

from podcast_scraper.errors import NotFoundError, UsageError
from podcast_scraper.identity.canonical import ENTITY_TYPES, bare_episode_id, type_of
from podcast_scraper.identity.identity_map import IdentityMap, follow
from podcast_scraper.storage.state import LedgerRow, StateStore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from sqlalchemy.orm import Session

Kind = Literal["merge", "split", "alias", "not-same"]
KINDS: tuple[str, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class Decision:
    """One row of the ledger.

    merge: ``subject`` is ``object``. split: ``subject`` stands apart again or, where ``episodes``
    are named, is another entity (``object``) in them. alias: ``object`` is a name of ``subject``.
    not-same: the two ids are different entities.
    """

    uid: str
    kind: str
    subject: str
    object: str | None
    episodes: tuple[str, ...]
    author: str
    created: str
    reason: str
    undone_at: str | None = None
    undone_by: str | None = None
    undone_reason: str | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """What the decisions that hold amount to; ``apart`` are the pairs that are not the same."""

    identity: IdentityMap = field(default_factory=IdentityMap)
    apart: frozenset[frozenset[str]] = frozenset()


class Ledger:
    """The ledger of one corpus, kept in its state store."""

    def __init__(
        self, store: StateStore, *, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._store = store
        self._clock = clock
        self._standing: tuple[object, Standing] = (None, Standing())

    def merge(self, subject: str, into: str, *, author: str, reason: str = "") -> Decision:
        """Decide that ``subject`` is ``into``. Raises UsageError where a decision forbids it."""
        _same_type(subject, into)
        return self._decide("merge", subject, into, (), author, reason)

    def split(
        self, subject: str, *, episodes: Iterable[str] = (), author: str, reason: str = ""
    ) -> Decision:
        """Take a merged id out of its merge; with ``episodes``, take these occurrences out of it.

        The occurrences get an id of their own, ``subject~2``, ``subject~3``, …: the decision's
        ``object``. Raises UsageError where there is nothing to split.
        """
        _entity(subject)
        bare = tuple(sorted({bare_episode_id(episode) for episode in episodes}))
        return self._decide("split", subject, None, bare, author, reason)

    def alias(self, subject: str, name: str, *, author: str, reason: str = "") -> Decision:
        """Give an entity a further name."""
        _entity(subject)
        if not name.strip():
            raise UsageError("An alias needs a name.", subject=subject)
        return self._decide("alias", subject, name.strip(), (), author, reason)

    def not_same(self, left: str, right: str, *, author: str, reason: str = "") -> Decision:
        """Decide that two ids are different entities: they are not suggested or merged again."""
        _same_type(left, right)
        first, second = sorted((left, right))
        return self._decide("not-same", first, second, (), author, reason)

    def undo(self, uid: str, *, author: str, reason: str = "") -> Decision:
        """Take a decision back.

        Raises NotFoundError for an unknown uid; UsageError where it is undone already or where
        later decisions rest on it.
        """
        with self._store.writing() as session:
            rows = _rows(session)
            row = next((row for row in rows if row.uid == uid), None)
            if row is None:
                raise NotFoundError(f"There is no decision {uid}.", subject=uid)
            if row.undone_at is not None:
                raise UsageError(f"Decision {uid} is undone already.", subject=uid)
            replay(_decision(other) for other in rows if other is not row)
            row.undone_at, row.undone_by = self._now(), author
            row.undone_reason = reason
            return _decision(row)

    def history(self, entity_id: str | None = None) -> list[Decision]:
        """Return all decisions, oldest first, or those that name an entity."""
        with self._store.reading() as session:
            every = [] if session is None else [_decision(row) for row in _rows(session)]
        return [d for d in every if entity_id is None or entity_id in (d.subject, d.object)]

    def standing(self) -> Standing:
        """Return what the decisions that hold amount to."""
        with self._store.reading() as session:
            if session is None:
                return Standing()
            counted = sa.select(sa.func.count(LedgerRow.id), sa.func.count(LedgerRow.undone_at))
            state = tuple(session.execute(counted).one())
            if self._standing[0] != state:
                held = replay(_decision(row) for row in _rows(session))
                self._standing = (state, held)
            return self._standing[1]

    def _decide(
        self,
        kind: Kind,
        subject: str,
        other: str | None,
        episodes: tuple[str, ...],
        author: str,
        reason: str,
    ) -> Decision:
        if not author.strip():
            raise UsageError("A decision needs an author.", subject=subject)
        with self._store.writing() as session:
            held = [_decision(row) for row in _rows(session)]
            if kind == "split":
                other = _split_target(held, subject, episodes)
            # A clock that was set back must not put a decision before those that it rests on.
            created = max([self._now(), *(decision.created for decision in held[-1:])])
            made = Decision(
                uuid.uuid4().hex, kind, subject, other, episodes, author, created, reason
            )
            replay([*held, made])
            session.add(
                LedgerRow(
                    uid=made.uid,
                    created=made.created,
                    kind=kind,
                    subject=subject,
                    object=other,
                    episodes=list(episodes),
                    author=author,
                    reason=reason,
                )
            )
        return made

    def _now(self) -> str:
        return self._clock().astimezone(UTC).isoformat(timespec="microseconds")


def replay(decisions: Iterable[Decision]) -> Standing:
    """Apply the decisions that hold, in order. Raises UsageError where two contradict."""
    parents: dict[str, str] = {}
    scoped: dict[tuple[str, str], str] = {}
    aliases: list[tuple[str, str]] = []
    apart: set[frozenset[str]] = set()
    for decision in decisions:
        if decision.undone_at is not None:
            continue
        subject, other = decision.subject, decision.object or ""
        if decision.kind == "merge":
            _check_merge(parents, subject, other)
            parents[subject] = other
        elif decision.kind == "split" and decision.episodes:
            scoped.update({(subject, episode): other for episode in decision.episodes})
        elif decision.kind == "split":
            parents.pop(subject, None)
        elif decision.kind == "alias":
            aliases.append((subject, other))
        else:
            apart.add(frozenset((subject, other)))
        _check_apart(parents, apart)
    redirects = {old: follow(parents, old) for old in parents}
    return Standing(IdentityMap(redirects, scoped, tuple(aliases)), frozenset(apart))


def _check_merge(parents: dict[str, str], subject: str, into: str) -> None:
    if subject in parents:
        raise UsageError(
            f"{subject} is merged into {parents[subject]} already.",
            mend="Split it first, or undo that merge.",
            subject=subject,
        )
    if follow(parents, into) == subject:
        raise UsageError(
            f"{into} is merged into {subject} already.",
            mend="Split it first, or undo that merge.",
            subject=into,
        )


def _check_apart(parents: dict[str, str], apart: set[frozenset[str]]) -> None:
    for pair in apart:
        if len({follow(parents, node_id) for node_id in pair}) == 1:
            left, right = sorted(pair)
            raise UsageError(
                f"{left} and {right} are decided not to be the same, and a merge makes them one.",
                mend="Undo one of the two decisions first.",
                subject=left,
            )


def _split_target(held: Sequence[Decision], subject: str, episodes: tuple[str, ...]) -> str | None:
    if not episodes:
        if subject not in replay(held).identity.redirects:
            raise UsageError(
                f"{subject} is not merged into anything.",
                mend="Name the episodes in which it is somebody else.",
                subject=subject,
            )
        return None
    number = 2 + sum(d.kind == "split" and d.subject == subject and bool(d.episodes) for d in held)
    return f"{subject}~{number}"


def _entity(entity_id: str) -> str:
    kind = type_of(entity_id)
    if kind not in ENTITY_TYPES:
        raise UsageError(
            f"{entity_id!r} is no person, organisation or topic.",
            mend="Give an id such as person:ada-lovelace.",
            subject=entity_id,
        )
    return kind


def _same_type(left: str, right: str) -> None:
    if left == right:
        raise UsageError(f"{left} is one id, not two.", subject=left)
    if _entity(left) != _entity(right):
        raise UsageError(f"{left} and {right} are not of one type.", subject=left)


def _rows(session: Session) -> list[LedgerRow]:
    order = sa.select(LedgerRow).order_by(LedgerRow.created, LedgerRow.id)
    return list(session.scalars(order))


def _decision(row: LedgerRow) -> Decision:
    return Decision(
        row.uid,
        row.kind,
        row.subject,
        row.object,
        tuple(row.episodes),
        row.author,
        row.created,
        row.reason,
        row.undone_at,
        row.undone_by,
        row.undone_reason,
    )
